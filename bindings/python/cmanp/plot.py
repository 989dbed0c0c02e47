"""matplotlib: what a context makes of its data, in one call.

>>> import matplotlib; matplotlib.use("Agg")
>>> import cmanp, cmanp.plot
>>> context = cmanp.Context("gp-nano")
>>> context.observe([0.4, 0.5], [0.9, 1.0])
>>> axes = cmanp.plot.function(context, (-2, 2), seen=([0.4, 0.5], [0.9, 1.0]), draws=3)
>>> len(axes.lines)
5
"""

import numpy as np

from ._error import Error


def function(context, extent=None, *, seen=None, truth=None, draws=0, seed=0, points=400, axes=None):
    """Draws the mean and two deviations around it over [extent]; returns matplotlib's axes.

    Without `extent`, over what was seen, or else where the model was trained.
    `seen` is a pair (x, y) of observations to mark, `truth` a function to compare with, `draws` the number of sampled
    functions to show.
    """
    import matplotlib.pyplot as plt

    if (context.model.dim_x, context.model.dim_y) != (1, 1):
        raise Error("a function is drawn of a model with 1 in x and 1 in y", "wrong_model")
    axes = plt.gca() if axes is None else axes
    x = np.linspace(*(_extent(context, seen) if extent is None else extent), points)
    mean, std = context.predict(x)
    axes.fill_between(x, mean - 2 * std, mean + 2 * std, alpha=0.25, linewidth=0, label="2 deviations")
    if draws:
        coarse = x[:: max(1, points // 100)]
        for draw in context.sample(coarse, draws, seed=seed):
            axes.plot(coarse, draw, linewidth=0.7, alpha=0.8)
    axes.plot(x, mean, color="C0", label="mean")
    if truth is not None:
        axes.plot(x, truth(x), color="black", linewidth=0.8, linestyle="--", label="truth")
    if seen is not None:
        axes.plot(*seen, ".", color="black", markersize=4, label="observed")
    axes.legend()
    return axes


def _extent(context, seen):
    if seen is not None and context.frame is not None:
        return np.min(seen[0]), np.max(seen[0])
    return (-2.0, 2.0) if context.frame is None else context.frame.x

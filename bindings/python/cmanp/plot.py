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

    if not hasattr(context, "frame"):
        raise Error("a function is drawn of a Context; cmanp.plot.signal draws a Signal over its index", "argument")
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


def signal(signal, extent=None, *, readings=None, points=400, axes=None):
    """Draws the mean of a cmanp.frames.Signal and two deviations around it, over its own index; returns matplotlib's axes.

    `extent` is a pair of index values, times among them, by default from the first to the last of `readings`, the pandas
    Series that is marked.
    """
    import matplotlib.pyplot as plt
    import pandas as pd

    if extent is None:
        if readings is None:
            raise Error("give the extent, a pair of index values, or the readings", "argument")
        extent = readings.index.min(), readings.index.max()
    axes = plt.gca() if axes is None else axes
    first, last = pd.Index(extent)
    answer = signal.predict(pd.Index([first + (last - first) * share for share in np.linspace(0, 1, points)]))
    x, mean, std = _on_the_clock(answer.index), answer["mean"].to_numpy(), answer["std"].to_numpy()
    axes.fill_between(x, mean - 2 * std, mean + 2 * std, alpha=0.25, linewidth=0, label="2 deviations")
    axes.plot(x, mean, color="C0", label="mean")
    if readings is not None:
        axes.plot(_on_the_clock(readings.index), readings.to_numpy(), ".", color="black", markersize=4, label="observed")
    axes.legend()
    return axes


def _on_the_clock(index):
    """Places to draw at: times of a zone as a clock there shows them."""
    return (index.tz_localize(None) if getattr(index, "tz", None) is not None else index).to_numpy()


def _extent(context, seen):
    if seen is not None and context.frame is not None:
        return np.min(seen[0]), np.max(seen[0])
    return (-2.0, 2.0) if context.frame is None else context.frame.x

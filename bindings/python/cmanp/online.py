"""One observation at a time, as `river` has it: `learn_one` and `predict_one` with dicts.

>>> import math
>>> from cmanp.online import OnlineRegressor
>>> model = OnlineRegressor()
>>> for hour in range(2000):
...     model.learn_one({"hour": hour}, 20 + 5 * math.sin(hour / 50))
>>> round(model.predict_one({"hour": 1995.5}))
24
"""

from ._cmanp import Context, Model
from ._error import Error
from ._points import STREAM_WINDOW


class OnlineRegressor:
    """A context whose points are dicts of named features, in any units, for as long as they come.

    `features` are the names, in the order of the model's x; without, those of the first dict in the order of names.
    `x_frame`, `y_frame`, `range` and `window` are a Context's. A model that works in frames, such as 'universal', finds its frame
    from the first 32 observations, and its answers are the prior's until then; it rests on its latest 1,024 observations or
    more, so that it goes on for ever, unless a `window` says otherwise (0: on all of them, as long as they stay in the range) or a
    frame or range is given. Another model takes data in the units of its own training.
    """

    def __init__(
        self, model="universal", features=None, *, threads=1, x_frame=None, y_frame=None, range=None, window=None
    ):
        model = model if isinstance(model, Model) else Model.load(model)
        if window is None:
            window = STREAM_WINDOW if model.frames and x_frame is None and y_frame is None and range is None else 0
        self.context = Context(model, threads=threads, x_frame=x_frame, y_frame=y_frame, range=range, window=window)
        self.features = None if features is None else self._checked(list(features))

    def learn_one(self, x, y):
        """Takes in one observation."""
        self.context.observe(self._point(x), y)

    def predict_one(self, x):
        """The mean."""
        return self.predict_one_with_std(x)[0]

    def predict_one_with_std(self, x):
        """Mean and standard deviation."""
        return self.context.predict(self._point(x))

    def _point(self, x):
        if self.features is None:
            self.features = self._checked(sorted(x))
        try:
            point = [float(x[name]) for name in self.features]
        except KeyError as missing:
            raise Error(f"x has no {missing}; its features are {', '.join(map(repr, self.features))}", "argument") from None
        return point[0] if len(point) == 1 else point

    def _checked(self, features):
        if len(features) != self.context.model.dim_x:
            raise Error(
                f"{len(features)} features ({', '.join(map(repr, features))}) where this model has "
                f"{self.context.model.dim_x} in x",
                "argument",
            )
        return features

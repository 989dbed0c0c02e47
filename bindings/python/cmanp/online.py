"""One observation at a time, as `river` has it: `learn_one` and `predict_one` with dicts.

>>> from cmanp.online import OnlineRegressor
>>> model = OnlineRegressor("gp", features=["hour"])
>>> for hour, value in (0.1, 1.0), (0.2, 1.1), (0.3, 1.2):
...     model.learn_one({"hour": hour}, value)
>>> round(model.predict_one({"hour": 0.25}), 1)
1.2
"""

from ._cmanp import Context
from ._error import Error


class OnlineRegressor:
    """A context whose points are dicts of named features, in the units of the model.

    `features` are the names, in the order of the model's x; without, those of the first dict in the order of names.
    `x_frame`, `y_frame`, `range` and `window` are a Context's: they bring data of other units to the model's. One that works in
    frames, such as 'universal', finds them from its first 32 observations, and its answers are the prior's until then; with a
    `window` it rests on its latest observations, and goes on for ever.
    """

    def __init__(self, model="gp", features=None, *, threads=1, x_frame=None, y_frame=None, range=None, window=0):
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

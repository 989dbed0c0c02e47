"""A scikit-learn estimator whose training was done before: fitting it is one pass over the data.

>>> import numpy
>>> from cmanp.sklearn import NeuralProcessRegressor
>>> X = numpy.linspace(0, 10, 200).reshape(-1, 1)
>>> regressor = NeuralProcessRegressor().fit(X, numpy.sin(X[:, 0]))
>>> mean, std = regressor.predict([[5.0]], return_std=True)
>>> mean.shape, std.shape
((1,), (1,))
"""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted, check_random_state

from ._cmanp import Context, Model
from ._points import frame_for, times_as_seconds

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator, *data, **options):
        return estimator._validate_data(*data, **options)


class NeuralProcessRegressor(RegressorMixin, BaseEstimator):
    """Predictions with uncertainty by a trained neural process.

    Parameters
    ----------
    model : str, path or cmanp.Model, default="universal"
        What was trained: its numbers in x and y are those of X and y.
    units : "fit", "model", default="fit"
        "fit": the first data that are seen set the scale, so that they fill what the model knows: by robust statistics for
        a model that works in frames, such as "universal"; else [-2, 2] in x, mean 0 and deviation 1 in y. "model": X and y
        are in the units of the model's own training.
    threads : int, default=1
    block : int, default=5
        The largest number of points that a model predicts jointly, and that `sample_y` draws at once.

    Attributes
    ----------
    context_ : cmanp.Context
        All that was seen; `context_.frame` is the scale.
    n_features_in_ : int
        Numbers in a row of X; times, in a column of a pandas frame, are seconds since 1970.
    """

    def __init__(self, model="universal", *, units="fit", threads=1, block=5):
        self.model = model
        self.units = units
        self.threads = threads
        self.block = block

    def fit(self, X, y):
        """Forgets what was seen, and takes in all of X and y."""
        for name in ("context_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                delattr(self, name)
        return self.partial_fit(X, y)

    def partial_fit(self, X, y):
        """Takes in more. The state does not grow; nothing seen before is seen again."""
        first = not hasattr(self, "context_")
        X, y = validate_data(
            self, times_as_seconds(X), y, reset=first, accept_sparse=False, dtype=np.float64, y_numeric=True, multi_output=True
        )
        y = np.asarray(y, np.float64)
        if first:
            model = self.model if isinstance(self.model, Model) else Model.load(self.model)
            self._check_fits(model, X, y)
            if self.units not in ("fit", "model"):
                raise ValueError(f"units is 'fit' or 'model', not {self.units!r}")
            self.context_ = Context(model, threads=self.threads, block=self.block, **self._frame(model, X, y))
        self._check_fits(self.context_.model, X, y)
        self.context_.observe(X, y)
        return self

    def predict(self, X, return_std=False):
        """The mean at each row of X; with `return_std`, the standard deviation as well."""
        X = self._rows(X)
        mean, std = self.context_.predict(X)
        return (mean, std) if return_std else mean

    def sample_y(self, X, n_samples=1, random_state=0):
        """Functions that fit what was seen, at the rows of X: shape (n_rows, n_samples), as a Gaussian process has it."""
        X = self._rows(X)
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        return np.moveaxis(self.context_.sample(X, n_samples, seed=seed), 0, -1)

    def log_likelihood(self, X, y):
        """Of points that were not seen: mean per point, in the units of the data."""
        X = self._rows(X)
        return self.context_.score(X, check_array(y, ensure_2d=False, dtype=np.float64))

    def _frame(self, model, X, y):
        if self.units == "model":
            own = (-2.0, 2.0)  # for what lies there in the model's own units
            return {"x_frame": [own] * model.dim_x, "y_frame": [own] * model.dim_y} if model.frames else {}
        frame = frame_for(model, X, y.reshape(len(y), -1))
        return {"x_frame": frame.x, "y_frame": frame.y}

    def _rows(self, X):
        check_is_fitted(self, "context_")
        return validate_data(self, times_as_seconds(X), reset=False, accept_sparse=False, dtype=np.float64)

    @staticmethod
    def _check_fits(model, X, y):
        channels = 1 if y.ndim == 1 else y.shape[1]
        if (X.shape[1], channels) != (model.dim_x, model.dim_y):
            raise ValueError(
                f"X has {X.shape[1]} columns and y has {channels}; this model knows {model.dim_x} in x and "
                f"{model.dim_y} in y"
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.regressor_tags.poor_score = True
        return tags

    def _more_tags(self):  # the same before scikit-learn 1.6
        return {"multioutput": True, "poor_score": True}

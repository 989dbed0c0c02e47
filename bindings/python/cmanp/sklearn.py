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
from ._points import STREAM_WINDOW, frame_options, refuse_masked, times_as_seconds

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
        "fit": the data set the scale. A model that works in frames, such as "universal", finds it as a Context does, with
        seasons and the check of widths; of another, the first data that are seen fill [-2, 2] in x, and have mean 0 and
        deviation 1 in y. "model": X and y are in the units of the model's own training.
    window : int, default=1024
        Of a model that works in frames, what a regressor rests on that begins with `partial_fit`, as a stream does: its latest
        rows, so many to twice as many, and its scale goes with them, for ever. 0: on all of them, in the scale of the
        first 32 or of a first call with more, and x is to stay within ten times their width. `fit` has no window.
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

    def __init__(self, model="universal", *, units="fit", window=STREAM_WINDOW, threads=1, block=5):
        self.model = model
        self.units = units
        self.window = window
        self.threads = threads
        self.block = block

    def fit(self, X, y):
        """Forgets what was seen, and takes in all of X and y: all that there is, but for what `partial_fit` adds."""
        for name in ("context_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                delattr(self, name)
        return self._observe(X, y, whole=True)

    def partial_fit(self, X, y):
        """Takes in more. The state does not grow; nothing seen before is seen again. Without a `fit` before, a stream begins,
        whose first 32 rows find the scale (see `window`): until then, answers are wide."""
        return self._observe(X, y)

    def _observe(self, X, y, whole=None):
        first = not hasattr(self, "context_")
        refuse_masked(y, "y")
        X, y = validate_data(
            self, self._numbers(X), y, reset=first, accept_sparse=False, dtype=np.float64, y_numeric=True, multi_output=True
        )
        y = np.asarray(y, np.float64)
        model = self._model() if first else self.context_.model
        self._check_fits(model, X, y)
        context = self._open(model, X, y, 0 if whole else self.window) if first else self.context_
        context.observe(X, y, whole=whole)
        self.context_ = context
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
        refuse_masked(y, "y")
        return self.context_.score(X, check_array(y, ensure_2d=False, dtype=np.float64))

    def _model(self):
        return self.model if isinstance(self.model, Model) else Model.load(self.model)

    def _open(self, model, X, y, window):
        if self.units not in ("fit", "model"):
            raise ValueError(f"units is 'fit' or 'model', not {self.units!r}")
        if self.units == "fit":
            options = {"window": window if model.frames else 0, **frame_options(model, X, y.reshape(len(y), -1))}
        else:
            own = (-2.0, 2.0)  # for what lies there in the model's own units
            options = {"x_frame": [own] * model.dim_x, "y_frame": [own] * model.dim_y} if model.frames else {}
        return Context(model, threads=self.threads, block=self.block, **options)

    def _rows(self, X):
        check_is_fitted(self, "context_")
        return validate_data(self, self._numbers(X), reset=False, accept_sparse=False, dtype=np.float64)

    @staticmethod
    def _numbers(X):
        refuse_masked(X, "X")
        return times_as_seconds(X)

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

"""pandas: a series or a frame goes in with its index as x, times among them, and comes back as a frame.

>>> import pandas
>>> from cmanp import frames
>>> days = pandas.date_range("2026-01-01", periods=60, freq="D")
>>> readings = pandas.Series([i % 7 + 20.0 for i in range(60)], days, name="temperature")
>>> signal = frames.Signal().observe(readings)
>>> answer = signal.predict(days[-3:] + pandas.Timedelta(hours=12))
>>> list(answer.columns), str(answer.index[0])
(['mean', 'std'], '2026-02-27 12:00:00')
"""

import numpy as np
import pandas as pd

from ._cmanp import Context, Model
from ._error import Error
from ._points import frame_for, frame_options, refuse_masked, seconds_of


class Signal:
    """One column over its index, in the index's own units: numbers, or times of any zone or none.

    The first readings are taken for all that there is, and set the scale (the frame of `context`, which there is from then on),
    with what comes again in them; more may follow within ten times their width. Of a stream, a `window` is how many of the
    latest readings it rests on, at least: the scale goes with them, for ever, and answers are wide until there are 32. `extent`,
    a pair of index values, sets the scale of x beforehand, for a stream that begins with few readings and has an end; such a
    scale has neither seasons nor the check of widths. Missing values (NaN, NaT) are left out.
    """

    def __init__(self, model="universal", *, extent=None, window=0, threads=1, block=5):
        self.model = model if isinstance(model, Model) else Model.load(model)
        if (self.model.dim_x, self.model.dim_y) != (1, 1):
            raise Error("a signal needs a model with 1 in x and 1 in y", "wrong_model")
        if window and not self.model.frames:
            raise Error("a window needs a model that works in frames, such as 'universal'", "wrong_model")
        if window and extent is not None:
            raise Error("extent and window do not go together: the scale goes with the window", "argument")
        self.context = None
        self._options = {"threads": threads, "block": block, "window": window}
        self._extent = extent
        self._kind = None  # of the index
        self.name = None

    def observe(self, readings):
        """Takes in a Series, or a frame of one column."""
        series = _series_of(readings).dropna()
        series = series[~series.index.isna()]
        if series.empty:
            return self
        x, y = self._numbers(series.index), series.to_numpy(np.float64)
        if self.context is not None:
            self.context.observe(x, y)
            return self
        context = Context(self.model, **self._options, **self._frame(x, y))
        context.observe(x, y, whole=not self._options["window"])
        self.context, self.name = context, series.name
        return self

    def predict(self, index):
        """A frame of mean and std over any index of the same kind, or at one place, in the units of the readings."""
        index = _index_of(index)
        mean, std = self._seen().predict(self._numbers(index))
        return pd.DataFrame({"mean": mean, "std": std}, index)

    def sample(self, index, draws=1, seed=0):
        """A frame of one column a draw."""
        index = _index_of(index)
        return pd.DataFrame(self._seen().sample(self._numbers(index), draws, seed=seed).T, index)

    def _seen(self):
        if self.context is None:
            raise Error("nothing was observed yet: there is no scale", "argument")
        return self.context

    def _frame(self, x, y):
        if self._extent is None:
            return frame_options(self.model, x, y)
        return {"x_frame": self._numbers(_index_of(self._extent)), "y_frame": frame_for(self.model, x, y).y}

    def _numbers(self, index):
        kind = _kind_of(index)
        if self._kind not in (None, kind):
            raise Error(f"the index holds {kind}, and the one before {self._kind}", "argument")
        numbers = (index if kind == _NUMBERS else seconds_of(index)).to_numpy(np.float64)
        self._kind = kind
        return numbers


_NUMBERS = "numbers"


def _kind_of(index):
    if isinstance(index, pd.DatetimeIndex):
        return "times without a zone" if index.tz is None else "times of a zone"
    if not pd.api.types.is_numeric_dtype(index.dtype):
        advice = "index.to_timestamp()" if isinstance(index, pd.PeriodIndex) else "pandas.to_datetime(index)"
        raise Error(f"the index holds {index.dtype}; x is its numbers or times ({advice} makes times)", "argument")
    return _NUMBERS


def _index_of(places):
    if isinstance(places, pd.Index):
        return places
    refuse_masked(places, "index")
    return pd.Index([places] if pd.api.types.is_scalar(places) else places)


def _series_of(readings):
    if isinstance(readings, pd.DataFrame):
        if readings.shape[1] != 1:
            raise Error(f"the frame has {readings.shape[1]} columns; a signal has one", "argument")
        return readings.iloc[:, 0]
    if not isinstance(readings, pd.Series):
        raise Error(f"give a pandas Series with its places as the index, not {type(readings).__name__}", "argument")
    return readings

"""pandas: a series or a frame goes in with its index as x, times among them, and comes back as a frame.

>>> import pandas
>>> from cmanp import frames
>>> days = pandas.date_range("2026-01-01", periods=60, freq="D")
>>> readings = pandas.Series([i % 7 + 20.0 for i in range(60)], days, name="temperature")
>>> signal = frames.Signal("gp").observe(readings)
>>> answer = signal.predict(days[-3:] + pandas.Timedelta(hours=12))
>>> list(answer.columns), str(answer.index[0])
(['mean', 'std'], '2026-02-27 12:00:00')
"""

import numpy as np
import pandas as pd

from ._cmanp import Context
from ._error import Error
from ._points import Units


class Signal:
    """One column over its index, in the index's own units: numbers, or times of any zone.

    The first readings set the scale: x fills [-2, 2], y has mean 0 and deviation 1, as the models of functions were
    trained. Missing values (NaN, NaT) are left out. `extent`, a pair of index values, sets the scale of x beforehand: for
    a stream that begins with few readings.
    """

    def __init__(self, model="gp", *, extent=None, threads=1, block=5):
        self.context = Context(model, threads=threads, block=block)
        if (self.context.model.dim_x, self.context.model.dim_y) != (1, 1):
            raise Error("a signal needs a model with 1 in x and 1 in y", "wrong_model")
        self._extent = extent
        self._units = None
        self._times = None
        self.name = None

    def observe(self, readings):
        """Takes in a Series, or a frame of one column."""
        series = _series_of(readings).dropna()
        series = series[~series.index.isna()]
        if series.empty:
            return self
        x, y = self._numbers(series.index), series.to_numpy(np.float64)
        if self._units is None:
            ends = x if self._extent is None else self._numbers(pd.Index(self._extent))
            self._units = Units.fitting(ends, y)
            self.name = series.name
        self.context.observe(self._units.x(x), self._units.y(y))
        return self

    def predict(self, index):
        """A frame of mean and std over any index of the same kind, in the units of the readings."""
        index = index if isinstance(index, pd.Index) else pd.Index(index)
        mean, std = self.context.predict(self._asked(index))
        return pd.DataFrame({"mean": self._units.mean(mean), "std": self._units.std(std)}, index)

    def sample(self, index, draws=1, seed=0):
        """A frame of one column a draw."""
        index = index if isinstance(index, pd.Index) else pd.Index(index)
        drawn = self.context.sample(self._asked(index), draws, seed=seed)
        return pd.DataFrame(self._units.mean(drawn).T, index)

    def _asked(self, index):
        if self._units is None:
            raise Error("nothing was observed yet: there is no scale", "argument")
        return self._units.x(self._numbers(index))

    def _numbers(self, index):
        is_time = isinstance(index, pd.DatetimeIndex)
        if not is_time and not pd.api.types.is_numeric_dtype(index.dtype):
            raise Error(f"the index holds {index.dtype}; x is its numbers or times", "argument")
        if self._times is None:
            self._times = is_time
        elif self._times != is_time:
            raise Error("the index holds " + ("times" if is_time else "numbers") + ", and the one before did not", "argument")
        if not is_time:
            return index.to_numpy(np.float64)
        if index.tz is not None:
            index = index.tz_convert("UTC").tz_localize(None)
        return (index - pd.Timestamp(0)) / pd.Timedelta(seconds=1)


def _series_of(readings):
    if isinstance(readings, pd.DataFrame):
        if readings.shape[1] != 1:
            raise Error(f"the frame has {readings.shape[1]} columns; a signal has one", "argument")
        return readings.iloc[:, 0]
    return readings

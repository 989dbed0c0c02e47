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
from ._points import frame_for, seconds_of


class Signal:
    """One column over its index, in the index's own units: numbers, or times of any zone.

    The first readings set the scale (the frame of `context`, which there is from then on). Missing values (NaN, NaT) are left
    out. `extent`, a pair of index values, sets the scale of x beforehand: for a stream that begins with few readings.
    """

    def __init__(self, model="universal", *, extent=None, threads=1, block=5):
        self.model = model if isinstance(model, Model) else Model.load(model)
        if (self.model.dim_x, self.model.dim_y) != (1, 1):
            raise Error("a signal needs a model with 1 in x and 1 in y", "wrong_model")
        self.context = None
        self._options = {"threads": threads, "block": block}
        self._extent = extent
        self._times = None
        self.name = None

    def observe(self, readings):
        """Takes in a Series, or a frame of one column."""
        series = _series_of(readings).dropna()
        series = series[~series.index.isna()]
        if series.empty:
            return self
        x, y = self._numbers(series.index), series.to_numpy(np.float64)
        if self.context is None:
            frame = frame_for(self.model, x, y)
            if self._extent is not None:
                frame = frame._replace(x=self._numbers(pd.Index(self._extent)))
            self.context = Context(self.model, x_frame=frame.x, y_frame=frame.y, **self._options)
            self.name = series.name
        self.context.observe(x, y)
        return self

    def predict(self, index):
        """A frame of mean and std over any index of the same kind, in the units of the readings."""
        index = index if isinstance(index, pd.Index) else pd.Index(index)
        mean, std = self._seen().predict(self._numbers(index))
        return pd.DataFrame({"mean": mean, "std": std}, index)

    def sample(self, index, draws=1, seed=0):
        """A frame of one column a draw."""
        index = index if isinstance(index, pd.Index) else pd.Index(index)
        return pd.DataFrame(self._seen().sample(self._numbers(index), draws, seed=seed).T, index)

    def _seen(self):
        if self.context is None:
            raise Error("nothing was observed yet: there is no scale", "argument")
        return self.context

    def _numbers(self, index):
        is_time = isinstance(index, pd.DatetimeIndex)
        if not is_time and not pd.api.types.is_numeric_dtype(index.dtype):
            raise Error(f"the index holds {index.dtype}; x is its numbers or times", "argument")
        if self._times is None:
            self._times = is_time
        elif self._times != is_time:
            raise Error("the index holds " + ("times" if is_time else "numbers") + ", and the one before did not", "argument")
        return (seconds_of(index) if is_time else index).to_numpy(np.float64)


def _series_of(readings):
    if isinstance(readings, pd.DataFrame):
        if readings.shape[1] != 1:
            raise Error(f"the frame has {readings.shape[1]} columns; a signal has one", "argument")
        return readings.iloc[:, 0]
    return readings

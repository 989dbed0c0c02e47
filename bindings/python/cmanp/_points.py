"""Data of any units and times, as a model is given them."""

import numpy as np

from ._error import Error
from ._frame import Frame

STREAM_WINDOW = 1024  # observations that a stream rests on, where nobody says otherwise


def frame_options(model, x, y):
    """x_frame and y_frame of a Context for these data: none for a model that works in frames, whose contexts find them, with
    seasons and widths, which frames that are given do not have."""
    return {} if model.frames else dict(zip(("x_frame", "y_frame"), frame_for(model, x, y)))


def frame_for(model, x, y):
    """The Frame that brings these data to what a model knows: its own way of one that works in frames; of another, their
    x fill [-2, 2] and their y have mean 0 and deviation 1, as models of functions were trained."""
    if model.frames:
        return model.find_frame(x, y)
    middle, deviation = np.mean(y, axis=0), np.std(y, axis=0)
    return Frame(_ends(np.min(x, axis=0), np.max(x, axis=0)), _ends(middle - 2 * deviation, middle + 2 * deviation))


def _ends(low, high):
    """Pairs that have some width even where all are equal."""
    width = np.where(high > low, 0.0, np.maximum(2.0, 1e-3 * np.abs(low)))
    return np.stack([low - width, high + width], axis=-1)


def seconds_of(times):
    """Of pandas' times of any zone, since 1970."""
    import pandas as pd

    inner = times.dt if isinstance(times, pd.Series) else times
    if inner.tz is not None:
        times = inner.tz_convert(None)
    return (times - pd.Timestamp(0)) / pd.Timedelta(seconds=1)


def times_as_seconds(table):
    """A table's columns of times as seconds since 1970; anything else as it is."""
    if hasattr(table, "columns") and hasattr(table, "dtypes"):
        from pandas.api.types import is_datetime64_any_dtype as is_time

        if not any(is_time(kind) for kind in table.dtypes):
            return table
        return table.apply(lambda column: seconds_of(column) if is_time(column.dtype) else column)
    if getattr(getattr(table, "dtype", None), "kind", "") == "M":
        return (table - np.datetime64(0, "s")) / np.timedelta64(1, "s")
    return table


def refuse_masked(array, name, advice="leave their rows out of x and y alike (numpy.ma.getmaskarray says which are masked)"):
    """Of NumPy's masked arrays: what lies under a mask is no datum, and conversions would take it for one."""
    if np.ma.is_masked(array):
        masked = np.ma.getmaskarray(array).sum()
        raise Error(f"{name} has {masked} masked of {np.size(array)} values: {advice}", "argument")

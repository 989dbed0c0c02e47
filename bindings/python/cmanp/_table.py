"""Tables for the trainer: files as they are, pandas frames written to one."""

import os
import re

from ._error import Error


def is_table(task):
    """Whether a task is a table: a frame, a path, or text that names a file. Names of tasks have neither dot nor slash."""
    return hasattr(task, "to_csv") or isinstance(task, os.PathLike) or (isinstance(task, str) and bool({".", os.sep} & set(task)))


def file_of(table, path):
    """The table's file: its own, or `path`, to which a frame is written with its index as a column where it has a name or
    holds times. Times are written as ISO 8601 has them, in UTC and with its Z where they have a zone."""
    if not hasattr(table, "to_csv"):
        return os.path.abspath(table)
    import pandas as pd

    if isinstance(table, pd.Series):
        table = table.to_frame(table.name or "value")
    if table.empty:
        raise Error(f"the table has shape {table.shape}: nothing to learn from", "argument")
    if any(table.index.names) or isinstance(table.index, pd.DatetimeIndex):
        table = table.reset_index()
    if not table.columns.is_unique:
        raise Error("columns of the table have the same name", "argument")
    times = [name for name in table.columns if pd.api.types.is_datetime64_any_dtype(table[name])]
    table = table.assign(**{name: _written(table[name]) for name in times})
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    table.to_csv(path, index=False)
    return os.path.abspath(path)


def _written(times):
    zoned = times.dt.tz is not None
    return (times.dt.tz_convert(None) if zoned else times).dt.strftime("%Y-%m-%dT%H:%M:%S.%f" + "Z" * zoned)


def names_zones(file, column):
    """Whether times in this column of a file name their zone, by the first; of a file that pandas cannot read, they do."""
    import pandas as pd

    try:
        first = pd.read_csv(file, usecols=[column], dtype=str, nrows=1)[column].iloc[0]
        return bool(re.search(r":\d\d\S*(Z|[+-]\d\d(:?\d\d)?)$", first.strip()))
    except (OSError, ValueError, IndexError, AttributeError):
        return True

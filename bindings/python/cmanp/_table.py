"""Tables for the trainer: files as they are, pandas frames written to one."""

import os

from ._error import Error


def is_table(task):
    """Whether a task is a table: a frame, a path, or text that names a file. Names of tasks have neither dot nor slash."""
    return hasattr(task, "to_csv") or isinstance(task, os.PathLike) or (isinstance(task, str) and bool({".", os.sep} & set(task)))


def file_of(table, path):
    """The table's file: its own, or `path`, to which a frame is written with its index as a column where it has a name or
    holds times. Times are written as ISO 8601 has them, in UTC where they have a zone."""
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
    table = table.assign(**{name: _utc(table[name]) for name in times})
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    table.to_csv(path, index=False, date_format="%Y-%m-%dT%H:%M:%S.%f")
    return os.path.abspath(path)


def _utc(times):
    return times if times.dt.tz is None else times.dt.tz_convert(None)

"""Dask: partitions are conditioned where they lie, and their states merged in a tree.

>>> import dask.dataframe, pandas
>>> import cmanp, cmanp.dask
>>> frame = pandas.DataFrame({"x": [i / 50 - 1 for i in range(100)]}); frame["y"] = frame.x ** 2
>>> collection = dask.dataframe.from_pandas(frame, npartitions=4)
>>> context = cmanp.dask.condition(collection, "gp-nano", x="x", y="y")
>>> len(context)
100
>>> answers = cmanp.dask.predict(collection, context, x="x").compute()
>>> list(answers.columns), len(answers)
(['mean', 'std'], 100)
"""

import dask
import numpy as np
import pandas as pd

from . import _parallel
from ._cmanp import Context, Model
from ._error import Error


def condition(collection, model, *, x, y, x_frame=None, y_frame=None, range=None, threads=1, fan_in=8, scheduler=None):
    """All points of a Dask DataFrame, as one Context here.

    `x` and `y` name columns: one name, or a list in the order of the model's. The model's content travels to each worker
    once; states come back. The result does not depend on the partitions but for rounding (1e-6). `fan_in` states are
    merged at a time. `scheduler` is Dask's own, where it is not the one that is set or the client's.

    `x_frame`, `y_frame` and `range` are a Context's. Of a model that works in frames, such as 'universal', and without them, the
    frame is found first from a sample of every partition: the collection is computed twice, and the frame depends a little on
    the partitions where they are large.
    """
    model = model if isinstance(model, Model) else Model.load(model)
    parts = collection.to_delayed()
    if not parts:
        raise Error("the collection has no partitions", "argument")
    shared = dask.delayed(model)
    frame = {"x_frame": x_frame, "y_frame": y_frame, "range": range}
    if _parallel.finds_frame(model, frame):
        samples = dask.compute(*[_sample_part(part, x, y) for part in parts], scheduler=scheduler)
        frame.update(_parallel.frame_of(model, samples))
    states = [_condition_part(shared, part, x, y, threads, frame) for part in parts]
    (state,) = dask.compute(_merged(shared, states, fan_in), scheduler=scheduler)
    return Context.from_bytes(model, state, threads=threads)


@dask.delayed
def _sample_part(table, x, y):
    return _parallel.sample_of(_parallel.columns(table, x), _parallel.columns(table, y))


@dask.delayed
def _condition_part(model, table, x, y, threads, frame):
    return _parallel.condition(model, _parallel.columns(table, x), _parallel.columns(table, y), threads, **frame)


def _merged(model, states, fan_in):
    while len(states) > 1:
        states = [_merge_parts(model, states[i : i + fan_in]) for i in range(0, len(states), fan_in)]
    return states[0]


@dask.delayed
def _merge_parts(model, states):
    return _parallel.merge(model, states)


def condition_groups(collection, model, *, by, x, y):
    """One state a group: a Dask DataFrame of the group, its number of points and its state as bytes; each group in a frame
    of its own, of a model that works so.

    Groups are brought together by Dask's shuffle; `cmanp.Context.from_bytes(model, state)` makes a context of one.
    """
    model = model if isinstance(model, Model) else Model.load(model)
    meta = pd.DataFrame({by: pd.Series([], dtype=collection[by].dtype), "points": pd.Series([], dtype="int64"),
                         "state": pd.Series([], dtype=object)})
    return collection.shuffle(by).map_partitions(_groups_of, dask.delayed(model), by, x, y, meta=meta)


def _groups_of(frame, model, by, x, y):
    rows = [(name, len(part), _parallel.condition(model, _parallel.columns(part, x), _parallel.columns(part, y)))
            for name, part in frame.groupby(by)]
    made = pd.DataFrame(rows, columns=[by, "points", "state"])
    return made.astype({by: frame[by].dtype, "points": "int64"})


def predict(collection, context, *, x):
    """A Dask DataFrame of mean and std, partition by partition, with the collection's index."""
    channels = context.model.dim_y
    names = [kind if channels == 1 else f"{kind}{c + 1}" for kind in ("mean", "std") for c in range(channels)]
    meta = pd.DataFrame({name: pd.Series([], dtype=np.float64) for name in names})
    return collection.map_partitions(
        _predict_part, dask.delayed(context.model), dask.delayed(context.to_bytes()), x, names, meta=meta
    )


def _predict_part(frame, model, state, x, names):
    mean, std = Context.from_bytes(model, state).predict(_parallel.columns(frame, x))
    return pd.DataFrame(np.column_stack([mean, std]), frame.index, columns=names)

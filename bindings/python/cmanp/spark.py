"""Spark: the same two functions, by PySpark's mapPartitions and treeReduce."""

from . import _parallel
from ._cmanp import Context, Model
from ._error import Error


def condition(frame, model, *, x, y, threads=1, rows_at_a_time=65536, depth=2):
    """All points of a Spark DataFrame, as one Context here.

    `x` and `y` name columns: one name, or a list in the order of the model's. Partitions are read row by row, so many at a
    time; states are merged in a tree of the given depth.
    """
    model = model if isinstance(model, Model) else Model.load(model)
    names = [*_list(x), *_list(y)]
    width = len(_list(x))
    content = frame.sparkSession.sparkContext.broadcast(model)

    def state_of(rows):
        import itertools

        import numpy as np

        context = Context(content.value, threads=threads)
        while True:
            block = np.array([tuple(row) for row in itertools.islice(rows, rows_at_a_time)], np.float64)
            if not len(block):
                break
            context.observe(block[:, :width], block[:, width:])
        yield context.to_bytes()

    states = frame.select(*names).rdd.mapPartitions(state_of)
    if states.getNumPartitions() == 0:
        raise Error("the frame has no partitions", "argument")
    state = states.treeReduce(lambda one, other: _parallel.merge(content.value, [one, other]), depth)
    return Context.from_bytes(model, state, threads=threads)


def _list(names):
    return [names] if isinstance(names, str) else list(names)

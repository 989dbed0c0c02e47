"""Spark: the same two functions, by PySpark's mapPartitions and treeReduce."""

from . import _parallel
from ._cmanp import Context, Model
from ._error import Error


def condition(frame, model, *, x, y, x_frame=None, y_frame=None, range=None, threads=1, rows_at_a_time=65536, depth=2):
    """All points of a Spark DataFrame, as one Context here.

    `x` and `y` name columns: one name, or a list in the order of the model's. Partitions are read row by row, so many at a
    time; states are merged in a tree of the given depth. `x_frame`, `y_frame` and `range` are a Context's; of a model that works
    in frames, and without them, the frame is found first, from a sample of every partition.
    """
    model = model if isinstance(model, Model) else Model.load(model)
    names = [*_list(x), *_list(y)]
    width = len(_list(x))
    content = frame.sparkSession.sparkContext.broadcast(model)

    def blocks(rows):
        import itertools

        import numpy as np

        while True:
            block = np.array([tuple(row) for row in itertools.islice(rows, rows_at_a_time)], np.float64)
            if not len(block):
                return
            yield block[:, :width], block[:, width:]

    given = {"x_frame": x_frame, "y_frame": y_frame, "range": range}
    table = frame.select(*names).rdd
    if _parallel.finds_frame(model, given):
        samples = table.mapPartitions(lambda rows: [_parallel.sample_of(*block) for block in blocks(rows)]).collect()
        if samples:
            given.update(_parallel.frame_of(model, samples))

    def state_of(rows):
        context = Context(content.value, threads=threads, **given)
        for block in blocks(rows):
            context.observe(*block)
        yield context.to_bytes()

    states = table.mapPartitions(state_of)
    if states.getNumPartitions() == 0:
        raise Error("the frame has no partitions", "argument")
    state = states.treeReduce(lambda one, other: _parallel.merge(content.value, [one, other]), depth)
    return Context.from_bytes(model, state, threads=threads)


def _list(names):
    return [names] if isinstance(names, str) else list(names)

"""What any engine for many machines needs: condition a partition where it lies, and merge two states.

Only states travel: a few hundred kB each, whatever the number of points. States merge where their frames are the same: of a
model that works in frames, it is found from a sample of every partition beforehand.
"""

import numpy as np

from ._cmanp import Context

_SAMPLED = 4096  # points of a partition, at most


def condition(model, x, y, threads=1, **frame):
    """A state, as bytes, of what one partition holds. `frame`: x_frame, y_frame and range, as a Context takes them."""
    context = Context(model, threads=threads, **frame)
    context.observe(x, y, whole=True)
    return context.to_bytes()


def merge(model, states):
    """One state of several, as bytes."""
    states = list(states)
    context = Context.from_bytes(model, states[0])
    for state in states[1:]:
        context.merge(Context.from_bytes(model, state))
    return context.to_bytes()


def finds_frame(model, frame):
    """Whether there has to be a look at the data first."""
    return model.frames and frame["x_frame"] is None and frame["y_frame"] is None


def sample_of(x, y):
    """Points to find a frame by, out of one partition: every so many-th of them, and those at the ends of x."""
    x, y = (np.asarray(part, np.float64).reshape(len(part), -1) for part in (x, y))
    every = 1
    while len(x) > every * _SAMPLED:
        every *= 2
    ends = np.concatenate([x.argmin(axis=0), x.argmax(axis=0)]) if every > 1 else []
    kept = [np.arange(0, len(x), every), np.asarray(ends, int)]
    return every, [(x[rows], y[rows]) for rows in kept]


def frame_of(model, samples):
    """As x_frame and y_frame, of the samples of all partitions."""
    coarsest = max(every for every, _ in samples)
    parts = []
    for every, (points, ends) in samples:
        parts += [tuple(part[:: coarsest // every] for part in points), ends]
    found = model.find_frame(*(np.concatenate(column) for column in zip(*parts)))
    return {"x_frame": found.x, "y_frame": found.y}


def columns(frame, names):
    """Columns of a pandas frame as an array: (n,) of one name, (n, k) of a list of them."""
    return np.ascontiguousarray(frame[names].to_numpy(np.float64))

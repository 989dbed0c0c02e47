"""The two functions that any engine for many machines needs: condition a partition where it lies, and merge two states.

Only states travel: a few hundred kB each, whatever the number of points.
"""

from ._cmanp import Context


def condition(model, x, y, threads=1):
    """A state, as bytes, of what one partition holds."""
    context = Context(model, threads=threads)
    context.observe(x, y)
    return context.to_bytes()


def merge(model, states):
    """One state of several, as bytes."""
    states = list(states)
    context = Context.from_bytes(model, states[0])
    for state in states[1:]:
        context.merge(Context.from_bytes(model, state))
    return context.to_bytes()


def columns(frame, names):
    """Columns of a pandas frame as an array: (n,) of one name, (n, k) of a list of them."""
    import numpy as np

    return np.ascontiguousarray(frame[names].to_numpy(np.float64))

"""What brings data of any units to the scale that a model knows."""

from collections import namedtuple


class Frame(namedtuple("Frame", ["x", "y"])):
    """Two pairs: `x`, from where to where x goes, and `y`, between which nearly all y lie.

    They are what a model knows as -2 and 2. Where it has several numbers in x or y, there is a pair for each.

    >>> import cmanp
    >>> model = cmanp.Model.load("universal")
    >>> frame = model.find_frame([0, 60, 120], [20, 21, 25])
    >>> frame.x
    (0.0, 120.0)
    >>> context = cmanp.Context(model, x_frame=frame.x, y_frame=frame.y)
    """

    __slots__ = ()

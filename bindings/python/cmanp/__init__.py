"""Predictions with uncertainty from endless streams, in constant memory.

>>> import cmanp
>>> context = cmanp.Context("gp")
>>> context.observe([0.4, 0.5], [0.9, 1.0])
>>> mean, std = context.predict(0.45)

`cmanp.sklearn`, `cmanp.online`, `cmanp.frames`, `cmanp.plot`, `cmanp.dask`, `cmanp.spark`, `cmanp.training` and
`cmanp.importing` are loaded when they are first used; what they need, only they need.
"""

from ._cmanp import (
    Agent,
    Context,
    EventForecast,
    EventModel,
    EventStream,
    LogNormalMixture,
    Memory,
    Model,
    __version__,
    complete,
)
from ._error import Error
from ._files import models
from ._frame import Frame

__all__ = [
    "Agent",
    "Context",
    "Error",
    "EventForecast",
    "EventModel",
    "EventStream",
    "Frame",
    "LogNormalMixture",
    "Memory",
    "Model",
    "complete",
    "models",
]

for _name in (Agent, Context, EventForecast, EventModel, EventStream, Frame, LogNormalMixture, Memory, Model,
              complete):
    _name.__module__ = "cmanp"
del _name

_LATER = ("dask", "frames", "importing", "online", "plot", "sklearn", "spark", "training")
_FROM_LATER = {"import_state_dict": "importing", "train": "training"}


def __getattr__(name):
    import importlib

    if name in _LATER:
        return importlib.import_module("." + name, __name__)
    if name in _FROM_LATER:
        return getattr(importlib.import_module("." + _FROM_LATER[name], __name__), name)
    raise AttributeError(f"module 'cmanp' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_LATER, *_FROM_LATER])

"""What pickle calls by name to make objects again: it cannot name functions of an extension."""

from . import _cmanp


def model(*parts):
    return _cmanp._unpickle_model(*parts)


def event_model(*parts):
    return _cmanp._unpickle_event_model(*parts)


def context(*parts):
    return _cmanp._unpickle_context(*parts)


def agent(*parts):
    return _cmanp._unpickle_agent(*parts)


def event_stream(*parts):
    return _cmanp._unpickle_event_stream(*parts)

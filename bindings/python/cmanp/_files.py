"""Where models and programs are: those that came with the package, and those that the environment names."""

import os

from ._error import Error

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_ENDING = ".cmanp"


def _model_folders():
    named = [folder for folder in os.environ.get("CMANP_MODELS", "").split(":") if folder]
    return named + [os.path.join(_PACKAGE, "share", "cmanp", "models")]


def models():
    """Names of the models that are installed, in order.

    They come with the package; folders in the environment variable CMANP_MODELS go before.

    >>> import cmanp
    >>> "gp" in cmanp.models()
    True
    """
    names = set()
    for folder in _model_folders():
        if os.path.isdir(folder):
            names.update(file[: -len(_ENDING)] for file in os.listdir(folder) if file.endswith(_ENDING))
    return sorted(names)


def find_model(name):
    """A model's file, by path or by the name of one that is installed."""
    name = os.fsdecode(name)
    if os.sep in name or os.path.exists(name):
        return os.path.abspath(name)
    for folder in _model_folders():
        for file in (os.path.join(folder, name + _ENDING), os.path.join(folder, name)):
            if name and os.path.isfile(file):
                return file
    there = ", ".join(models())
    raise Error(f"{name!r}: no such file, and no model of that name is installed; there are {there}", "argument")


def program():
    """The command line's program, which comes with the package."""
    return os.path.join(_PACKAGE, "bin", "cmanp")

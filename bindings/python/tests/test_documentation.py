"""docs/python.md does not lie: its examples are run, one after the other, and come out as shown."""

import doctest
import importlib
import os
import re

import pytest

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "python.md")


def test_the_page_runs_as_shown():
    for needed in ("sklearn", "pandas", "dask.dataframe"):
        pytest.importorskip(needed)
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", PAGE, 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("name, needed", [
    ("sklearn", "sklearn"), ("online", None), ("frames", "pandas"), ("plot", "matplotlib"), ("dask", "dask.dataframe"),
    ("training", None),
])
def test_examples_of_modules_run(name, needed):
    if needed:
        pytest.importorskip(needed)
    module = importlib.import_module("cmanp." + name)
    test = doctest.DocTestParser().get_doctest(module.__doc__, {}, module.__name__, None, 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0

"""The notebooks under examples/ run as they are, with short budgets, and are kept with their pictures."""

import glob
import json
import os
import subprocess
import sys

import pytest

import cmanp
from cmanp import training

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
NOTEBOOKS = sorted(glob.glob(os.path.join(ROOT, "examples", "notebooks", "*.ipynb")))


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=os.path.basename)
def test_is_kept_with_its_pictures(path):
    assert os.path.getsize(path) < 300_000
    with open(path, encoding="utf-8") as file:
        outputs = [output for cell in json.load(file)["cells"] for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not [output for output in outputs if output["output_type"] == "error"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=os.path.basename)
def test_runs(path):
    for needed in ("nbclient", "ipykernel", "pandas", "sklearn", "matplotlib", "distributed"):
        pytest.importorskip(needed)
    if "prior_of_your_own" in path:
        try:
            training.program()
        except cmanp.Error as error:
            pytest.skip(str(error))
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "run_notebooks"), os.path.basename(path)],
                          capture_output=True, text=True, env={**os.environ, "CMANP_QUICK": "1"})
    assert done.returncode == 0, done.stderr[-3000:]
    assert "cells ran" in done.stdout

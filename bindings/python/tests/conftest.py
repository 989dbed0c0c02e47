import numpy as np
import pytest

import cmanp


def wave(x):
    return np.sin(3 * x)


@pytest.fixture
def points():
    x = np.linspace(-2, 2, 300)
    return x, wave(x)


@pytest.fixture
def context(points):
    seen = cmanp.Context("gp-nano")
    seen.observe(*points)
    return seen

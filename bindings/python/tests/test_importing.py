"""State dicts from memory: the numbers of the public implementation."""

import json
import os
import struct

import numpy as np
import pytest

import cmanp

GOLDEN = os.path.join(os.path.dirname(__file__), "..", "..", "..", "tests", "golden", "data")


def read_golden(name):
    """A state dict of arrays, its configuration, and what the public implementation answers."""
    with open(os.path.join(GOLDEN, name + ".safetensors"), "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    config = json.loads(header.pop("__metadata__")["config"])
    state = {}
    for key, entry in header.items():
        begin, end = entry["data_offsets"]
        state[key] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    with open(os.path.join(GOLDEN, name + ".json"), encoding="utf-8") as file:
        return state, config, json.load(file)


class Tensor:
    """As PyTorch's has it."""

    def __init__(self, array):
        self.array = array

    def detach(self):
        return self

    cpu = float = detach

    def numpy(self):
        return self.array


def test_answers_as_the_public_implementation(tmp_path):
    state, config, expected = read_golden("cmanp-small")
    model = cmanp.import_state_dict(state, config)
    assert (model.dim_x, model.dim_y, model.path) == (2, 2, None)
    for i, x in enumerate(expected["context_x"]):
        context = cmanp.Context(model)
        context.observe(x, expected["context_y"][i])
        mean, std = context.predict(expected["target_x"][i])
        np.testing.assert_allclose(mean, expected["mean"][i], atol=2e-4)
        np.testing.assert_allclose(std, expected["std"][i], atol=2e-4)
    kept = tmp_path / "kept.cmanp"
    tensors = {"module." + name: Tensor(array) for name, array in state.items()}
    assert cmanp.import_state_dict(tensors, config, path=kept) is model and kept.exists()
    state, config, _ = read_golden("cmanpand-small")
    assert cmanp.import_state_dict(state, config, model="cmanpand").kind == "cmanpand"


def test_two_channels_have_an_axis():
    state, config, expected = read_golden("cmanp-small")
    context = cmanp.Context(cmanp.import_state_dict(state, config))
    context.observe(expected["context_x"][0], expected["context_y"][0])
    x = np.array(expected["target_x"][0])
    mean, std = context.predict(x)
    assert mean.shape == std.shape == (len(x), 2)
    assert context.predict(x[0])[0].shape == (2,)
    assert context.sample(x, 3).shape == (3, len(x), 2)
    assert context.predict_joint(x[:2])[1].shape == (4, 4)
    with pytest.raises(cmanp.Error, match=r"y has shape \(3,\)"):
        context.observe(x[:3], [1, 2, 3])


def test_mistakes_are_told():
    state, config, _ = read_golden("cmanp-small")
    missing = dict(list(state.items())[1:])
    for wrong, words in ((None, "state is a dict"), ({}, "state is a dict"), ({"a": [1, 2]}, "floating-point"),
                         (missing, "state")):
        with pytest.raises(cmanp.Error, match=words):
            cmanp.import_state_dict(wrong, config)
    with pytest.raises(cmanp.Error):
        cmanp.import_state_dict(state, {**config, "nhead": 3})

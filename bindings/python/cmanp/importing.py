"""Weights of the public PyTorch implementation, straight from memory."""

import json
import os
import struct
import subprocess
import tempfile
from collections.abc import Mapping

import numpy as np

from . import _files
from ._cmanp import Model
from ._error import Error


def import_state_dict(state, config, *, model="cmanp", path=None):
    """A Model of a state dict: names to PyTorch tensors or arrays, on any device.

    `config` is what the network was made with (dim_x, dim_y, d_model, nhead, ...), `model` 'cmanp' or 'cmanpand'. With
    `path`, the model is kept there as a file. PyTorch is not imported.
    """
    if not isinstance(state, Mapping) or not state:
        raise Error("state is a dict of names to tensors, such as network.state_dict()", "argument")
    tensors = {name.removeprefix("module."): _array(name, tensor) for name, tensor in state.items()}
    metadata = {"format": "reference-state-dict", "model": model, "task": "imported", "config": json.dumps(config)}
    with tempfile.TemporaryDirectory(prefix="cmanp-import-") as folder:
        source = os.path.join(folder, "state_dict.safetensors")
        target = os.path.join(folder, "model.cmanp") if path is None else os.path.abspath(path)
        _write_safetensors(source, metadata, tensors)
        done = subprocess.run([_files.program(), "import", source, "--output", target], capture_output=True, text=True)
        if done.returncode != 0:
            raise Error(done.stderr.strip().rpartition("error: ")[2].replace(source, "state"))
        if path is not None:
            return Model.load(target)
        with open(target, "rb") as file:
            return Model.from_bytes(file.read())


def _array(name, tensor):
    if hasattr(tensor, "detach"):  # PyTorch's
        tensor = tensor.detach().cpu().float().numpy()
    array = np.asarray(tensor)
    if array.dtype.kind != "f":
        raise Error(f"state[{name!r}] holds {array.dtype}, not floating-point numbers", "argument")
    return np.asarray(array, "<f4", order="C")


def _write_safetensors(path, metadata, tensors):
    header, offset = {"__metadata__": metadata}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(array.tobytes())

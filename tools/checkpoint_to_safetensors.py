#!/usr/bin/env python3
"""Turns a PyTorch checkpoint of the public implementation into the safetensors file that `cmanp import` takes.

The checkpoint is what its training writes, results/<task>/<model>/<expid>/ckpt.tar (a dictionary with the state dict
under 'model'), or a bare state dict. The configuration is the model's configs/<task>/<model>.yaml; an args.yaml beside
the checkpoint, which training leaves there, overrides it, and --set overrides both.
"""

import argparse
import json
import os
import pathlib
import struct
import sys

EXAMPLE = """example:
  checkpoint_to_safetensors.py results/gp/cmanp/run1/ckpt.tar --config configs/gp/cmanp.yaml -o cmanp-gp.safetensors
  cmanp import cmanp-gp.safetensors -o cmanp-gp.model
"""


class Failure(Exception):
    """What is wrong and where, for the user."""


def parse_value(text):
    """A scalar of YAML; None as Python spells it, which the public configurations use, is null, too."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    words = {"true": True, "false": False, "null": None, "none": None, "~": None, "": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def parse_flat_yaml(text, name, strict=True):
    """Lines of `key: value`. What is more than that is refused, or passed over where not strict."""
    values = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.split(" #")[0].rstrip()
        if not line or line.startswith(("#", "---")):
            continue
        key, colon, value = line.partition(":")
        flat = colon and key == key.strip() and not line.startswith("- ") and (not value or value[0] == " ")
        if flat:
            values[key] = parse_value(value.strip())
        elif strict:
            raise Failure(f"{name}:{number}: only lines of the form 'key: value' are read")
    return values


def read_configuration(path, checkpoint, settings):
    config = parse_flat_yaml(path.read_text(encoding="utf-8"), path)
    arguments = checkpoint.parent / "args.yaml"
    if arguments.is_file():
        for key, value in parse_flat_yaml(arguments.read_text(encoding="utf-8"), arguments, strict=False).items():
            if key in config and value is not None and value != config[key]:
                print(f"{arguments}: {key} is {value}, not {config[key]}", file=sys.stderr)
                config[key] = value
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise Failure(f"--set {setting}: must be key=value")
        config[key] = parse_value(value)
    return config


def load_tensors(path, trust):
    """The checkpoint's tensors as name -> (shape, little-endian float32 bytes)."""
    try:
        import torch
    except ImportError as error:
        raise Failure("reading a checkpoint needs PyTorch: install it (Debian: apt-get install python3-torch; "
                      "elsewhere: pip install torch), or run this where it is") from error
    try:
        # Only tensors and plain values: unpickling all else could run code that the file brings along.
        checkpoint = torch.load(path, map_location="cpu", **({} if trust else {"weights_only": True}))
    except Exception as error:
        hint = "" if trust else " (if you trust where it comes from, try --trust)"
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise Failure(f"{path}: not a checkpoint that can be read{hint}: {reason}") from error

    state = checkpoint.get("model", checkpoint) if isinstance(checkpoint, dict) else None
    if not isinstance(state, dict) or not state:
        raise Failure(f"{path}: holds no state dict, neither under 'model' nor by itself")
    tensors = {}
    for name, tensor in state.items():
        if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point():
            raise Failure(f"{path}: '{name}' is not a tensor of floating-point numbers")
        name = name[len("module."):] if name.startswith("module.") else name
        array = tensor.detach().to(torch.float32).contiguous().numpy()
        tensors[name] = (list(tensor.shape), array.astype("<f4", copy=False).tobytes())
    return tensors


def write_safetensors(path, metadata, tensors):
    """Replaces the file only once the new one is whole."""
    header, offset = {"__metadata__": metadata}, 0
    for name, (shape, data) in sorted(tensors.items()):
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(aside, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for _, (_, data) in sorted(tensors.items()):
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=pathlib.Path, help="ckpt.tar, or a file with a bare state dict")
    parser.add_argument("--config", type=pathlib.Path, required=True, metavar="YAML", help="configs/<task>/<model>.yaml")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="the safetensors file to write")
    parser.add_argument("--model", help="the model's name (default: the name of the configuration file)")
    parser.add_argument("--task", help="the task's name (default: the name of the configuration's folder)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings",
                        help="a value of the configuration that was changed on training's command line; repeatable")
    parser.add_argument("--trust", action="store_true", help="unpickle anything the checkpoint holds, code included "
                        "(PyTorch 1.x needs this for checkpoints that hold an optimiser)")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    try:
        config = read_configuration(options.config, options.checkpoint, options.settings)
        if not options.checkpoint.is_file():
            raise Failure(f"{options.checkpoint}: no such file")
        tensors = load_tensors(options.checkpoint, options.trust)
        metadata = {"format": "reference-state-dict", "model": options.model or options.config.stem,
                    "task": options.task or options.config.resolve().parent.name, "config": json.dumps(config)}
        write_safetensors(options.output, metadata, tensors)
    except (Failure, OSError, UnicodeDecodeError) as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    print(f"{options.output}: {len(tensors)} tensors of {metadata['model']}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

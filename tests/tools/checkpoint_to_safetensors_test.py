"""The converter of checkpoints: its parts by themselves and, where PyTorch is installed, all of it on real files."""

import contextlib
import importlib.util
import io
import json
import pathlib
import stat
import struct
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT.parent / "shared" / "golden"
SPECIFICATION = importlib.util.spec_from_file_location("converter", ROOT / "tools" / "checkpoint_to_safetensors.py")
converter = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(converter)

try:
    import torch
except ImportError:
    torch = None
needs_torch = unittest.skipIf(torch is None, "PyTorch is not installed")

CONFIG = "dim_x: 1\nd_model: 64 # width\ndropout: 0.0\nbound_std: True\nCMAB_block_size: None\ncov_approx: 'cholesky'\n"
PARSED = {"dim_x": 1, "d_model": 64, "dropout": 0.0, "bound_std": True, "CMAB_block_size": None,
          "cov_approx": "cholesky"}


def read_safetensors(path):
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    data = raw[8 + length:]
    metadata = header.pop("__metadata__")
    return metadata, {name: (entry["shape"], data[slice(*entry["data_offsets"])]) for name, entry in header.items()}


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.config = self.folder / "gp" / "cmanp.yaml"
        self.config.parent.mkdir()
        self.config.write_text(CONFIG)
        self.checkpoint = self.folder / "ckpt.tar"
        self.output = self.folder / "out.safetensors"

    def run_main(self, *more):
        """Exit code and what went to standard error."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            code = converter.main([str(self.checkpoint), "--config", str(self.config), "-o", str(self.output), *more])
        return code, errors.getvalue()


class Parts(InFolder):
    def test_yaml(self):
        self.assertEqual(converter.parse_flat_yaml("---\n# all of it\n\n" + CONFIG, "c"), PARSED)
        for bad in ("a:\n  b: 1\n", "- a\n", "just text\n", "a:1\n"):
            with self.assertRaisesRegex(converter.Failure, r"^c:\d: only lines of the form 'key: value' are read$"):
                converter.parse_flat_yaml(bad, "c")

    def test_overrides(self):
        (self.folder / "args.yaml").write_text("d_model: 32\nclass_range:\n- 0\n- 10\nexpid: run\nCMAB_block_size: null\n")
        with contextlib.redirect_stderr(io.StringIO()) as notes:
            config = converter.read_configuration(self.config, self.checkpoint, ["dim_x=2", "nhead=8"])
        self.assertEqual(config, {**PARSED, "d_model": 32, "dim_x": 2, "nhead": 8})
        self.assertIn("args.yaml: d_model is 32, not 64", notes.getvalue())
        (self.folder / "args.yaml").unlink()
        with self.assertRaisesRegex(converter.Failure, "--set nhead: must be key=value"):
            converter.read_configuration(self.config, self.checkpoint, ["nhead"])

    def test_writes_what_can_be_read(self):
        tensors = {"b": ([2], bytes(range(8))), "a": ([], b"abcd")}
        converter.write_safetensors(self.output, {"k": "v"}, tensors)
        self.assertEqual(read_safetensors(self.output), ({"k": "v"}, tensors))
        self.assertEqual(struct.unpack("<Q", self.output.read_bytes()[:8])[0] % 8, 0)

    def test_a_failed_write_leaves_the_old_file(self):
        self.output.write_text("old")
        with self.assertRaises(TypeError):
            converter.write_safetensors(self.output, {}, {"a": ([1], b"1234"), "b": ([1], [1.0])})
        self.assertEqual(self.output.read_text(), "old")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["gp", "out.safetensors"])

    def test_says_that_torch_is_missing(self):
        self.checkpoint.write_bytes(b"x")
        with mock.patch.dict(sys.modules, {"torch": None}):
            code, errors = self.run_main()
        self.assertEqual(code, 1)
        self.assertIn("error: reading a checkpoint needs PyTorch: install it", errors)
        self.assertFalse(self.output.exists())

    def test_says_which_file_is_missing(self):
        self.assertEqual(self.run_main(), (1, f"error: {self.checkpoint}: no such file\n"))
        self.config.unlink()
        self.assertIn("No such file or directory", self.run_main()[1])

    def test_help_shows_an_example(self):
        with contextlib.redirect_stdout(io.StringIO()) as text, self.assertRaises(SystemExit) as end:
            converter.main(["--help"])
        self.assertEqual(end.exception.code, 0)
        self.assertIn("cmanp import", text.getvalue())
        self.assertTrue((ROOT / "tools" / "checkpoint_to_safetensors.py").stat().st_mode & stat.S_IXUSR)


@needs_torch
class RealCheckpoints(InFolder):
    def test_checkpoint_with_all_that_training_saves(self):
        layer = torch.nn.Linear(3, 2).double()
        optimiser = torch.optim.Adam(layer.parameters())
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 10)
        state = {"module." + name: value for name, value in layer.state_dict().items()}
        torch.save({"model": state, "optimizer": optimiser.state_dict(), "scheduler": scheduler.state_dict(),
                    "logfilename": "train.log", "step": 7}, self.checkpoint)
        if torch.__version__.startswith("1."):  # cannot read an optimiser's numbers unless it may unpickle anything
            self.assertIn("try --trust", self.run_main()[1])
            self.assertFalse(self.output.exists())
            arguments = ["--trust"]
        else:
            arguments = []
        self.assertEqual(self.run_main(*arguments), (0, f"{self.output}: 2 tensors of cmanp\n"))
        metadata, tensors = read_safetensors(self.output)
        self.assertEqual({**metadata, "config": json.loads(metadata["config"])},
                         {"format": "reference-state-dict", "model": "cmanp", "task": "gp", "config": PARSED})
        self.assertEqual(sorted(tensors), ["bias", "weight"])
        self.assertEqual(tensors["weight"], ([2, 3], layer.weight.detach().float().numpy().tobytes()))

    def test_transposed_tensors_are_written_row_major(self):
        torch.save({"w": torch.arange(6.0).reshape(2, 3).t()}, self.checkpoint)
        self.assertEqual(self.run_main("--model", "cnp", "--task", "t")[0], 0)
        metadata, tensors = read_safetensors(self.output)
        self.assertEqual((metadata["model"], metadata["task"]), ("cnp", "t"))
        self.assertEqual(tensors["w"], ([3, 2], struct.pack("<6f", 0, 3, 1, 4, 2, 5)))

    def test_refusals(self):
        def error_for(content):
            if isinstance(content, bytes):
                self.checkpoint.write_bytes(content)
            else:
                torch.save(content, self.checkpoint)
            code, errors = self.run_main()
            self.assertEqual((code, self.output.exists()), (1, False))
            return errors

        self.assertIn("not a checkpoint that can be read", error_for(b"garbage"))
        self.assertIn("not a checkpoint that can be read", error_for(b""))
        self.assertIn("holds no state dict", error_for([1, 2]))
        self.assertIn("holds no state dict", error_for({"model": {}}))
        self.assertIn("'n' is not a tensor of floating-point numbers", error_for({"n": torch.arange(3)}))
        self.assertIn("--trust", error_for({"model": {"p": pathlib.PurePosixPath("x")}}))

    @unittest.skipUnless((GOLDEN / "cmanp-gp.safetensors").is_file(), "no golden fixtures")
    def test_golden_model_comes_back_as_it_was(self):
        metadata, tensors = read_safetensors(GOLDEN / "cmanp-gp.safetensors")
        config = json.loads(metadata["config"])
        self.config.write_text("".join(f"{key}: {value}\n" for key, value in config.items()))
        state = {name: torch.tensor(struct.unpack(f"<{len(data) // 4}f", data)).reshape(shape)
                 for name, (shape, data) in tensors.items()}
        torch.save({"model": state}, self.checkpoint)
        self.assertEqual(self.run_main()[0], 0)
        again, same = read_safetensors(self.output)
        self.assertEqual(same, tensors)
        self.assertEqual(json.loads(again["config"]), config)


if __name__ == "__main__":
    unittest.main()

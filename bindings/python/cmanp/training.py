"""Training, by the program cmanp-train: a run is a folder, and goes on when Python has ended.

>>> import cmanp
>>> run = cmanp.train("gp", out="runs/mine", preset="nano", steps=2000)     # doctest: +SKIP
>>> run.metrics()[-1]["loss"]                                              # doctest: +SKIP
0.31
>>> context = cmanp.Context(run.export("mine.cmanp"))                       # doctest: +SKIP
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

from . import _files
from ._cmanp import Model
from ._error import Error


def program():
    """cmanp-train: beside the package's own program, by the environment variable CMANP_TRAIN, or on PATH."""
    named = os.environ.get("CMANP_TRAIN")
    beside = os.path.join(os.path.dirname(_files.program()), "cmanp-train")
    found = named or (beside if os.path.exists(beside) else shutil.which("cmanp-train"))
    if not found or not os.access(found, os.X_OK):
        raise Error(
            "training needs the program cmanp-train, built on libtorch (`./quickstart --training` in a clone): put it on "
            "PATH, or name it by CMANP_TRAIN",
            "system",
        )
    return found


def train(task="gp", *, out=None, model="cmanp", wait=True, resume=False, on_metrics=None, **settings):
    """Trains a model on a task, and returns its Run.

    `task` is a name that `cmanp train --task` knows, or a function of your own: `task(random)` draws a batch of functions
    with a NumPy generator and returns (x, y, number of context points), of shapes (tasks, points) or (tasks, points,
    numbers). What it returns should depend on `random` alone; x and y should be of the order of 1. It is asked ahead of
    the trainer's steps, from another thread, and only while the call waits.

    `settings` are the options of `cmanp train`, with _ for -: steps=2000, minutes=5, preset="nano", lr=1e-3, kernel="rbf".
    Without `out`, the run's folder is a new temporary one. With `wait`, the call returns when the run has ended, and tells
    `on_metrics` each line of metrics as it comes; where that returns True, the run is stopped, and can go on later with
    `resume` (and the same function as `task`, where it is one). An exception there, or in the function, stops the run, too,
    before it goes on its way.
    """
    folder = os.fspath(out) if out is not None else tempfile.mkdtemp(prefix="cmanp-run-")
    if not callable(task):
        run = Run(folder, _start(_command(folder, task, model, resume, settings)))
        return run.wait(on_metrics) if wait else run
    if not wait:
        raise Error("a function of yours can make batches only while the call waits", "argument")
    from ._generator import Generator

    with Generator(task) as made:
        told = {"socket": made.path}
        if not resume:
            told.update(inputs=made.inputs, outputs=made.outputs, lowest_x=made.lowest_x, highest_x=made.highest_x,
                        label=uuid.uuid4().hex)
        run = Run(folder, _start(_command(folder, "generator", model, resume, {**told, **settings})))
        try:
            return run.wait(on_metrics)
        except Error:
            if made.error is not None:
                raise made.error from None
            raise


def _command(folder, task, model, resume, settings):
    command = [program(), "train", "--out", folder]
    command += ["--resume"] if resume else ["--task", task, "--model", model]
    for name, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        command += ["--" + name.replace("_", "-"), text]
    return command


def _start(command):
    messages = tempfile.TemporaryFile()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages)
    process.messages = messages
    return process


class Run:
    """A training run in a folder, under way or ended. `Run(folder)` looks at any."""

    def __init__(self, folder, process=None):
        self.folder = os.fspath(folder)
        self._process = process

    @property
    def running(self):
        """Whether the process that this object started is at work."""
        return self._process is not None and self._process.poll() is None

    @property
    def settings(self):
        """As the run keeps them: a dict."""
        return self._read("settings.json", json.load)

    def metrics(self):
        """One dict a line of metrics so far: step, loss, lr, and what evaluations found."""
        return self._read("metrics.jsonl", lambda file: [json.loads(line) for line in file if line.endswith("\n")])

    def frame(self):
        """The same as a pandas frame, by step."""
        import pandas as pd

        return pd.DataFrame(self.metrics()).set_index("step")

    def wait(self, on_metrics=None):
        """Until the run has ended; raises Error with the program's message where it failed."""
        told = 0
        try:
            while self.running:
                time.sleep(0.05)
                told = self._tell(on_metrics, told)
            self._tell(on_metrics, told)
        except BaseException:
            self.stop()
            raise
        self._check()
        return self

    def stop(self):
        """Asks the run to save and end, and waits until it has."""
        if self.running:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()

    def export(self, path):
        """Writes the run's model to a file, for cmanp.Context and the program cmanp; returns it loaded."""
        done = subprocess.run([program(), "export", self.folder, "--output", os.fspath(path)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Error(_message(done.stderr))
        return Model.load(os.path.abspath(path))

    def _tell(self, on_metrics, told):
        if on_metrics is None or not os.path.exists(os.path.join(self.folder, "metrics.jsonl")):
            return told
        lines = self.metrics()
        for line in lines[told:]:
            if on_metrics(line) is True:
                self.stop()
                break
        return len(lines)

    def _check(self):
        code = self._process.returncode if self._process else 0
        if code in (0, 128 + signal.SIGINT):
            return
        self._process.messages.seek(0)
        raise Error(_message(self._process.messages.read().decode(errors="replace")), "argument" if code == 2 else "data")

    def _read(self, name, read):
        path = os.path.join(self.folder, name)
        try:
            with open(path, encoding="utf-8") as file:
                return read(file)
        except OSError as error:
            raise Error(f"{path}: {error.strerror}", "system") from None

    def __repr__(self):
        return f"<cmanp.training.Run {self.folder!r}{', under way' if self.running else ''}>"


def _message(text):
    """What the program said went wrong, without its name."""
    wrong = [line for line in text.splitlines() if "error: " in line]
    return wrong[-1].split("error: ", 1)[1] if wrong else text.strip() or "cmanp-train failed without a word"

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
from collections import namedtuple

from . import _files, _table
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

    `task` is a name that `cmanp train --task` knows; or a table, a pandas frame or the path of a file (docs/tables.md), whose
    columns `group`, `x` and `y` name where they are not to be guessed; or a function of your own: `task(random)` draws a batch of functions
    with a NumPy generator and returns (x, y, number of context points), of shapes (tasks, points) or (tasks, points,
    numbers). What it returns should depend on `random` alone; x and y should be of the order of 1. It is asked ahead of
    the trainer's steps, from another thread, and only while the call waits.

    `settings` are the options of `cmanp train`, with _ for -: steps=2000, minutes=5, preset="nano", lr=1e-3, kernel="rbf";
    a list is an option that stands several times: season=[24, 168].
    Without `out`, the run's folder is a new temporary one. With `wait`, the call returns when the run has ended, and tells
    `on_metrics` each line of metrics as it comes; where that returns True, the run is stopped, and can go on later with
    `resume` (and the same function as `task`, where it is one). An exception there, or in the function, stops the run, too,
    before it goes on its way.
    """
    folder = os.fspath(out) if out is not None else tempfile.mkdtemp(prefix="cmanp-run-")
    if _table.is_table(task):
        settings = settings if resume else {"data": _table.file_of(task, os.path.join(folder, "table.csv")), **settings}
        task = "table"
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
    return command + _flags(settings)


def _flags(settings):
    flags = []
    for name, value in settings.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            flags += ["--" + name.replace("_", "-"), str(one).lower() if isinstance(one, bool) else str(one)]
    return flags


def _answer(verb, *arguments):
    """What the program prints."""
    done = subprocess.run([program(), verb, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Error(_message(done.stderr), "argument" if done.returncode == 2 else "data")
    return done.stdout


Judgement = namedtuple("Judgement", ["measures", "standard_errors", "verdict", "windows", "report"])
Judgement.__doc__ = """How a model of tables does beside simple rivals: `measures` and their `standard_errors` as pandas frames, a
row a measure and a column for the model and each rival; the `verdict` in words; the number of `windows`; the `report`, a page."""


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
        _answer("export", self.folder, "--output", os.fspath(path))
        return Model.load(os.path.abspath(path))

    def forecast(self, data=None, **settings):
        """The next values of every series of a table, by a run of a table: a pandas frame with mean, std and bands.

        `data` is a table with the same columns, by default the run's own. Times that name no zone come back without one,
        others in UTC. `settings` are the options of `cmanp forecast`: horizon=48, plot="pictures".
        """
        import io

        import pandas as pd

        own = self.settings
        if own["task"] != "table":
            raise Error(f"{self.folder}: a run of the task {own['task']!r}, and no table to forecast", "argument")
        with tempfile.TemporaryDirectory(prefix="cmanp-") as folder:
            file = own["data"] if data is None else _table.file_of(data, os.path.join(folder, "table.csv"))
            files = file.split(",")
            text = _answer("forecast", "--model", self.folder, *_flags({"data": files, **settings}))
            table = pd.read_csv(io.StringIO(text))
            x = table.columns[list(table.columns).index("column") - 1]
            if pd.api.types.is_numeric_dtype(table[x]):
                return table
            times = pd.to_datetime(table[x], utc=True)
            return table.assign(**{x: times if _table.names_zones(files[0], x) else times.dt.tz_convert(None)})

    def judge(self, **settings):
        """How the model does on the table's test part beside simple rivals: a Judgement.

        `settings` are the options of `cmanp judge`: rivals="linear,gp", report="page.html", part="validation".
        """
        import pandas as pd

        report = os.fspath(settings.setdefault("report", os.path.join(self.folder, "judge.html")))
        told = json.loads(_answer("judge", self.folder, "--json", *_flags(settings)))
        parts = {what: pd.DataFrame({name: {measure: number[what] for measure, number in numbers.items()}
                                     for name, numbers in told["measures"].items()})
                 for what in ("value", "standard_error")}
        return Judgement(parts["value"], parts["standard_error"], told["verdict"], told["windows"], report)

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

"""Functions made in Python, for the trainer to learn from: a server on a socket that asks the caller's own function."""

import os
import shutil
import socket
import struct
import tempfile
import threading
import traceback

import numpy as np

from ._error import Error
from ._points import refuse_masked


class Generator:
    """Answers the trainer's questions for batches by `make(random)`, which returns (x, y, number of context points).

    x and y have shapes (tasks, points, dim_x) and (tasks, points, dim_y); an axis of one number may be left out.
    """

    def __init__(self, make):
        self._make = make
        self.error = None  # what `make` raised
        x, y, _ = self._batch(0)  # a mistake shows here, before anything is started
        self.inputs, self.outputs = x.shape[2], y.shape[2]
        self.lowest_x, self.highest_x = float(x.min()), float(x.max())

    def __enter__(self):
        self._folder = tempfile.mkdtemp(prefix="cmanp-")
        self.path = os.path.join(self._folder, "generator")
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(self.path)
        self._server.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self):
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                while question := connection.recv(8, socket.MSG_WAITALL):
                    connection.sendall(self._answer(*struct.unpack("<Q", question)))
            except OSError:  # the trainer has ended
                pass

    def _answer(self, seed):
        try:
            x, y, context = self._batch(seed)
            if (x.shape[2], y.shape[2]) != (self.inputs, self.outputs):
                raise Error(f"x and y have {x.shape[2]} and {y.shape[2]} numbers, and had {self.inputs} and {self.outputs}")
        except BaseException as error:  # the caller's own, whatever it is: told here and raised there
            self.error = error
            text = traceback.format_exception_only(type(error), error)[-1].strip().encode()[:1000] or b"?"
            return struct.pack("<4I", 0, 0, 0, len(text)) + text
        parts = (x[:, :context], y[:, :context], x[:, context:], y[:, context:])
        head = struct.pack("<4I", x.shape[0], context, x.shape[1] - context, 0)
        return head + b"".join(np.ascontiguousarray(part, "<f4").tobytes() for part in parts)

    def _batch(self, seed):
        made = self._make(np.random.default_rng(seed))
        try:
            x, y, context = made
        except (TypeError, ValueError):
            raise Error("a generator returns (x, y, number of context points)", "argument") from None
        x, y = _numbers("x", x), _numbers("y", y)
        if x.shape[:2] != y.shape[:2]:
            raise Error(f"x has {x.shape[0]} tasks of {x.shape[1]} points, and y {y.shape[0]} of {y.shape[1]}", "argument")
        context = int(context)
        if not 1 <= context < x.shape[1]:
            raise Error(f"{context} of {x.shape[1]} points are context; from 1 on, and some have to be left", "argument")
        return x, y, context


def _numbers(name, given):
    refuse_masked(given, name)
    array = np.asarray(given, np.float32)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or 0 in array.shape:
        raise Error(f"{name} has shape {np.shape(given)}; give (tasks, points) or (tasks, points, numbers)", "argument")
    if not np.isfinite(array).all():
        raise Error(f"{name} holds numbers that are not finite", "argument")
    return array

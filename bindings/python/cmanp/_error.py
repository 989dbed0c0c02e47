"""The one exception that the library raises."""


class Error(Exception):
    """Bad input, bad files, failed writes: the message says what is wrong, where, and where possible what to do.

    `kind` says what a program can act on: 'argument' (a mistake of the caller), 'data' (numbers or contents of files that
    cannot be used), 'system' (what the system does not give), 'wrong_model' (a state of another model).
    """

    def __init__(self, message, kind="data"):
        super().__init__(message)
        self.kind = kind

    def __reduce__(self):
        return Error, (self.args[0], self.kind)


Error.__module__ = "cmanp"  # as it is used

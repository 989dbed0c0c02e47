"""`python -m cmanp` is the command line."""

import os
import sys

from ._files import program


def main():
    os.execv(program(), ["cmanp", *sys.argv[1:]])


if __name__ == "__main__":
    main()

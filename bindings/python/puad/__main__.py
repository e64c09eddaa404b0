"""The program: `python -m puad fit train.csv ...` is `puad fit train.csv ...`."""
import os
import sys

from ._program import program_path


def main() -> None:
    path = program_path()
    os.execv(path, ["puad", *sys.argv[1:]])


if __name__ == "__main__":
    main()

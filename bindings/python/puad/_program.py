"""The program inside the package, for reports and descriptions of models."""
from __future__ import annotations

import os
import pathlib


def program_path() -> str:
    """The path of the program in this package, or the one in PUAD_PROGRAM."""
    path = os.environ.get("PUAD_PROGRAM") or str(pathlib.Path(__file__).parent / "lib" / "puad")
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path}: the package was built without the program (it needs the headers of cairo); PUAD_PROGRAM names another one")
    return path

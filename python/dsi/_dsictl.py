"""The console script `dsictl`: the program that lies in the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program, with the same arguments."""
    program = Path(__file__).parent / "bin" / "dsictl"
    os.execv(program, ["dsictl", *sys.argv[1:]])

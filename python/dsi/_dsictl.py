"""The console script `dsictl`: the program of the package, and what Arrow does beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Endings of files that pyarrow reads and writes.
ARROW_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".orc")


def main() -> None:
    """Becomes the program, with the same arguments; `convert` of files of Arrow is done here."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["convert"] and any(
        argument.lower().endswith(ARROW_ENDINGS) for argument in arguments[1:]
    ):
        from ._convert import run

        sys.exit(run(arguments[1:]))
    program = Path(__file__).parent / "bin" / "dsictl"
    os.execv(program, ["dsictl", *arguments])

"""The console script `dsictl`: the program of the package, and what Arrow does beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shlex import quote

# Endings of files that pyarrow reads and writes.
ARROW_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".orc")


# Verbs that take rows, each with what does the same for a .dsi file of them.
_OF_ROWS = {
    "schema": "dsictl schema {made}",
    "dedup": "dsictl dedup {made}",
    "overlay": "dsictl overlay BASE {made} -o OUT",
}
_MAGICS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"ORC": "ORC"}


def _format(path: str) -> str:
    """Of a file of Arrow's formats its name; else ''."""
    if not path.lower().endswith(ARROW_ENDINGS) or not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        begin = file.read(8)
    return next((name for magic, name in _MAGICS.items() if begin.startswith(magic)), "")


def _refused(arguments: list[str]) -> str:
    """What to say where a verb that takes rows is given a file of Arrow's formats; else ''.

    The program itself would point to the package, whose program this is.
    """
    verb = arguments[0] if arguments else ""
    if verb not in _OF_ROWS or not {"-h", "--help"}.isdisjoint(arguments):
        return ""
    for path in arguments[1:]:
        name = _format(path)
        if name:
            made = quote(os.path.splitext(path)[0] + ".dsi")
            then = _OF_ROWS[verb].format(made=made)
            return (
                f"dsictl: {path}: {verb} does not read {name}\n"
                f"  hint: make a .dsi file of it: dsictl convert {quote(path)} {made} && {then}"
            )
    return ""


def main() -> None:
    """Becomes the program, with the same arguments; `convert` of files of Arrow is done here."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["convert"] and any(
        argument.lower().endswith(ARROW_ENDINGS) for argument in arguments[1:]
    ):
        from ._convert import run

        sys.exit(run(arguments[1:]))
    refused = _refused(arguments)
    if refused:
        print(refused, file=sys.stderr)
        sys.exit(2)
    program = Path(__file__).parent / "bin" / "dsictl"
    os.execv(program, ["dsictl", *arguments])

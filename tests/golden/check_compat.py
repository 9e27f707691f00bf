#!/usr/bin/env python3
"""Every .dsi file of tests/golden through `dsictl verify`, `dsictl cat` and the reference decoder: all three must take it for the same, and give the same rows.

    tests/golden/check_compat.py DSICTL [FOLDER]
"""
import json
import struct
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "reference"))
from example_files import outcome  # noqa: E402  First: may skip.
from dsi_records import FLOATS  # noqa: E402
from dsi_reference import File  # noqa: E402

STATES = {0: "sound", 1: "damaged", 4: "unsupported"}
BUDGET = 2**24  # Values of the reference decoder: some hostile files state many.


def state_of(code):
    return STATES.get(code, f"exit code {code}")


def reference_state(data):
    found = outcome(data)
    if found == ("Unsupported", "E-005"):
        return "unsupported or damaged"  # F-004: in one node either may be found first.
    return "sound" if found is None else {"Damage": "damaged", "Unsupported": "unsupported"}.get(found[0], found[0])


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


def flat(value, name=""):
    """Members of nested objects under dotted names, as columns have them."""
    if not isinstance(value, dict):
        return {name: value}
    out = {}
    for key, member in value.items():
        out.update(flat(member, f"{name}.{key}" if name else key))
    return out


def plain(value):
    """What JSON has for a value, whoever wrote it."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float):
        return float(value) if value == value and abs(value) != float("inf") else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    return value


def difference(dsictl, path):
    """Why they disagree on a file, or None."""
    data = path.read_bytes()
    verified = subprocess.run([dsictl, "verify", "--quiet", path], capture_output=True, check=False)
    ours, theirs = state_of(verified.returncode), reference_state(data)
    if theirs == "unsupported or damaged" and ours in ("unsupported", "damaged"):
        return None
    if theirs not in STATES.values():
        return None  # Over the budget of the reference decoder, which says nothing then.
    if ours != theirs:
        return f"dsictl says {ours}, the reference decoder {theirs}"
    if ours != "sound":
        return None
    printed = subprocess.run([dsictl, "cat", path], capture_output=True, check=False)
    if printed.returncode != 0:
        return f"dsictl cat: {printed.stderr.decode(errors='replace')}"
    file = File(data)
    single = {c.name for c in file.columns if c.type in FLOATS and c.type == 10}
    columns = [{k: v for k, v in row.items() if v is not None and k != "__position"} for row in file.rows()]
    found = [flat(row) for row in rows_of(printed.stdout.decode("utf-8", "replace"))]
    if len(columns) != len(found):
        return f"dsictl cat gives {len(found)} rows, the reference decoder {len(columns)}"
    for number, (row, stored) in enumerate(zip(found, columns)):
        stored = {k: plain(v) for k, v in stored.items()}
        if set(row) != set(stored):
            return f"row {number}: other features: {set(row) ^ set(stored)}"
        for name, value in stored.items():
            if not same(value, row[name], name in single):
                return f"row {number}, {name}: {row[name]!r}, the reference decoder {value!r}"
    return None


def same(stored, printed, single):
    if isinstance(stored, list):
        return isinstance(printed, list) and len(stored) == len(printed) and all(same(a, b, single) for a, b in zip(stored, printed))
    if single and isinstance(stored, float) and isinstance(printed, (int, float)):  # Printed with the digits that a float32 needs.
        return struct.pack("<f", stored) == struct.pack("<f", printed)
    return stored == printed


def main():
    dsictl, folder = sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else HERE
    paths, failed = sorted(folder.rglob("*.dsi")), 0
    for path in paths:
        why = difference(dsictl, path)
        if why:
            failed += 1
            print(f"{path}: {why}")
    print(f"{len(paths)} files, {failed} of them differ")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())

"""The reference decoder reads every golden file to the rows that went in."""

import json
import os
import struct
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from example_files import FOLDER  # noqa: F401  First: may skip, and puts spec/reference on the path.
from dsi_reference import File
import xxhash  # The decoder needs it, too.

GOLDEN = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2])) / "tests" / "golden" / "valid"
SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def flatten(row, prefix=""):
    flat = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat.update(flatten(value, prefix + key + "."))
        else:
            flat[prefix + key] = value
    return flat


def comparable(value, form):
    """Floats by the bits of their column's type, so that -0.0 differs from 0.0; text as bytes."""
    if isinstance(value, list):
        return [comparable(v, form) for v in value]
    if isinstance(value, str):
        value = SPECIAL[value] if value in SPECIAL and form else value.encode()
    return struct.pack(form, value) if isinstance(value, float) else value


HASHED_BITS = {"tags": 63, "one": 32, "topics.ids": 64, "country": 31, "history.item": 63}


def ids_of(value, bits):
    """S-015, of texts; numbers are ids already."""
    if isinstance(value, list):
        return [ids_of(entry, bits) for entry in value]
    return xxhash.xxh3_64_intdigest(value.encode()) & (1 << bits) - 1 if isinstance(value, str) else value


class GoldenFiles(unittest.TestCase):
    def test_every_golden_file(self):
        paths = sorted(GOLDEN.glob("*.dsi"))
        self.assertGreaterEqual(len(paths), 7)
        for path in paths:
            with self.subTest(path.name):
                file = File(path.read_bytes())
                file.verify()
                forms = {c.name: {10: "<f", 11: "<d"}.get(c.type) for c in file.columns}  # S-011
                names = [name for name in forms if name != "__position"]
                lines = path.with_suffix(".rows.jsonl").read_text().splitlines()
                rows = list(file.rows(names))
                self.assertEqual(len(rows), len(lines))
                for number, (row, line) in enumerate(zip(rows, lines)):
                    want = {k: comparable(v, forms[k]) for k, v in flatten(json.loads(line)).items()}
                    got = {k: comparable(v, forms[k]) for k, v in row.items() if v is not None}
                    self.assertEqual(got, want, f"row {number}")

    def test_ids_of_texts(self):  # S-015
        lines = (GOLDEN / "hashed.input.jsonl").read_text().splitlines()
        rows = File((GOLDEN / "hashed.dsi").read_bytes()).rows(list(HASHED_BITS))
        for line, row in zip(lines, rows, strict=True):
            for name, value in flatten(json.loads(line)).items():
                if name in HASHED_BITS:
                    of = value if isinstance(value, list) else [value]
                    self.assertEqual(row[name], ids_of(of, HASHED_BITS[name]), name)


if __name__ == "__main__":
    unittest.main()

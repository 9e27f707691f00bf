"""Converts tables made from real logs to .dsi and back, and compares every value.

The logs are not part of the project. Where the folder with them is absent the test is skipped.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from rows_equal import first_difference

DSICTL = os.environ.get("DSICTL", "")
SOURCE = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
DATA = SOURCE / ".." / "shared" / "data"
SKIPPED = 77

TABLES = {
    "openbandit": ["--preset", "openbandit"],
    "msnbc": ["--preset", "msnbc", "--update", "event", "--max-rows", "60000"],
    "retail": ["--preset", "retail", "--hash-ids", "--max-rows", "40000"],
}


class RealTablesTest(unittest.TestCase):
    def dsictl(self, *arguments):
        subprocess.run([DSICTL, *map(str, arguments)], check=True, timeout=600)

    def check(self, name):
        with tempfile.TemporaryDirectory() as folder:
            table, dsi, back = (Path(folder) / f"t.{end}" for end in ("jsonl", "dsi", "back.jsonl"))
            subprocess.run([sys.executable, DATA / "make_table.py", *TABLES[name], "--out", table],
                           check=True, stderr=subprocess.DEVNULL)
            self.dsictl("convert", table, dsi, "--keep-position")
            self.dsictl("verify", dsi)
            self.dsictl("convert", dsi, back, "--original-order", "--quiet")
            with open(table) as expected, open(back) as found:
                self.assertIsNone(first_difference(expected, found))

    def test_openbandit(self):
        self.check("openbandit")

    def test_msnbc(self):
        self.check("msnbc")

    def test_retail(self):
        self.check("retail")


if __name__ == "__main__":
    if not DSICTL:
        print("skipped: DSICTL does not name the program")
        sys.exit(SKIPPED)
    if not (DATA / "make_table.py").is_file():
        print("skipped: there is no folder with real logs")
        sys.exit(SKIPPED)
    unittest.main()

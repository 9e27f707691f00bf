"""The reference decoder refuses each file of tests/golden/rules by the rule in its name; and the
files that are made are those that make_rules.py makes (D-001, D-002, D-005, D-013, D-014, F-073).
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from example_files import outcome  # First: may skip.

GOLDEN = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2])) / "tests" / "golden"


class GoldenRules(unittest.TestCase):
    def test_every_file(self):
        paths = sorted((GOLDEN / "rules").glob("*.dsi"))
        self.assertGreaterEqual(len(paths), 40)
        for path in paths:
            with self.subTest(path.name):
                rule, found = path.name.split(".")[0], outcome(path.read_bytes())
                if rule == "found":
                    self.assertIsNotNone(found)
                    continue
                kind = "Unsupported" if ".unsupported." in path.name else "Damage"
                self.assertEqual(found, None if rule == "sound" else (kind, rule))

    def test_files_are_those_made(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, GOLDEN / "make_rules.py", folder], check=True)
            for made in Path(folder).iterdir():
                self.assertEqual(made.read_bytes(), (GOLDEN / "rules" / made.name).read_bytes(), made.name)


if __name__ == "__main__":
    unittest.main()

"""What tests of the command line share: running dsictl in a temporary folder and judging how it ends."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DSICTL = os.environ.get("DSICTL", "")
SKIPPED = 77

OK, DAMAGED, USAGE, IO, UNSUPPORTED, DIFFERENT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

PROFILES = {
    "clicks": ["--rows", "3000"],
    "news": ["--rows", "1500"],
    "visits": ["--rows", "3000"],
    "p3": ["--rows", "120"],
    "wide": ["--rows", "60", "--features", "700"],
    "sweep": ["--rows", "500"],
}


def run(*arguments, **options):
    return subprocess.run([DSICTL, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, **options)


def split_mix(x):
    """S(x, 1) of DO-001."""
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


class CliTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def expect(self, code, *arguments, warns=False, **options):
        """Runs dsictl and checks how it ends: messages only with failures, and always with them;
        warnings where they are expected. Beside a schema it says what was decided for a text."""
        result = run(*arguments, **options)
        said = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, code, f"{arguments}: {said}")
        if code != OK:
            self.assertIn("dsictl: ", said)
        elif warns:
            self.assertIn("dsictl: warning: ", said)
        elif arguments[0] == "schema":
            self.assertNotIn("warning", said, arguments)
        else:
            self.assertEqual(said, "", arguments)
        result.said = said
        return result

    def path(self, name):
        return self.folder / name

    def names(self):
        return sorted(p.name for p in self.folder.iterdir())

    def write(self, name, text):
        data = text.encode() if isinstance(text, str) else text
        self.path(name).write_bytes(data)
        return self.path(name)

    def table(self, profile="clicks"):
        path = self.path(f"{profile}.jsonl")
        self.expect(OK, "generate", "--profile", profile, *PROFILES[profile], "--quiet", path)
        return path

    def dsi(self, profile="clicks", *options):
        path = self.path(f"{profile}.dsi")
        self.expect(OK, "convert", self.table(profile), path, "--keep-position", "--quiet", *options)
        return path

    def state_of(self, folder, batch_size=4096, world=1, handed_out=0, order=None):
        """A file with a state of a scan of a folder (spec/dataset-order.md, DO-014), with all that is left."""
        known = self.json("inspect", f"{folder}/")
        rows = known["rows"]
        order = {"unit": "none", "seed": "7", "epoch": "0", "block_rows": 1, "mixing_rows": 0,
                 "mix": "sessions", **(order or {})}
        return self.write("state.json", json.dumps({
            "dsi_scan_state": 1, "snapshot": known["snapshot"], "num_rows": rows,
            "rows": f"{split_mix(split_mix(0) ^ rows):016x}", "order": order,
            "batch_size": batch_size, "drop_last": False, "world": world, "remainder": "drop",
            "handed_out": handed_out, "left": [[0, -(-rows // batch_size)]]}))

    def json(self, *arguments):
        return json.loads(self.expect(OK, *arguments, "--json").stdout)


def main():
    if not DSICTL:
        print("skipped: DSICTL does not name the program")
        sys.exit(SKIPPED)
    unittest.main()

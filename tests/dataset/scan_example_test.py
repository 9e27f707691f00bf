"""examples/scan_dataset.cc: what it stopped at it goes on with, and ranks share the batches."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(os.environ.get("DSI_BUILD_DIR", "")) / "bin" / "example_scan_dataset"
DSICTL = os.environ.get("DSICTL", "")
ROWS = 3000  # Of each file.


class ScanExampleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "d").mkdir()
        for seed in ("1", "2"):
            text = self.folder / "t.jsonl"
            subprocess.run([DSICTL, "generate", "--rows", str(ROWS), "--seed", seed, "--force", "-q", text], check=True)
            subprocess.run([DSICTL, "convert", text, self.folder / "d" / f"{seed}.dsi", "--stripe-rows", "700", "-q"], check=True)
        steps = [{"output": "recent", "op": "firstx", "inputs": ["user.hist_item"], "n": 5},
                 {"output": "hashed", "op": "sigrid_hash", "inputs": ["recent"], "salt": 1, "max": 1000}]
        (self.folder / "p.json").write_text(json.dumps({"version": 1, "steps": steps}))

    def run_it(self, *most, state="state", output="hashed", rank=0, world=1, code=0):
        result = subprocess.run([PROGRAM, self.folder / "d", self.folder / "p.json", output, self.folder / state, *most],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                                env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world)})
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout.splitlines() if code == 0 else result.stderr

    def test_goes_on_where_it_stopped(self):
        whole = self.run_it(state="unused")
        self.assertEqual(sum(int(line.split()[0]) for line in whole), 2 * ROWS)
        first = self.run_it("8")
        self.assertEqual(first, whole[:8])
        # Stops after two more batches than it saves: they come again.
        self.assertEqual(self.run_it("6"), whole[8:14])
        self.assertEqual(self.run_it(), whole[12:])

    def test_ranks_share_the_batches_also_when_their_number_changes(self):
        whole = self.run_it(state="unused")
        seen = []
        for rank in (1, 0):  # The first saves: the other goes first.
            seen += self.run_it("4", rank=rank, world=2)
        rest = []
        saved = (self.folder / "state").read_text()
        for rank in range(4):
            (self.folder / "state").write_text(saved)
            rest += self.run_it(rank=rank, world=4)
        self.assertEqual(len(seen) + len(rest), len(whole))
        self.assertEqual(sorted(seen + rest), sorted(whole))

    def test_what_cannot_be_is_said(self):
        self.assertIn("hashd", self.run_it(output="hashd", code=1))
        (self.folder / "state").write_text("{}")
        self.assertIn("state", self.run_it(code=1))
        self.assertIn("usage", subprocess.run([PROGRAM], stderr=subprocess.PIPE, text=True).stderr)


if __name__ == "__main__":
    if not PROGRAM.is_file() or not DSICTL:
        print("skipped: no examples were built")
        sys.exit(77)
    unittest.main()

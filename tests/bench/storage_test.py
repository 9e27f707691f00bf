"""bench/storage on a small table: reads of single pages are many and slow, joining and large stripes make up for it."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

SKIPPED = 77
MAIN = Path(os.environ.get("DSI_SOURCE_DIR", ".")) / "bench" / "storage_figures" / "main.py"
PLANS = Path(os.environ.get("DSI_BUILD_DIR", "build/release")) / "bin" / "storage_plans"
APART, JOINED, LARGE = "features apart", "+ reads joined", "+ large stripes"


class StorageTest(unittest.TestCase):
    def test_collapse_and_recovery(self):
        command = [sys.executable, MAIN, "--dsictl", os.environ["DSICTL"], "--plans", PLANS, "--scale", "0.04", "--features", "80",
                   "--jobs", "1", "--repeat", "1", "--json"]
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        steps, gaps = json.loads(done.stdout)["experiments"]["E10"]["tables"]
        head = steps["head"]
        found = {(row[0], row[1]): dict(zip(head, row)) for row in steps["rows"]}
        for storage in ("disk", "store"):
            apart, joined, large = (found[storage, step] for step in (APART, JOINED, LARGE))
            self.assertGreater(apart["reads"], 2 * joined["reads"])
            self.assertGreater(joined["reads"], large["reads"])
            self.assertLess(2 * apart["rows/s"], joined["rows/s"])
            self.assertLess(2 * joined["rows/s"], large["rows/s"])
            self.assertLess(apart["p50"], joined["p50"])
        # By ids in small stripes and by popularity in large ones, on both storages.
        self.assertEqual(len(gaps["rows"]), 4)

    def test_says_what_it_does_not_know(self):
        command = [sys.executable, MAIN, "--dsictl", os.environ["DSICTL"], "--plans", PLANS, "--only", "tape"]
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"no storage tape", done.stderr)


if __name__ == "__main__":
    if not os.environ.get("DSICTL") or not PLANS.exists():
        print("needs dsictl and storage_plans")
        sys.exit(SKIPPED)
    unittest.main()

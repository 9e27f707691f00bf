"""A build that can leave seals unchecked comes about for benchmarks alone, and bench/seals tells it from others."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
ROOT = Path(os.environ.get("DSI_SOURCE_DIR", "."))
BENCHMARKS_ALONE = {"DSI_BUILD_BENCH": "ON", "DSI_BUILD_TESTS": "OFF", "DSI_BUILD_EXAMPLES": "OFF"}


def run(*command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)


class SealsTest(unittest.TestCase):
    def test_other_builds_are_refused(self):
        for option, other in (("DSI_BUILD_BENCH", "OFF"), ("DSI_BUILD_TESTS", "ON"), ("DSI_BUILD_EXAMPLES", "ON")):
            with tempfile.TemporaryDirectory() as folder:
                options = {**BENCHMARKS_ALONE, option: other, "DSI_BENCH_WITHOUT_SEALS": "ON"}
                done = run("cmake", "-S", ROOT, "-B", folder, *(f"-D{name}={value}" for name, value in options.items()))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("DSI_BENCH_WITHOUT_SEALS is for builds of benchmarks alone", done.stdout)

    def test_this_build_is_none(self):
        dsictl = os.environ["DSICTL"]
        self.assertNotIn("SEALS", run(dsictl, "--version").stdout)
        done = run(sys.executable, ROOT / "bench" / "seal_figures" / "main.py", "--dsictl", dsictl)
        self.assertEqual(done.returncode, 2)
        self.assertIn("must be built with DSI_BENCH_WITHOUT_SEALS", done.stdout)


if __name__ == "__main__":
    if not os.environ.get("DSICTL") or shutil.which("cmake") is None:
        print("needs dsictl and cmake")
        sys.exit(SKIPPED)
    unittest.main()

"""dsictl on files that grew or lost rows (F-033 … F-035, F-084), and stripes skipped by their statistics (F-082)."""

import json
import os
import subprocess
import sys
from pathlib import Path

from cli_case import DAMAGED, OK, UNSUPPORTED, CliTest, main

ROOT = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
RULES = ROOT / "tests" / "golden" / "rules"


def keys(text):
    return [json.loads(line)["k"] for line in text.splitlines()]


class GrowthTest(CliTest):
    def test_deleted_rows_are_gone(self):
        dsi = RULES / "sound.deleted.dsi"  # Rows 1 and 4 of five, and all of the next three.
        self.assertEqual(keys(self.expect(OK, "cat", dsi).stdout), [50, 52, 53])
        self.assertEqual(keys(self.expect(OK, "head", dsi, "-n", "2").stdout), [50, 52])
        self.assertEqual(keys(self.expect(OK, "cat", dsi, "--tail", "2").stdout), [52, 53])
        self.assertEqual(self.json("cat", dsi, "--count")["rows"], 3)
        summary = self.json("inspect", dsi)
        self.assertEqual((summary["rows"], summary["deleted_rows"]), (8, 5))
        self.assertIn(b"deleted rows", self.expect(OK, "inspect", dsi).stdout)
        self.expect(OK, "verify", dsi)
        self.expect(OK, "convert", dsi, self.path("new.dsi"), "--quiet")
        summary = self.json("inspect", self.path("new.dsi"))
        self.assertEqual((summary["rows"], summary["deleted_rows"]), (3, 0))

    def test_an_unfinished_append_is_told(self):
        whole = (RULES / "sound.appended.dsi").read_bytes()
        self.assertEqual(len(keys(self.expect(OK, "cat", RULES / "sound.appended.dsi").stdout)), 9)
        cut = self.write("cut.dsi", whole[:-8])
        found = self.expect(DAMAGED, "verify", cut).stdout.decode()
        size = json.loads(self.expect(DAMAGED, "verify", "--json", cut).stdout)["files"][0]["whole_bytes"]
        self.assertIn(f"head -c {size}", found)
        old = self.write("old.dsi", whole[:size])
        self.assertEqual(self.json("inspect", RULES / "sound.appended.dsi")["previous_file_bytes"], size)
        self.assertEqual(self.json("inspect", old)["previous_file_bytes"], 0)
        self.assertIn(b"appended to", self.expect(OK, "inspect", RULES / "sound.appended.dsi").stdout)
        self.assertEqual(len(keys(self.expect(OK, "cat", old).stdout)), 6)
        self.expect(DAMAGED, "cat", cut)
        other = self.write("other.dsi", (RULES / "sound.deleted.dsi").read_bytes()[:-8])
        self.assertNotIn(b"unfinished append", self.expect(DAMAGED, "verify", other).stdout)

    def test_unsupported_is_not_damaged(self):
        for path in sorted(RULES.glob("*.unsupported.dsi")):
            with self.subTest(path.name):
                self.expect(UNSUPPORTED, "verify", path)

    def test_a_plan_leaves_stripes_out(self):
        dsi = self.dsi("clicks", "--stripe-rows", "500", "--keep-order")
        times = [json.loads(row)["timestamp"] for row in self.expect(OK, "cat", dsi, "--features", "timestamp").stdout.splitlines()]
        where = f"timestamp = {times[0]}"
        everything = self.json("inspect", dsi, "--plan", "label")
        some = self.json("inspect", dsi, "--plan", "label", "--where", where)
        self.assertEqual(everything["stripes_skipped"], 0)
        self.assertGreater(some["stripes_skipped"], 0)
        self.assertLess({r["stripe"] for r in some["ranges"]}, {r["stripe"] for r in everything["ranges"]})
        self.assertIn(b"skipped", self.expect(OK, "inspect", dsi, "--plan", "label", "--where", where).stdout)
        self.assertEqual(self.json("cat", dsi, "--count", "--where", where)["rows"], times.count(times[0]))

    def test_golden_files_say_the_same_to_both_decoders(self):
        result = subprocess.run([sys.executable, ROOT / "tests/golden/check_compat.py", os.environ["DSICTL"]], capture_output=True, check=False)
        if result.returncode == 77:
            self.skipTest("a package is absent")
        self.assertEqual(result.returncode, 0, result.stdout.decode())


if __name__ == "__main__":
    main()

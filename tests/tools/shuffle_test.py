"""dsictl shuffle: what it says of orders whose answer is known, and how it ends."""

import json
import signal
import subprocess
import time

from cli_case import DAMAGED, DSICTL, INTERRUPTED, IO, OK, USAGE, CliTest, main

SESSION = 10
ROWS = 1000


class ShuffleTest(CliTest):
    def setUp(self):
        super().setUp()
        self.path("d").mkdir()
        for part in range(3):
            rows = "".join(json.dumps({"session_id": part * ROWS + i // SESSION, "label": int(part == 2),
                                       "clicks": [i // SESSION + k for k in range(20)], "item": [i % 97]}) + "\n"
                           for i in range(ROWS))
            self.expect(OK, "convert", self.write("t.jsonl", rows), self.path(f"d/{part}.dsi"), "--quiet",
                        "--session-key", "session_id", "--stripe-rows", "200")

    def report(self, *options):
        return self.json("shuffle", self.path("d"), "--batch-size", "100", *options)

    def test_sessions_stay_whole_or_are_spread(self):
        whole = self.report("--mixing-rows", "1k")
        self.assertEqual((whole["rows"], whole["batches"]), (3 * ROWS, 30))
        self.assertEqual((whole["sessions_per_batch"], whole["sessions_in_file_order"]), (10, 10))
        self.assertEqual((whole["sessions_cut"], whole["collisions"]), (0, 90))
        spread = self.report("--mixing-rows", "3k", "--mix", "rows")
        self.assertGreater(spread["sessions_per_batch"], 0.95 * spread["sessions_at_random"])
        self.assertGreater(spread["sessions_cut"], 0.9)
        # What mixing is for, and what it costs.
        self.assertLess(spread["label_drift"], 1.6)
        self.assertGreater(spread["label_drift_in_file_order"], 5)
        self.assertEqual(whole["dedup_factor"], whole["dedup_factor_in_file_order"])
        self.assertLess(spread["dedup_factor"], 0.8 * whole["dedup_factor"])

    def test_windows_in_bytes(self):
        one, two = (self.report("--mixing-bytes", size) for size in ("50K", "100K"))
        self.assertEqual([told["mixing_rows"] % 100 for told in (one, two)], [0, 0])
        self.assertTrue(100 < one["mixing_rows"] < two["mixing_rows"] < 3 * ROWS, (one, two))
        self.assertEqual(self.report("--mixing-rows", "300")["mixing_rows"], 300)
        same = self.report("--mixing-rows", str(one["mixing_rows"]))
        for key in ("label_drift", "sessions_per_batch", "dedup_factor"):
            self.assertEqual(one[key], same[key], key)
        self.expect(USAGE, "shuffle", self.path("d"), "--mixing-rows", "5", "--mixing-bytes", "5")
        self.expect(USAGE, "shuffle", self.path("d"), "--mixing-bytes", "0")

    def test_keys_that_stand_elsewhere_in_the_dataset(self):
        """A sequence that gained a column stands before them."""
        folder = self.path("g")
        folder.mkdir()
        for part, names in enumerate((["a"], ["a", "b"])):
            rows = "".join(json.dumps({"h": [{name: i for name in names}], "session": part * 100 + i // 5}) + "\n"
                           for i in range(100))
            schema = {"features": [
                {"name": "h", "kind": "sequence", "columns": [{"name": name, "type": "int64"} for name in names]},
                {"name": "session", "kind": "key", "type": "int64"}], "cluster_by": ["session"]}
            self.expect(OK, "convert", self.write("t.jsonl", rows), folder / f"{part}.dsi", "-q", "--schema",
                        self.write("s.json", json.dumps(schema)))
        told = self.json("shuffle", folder, "--batch-size", "50", "--mixing-rows", "0", "--unit", "none")
        self.assertEqual((told["sessions_per_batch"], told["collisions"]), (10, 40))

    def test_units(self):
        none = self.report("--unit", "none", "--mixing-rows", "0")
        for key in ("label_drift", "dedup_factor", "sessions_per_batch"):
            in_file_order = [name for name in none if name.startswith(key.split("_")[0]) and name.endswith("_in_file_order")]
            self.assertEqual(none[key], none[in_file_order[0]], key)
        self.assertEqual(none["bytes_read"], none["bytes_in_file_order"])
        for unit in (["file"], ["stripe"], ["block", "--block-rows", "50"]):
            self.assertEqual(self.report("--unit", *unit, "--seed", "7", "--epoch", "2")["rows"], 3 * ROWS)
        cut = self.report("--unit", "block", "--block-rows", "25", "--mixing-rows", "0", "--batches", "9")
        self.assertEqual(cut["batches"], 9)
        self.assertGreater(cut["sessions_per_batch"], 10)

    def test_the_table(self):
        lines = self.expect(OK, "shuffle", self.path("d/*.dsi"), "--mix", "rows", "--mixing-rows", "500").stdout.decode().splitlines()
        self.assertEqual(lines[0], "1 batch, 3,000 rows; unit stripe, rows mixed, 500 rows at a time")
        for title in ("sessions  ", "sessions cut", "label drift", "dedup factor", "bytes read", "rows/s"):
            self.assertEqual(len([line for line in lines if line.startswith(title)]), 1, title)
        self.assertEqual([line.split()[-3:] for line in lines if line.startswith("rows of a session")], [["2700.00", "2700.00", "2700.01"]])
        # Without sessions and labels there is nothing to say of them.
        plain = self.path("plain.dsi")
        self.expect(OK, "convert", self.write("p.jsonl", '{"words": [1, 2]}\n' * 50), plain, "--quiet")
        lines = self.expect(OK, "shuffle", plain).stdout.decode().splitlines()
        self.assertEqual([line.split()[1:] for line in lines if line.startswith("sessions  ")], [["-", "-", "-"]])

    def test_lists_are_chosen(self):
        factor = self.report()["dedup_factor"]
        self.assertEqual(self.report("--features", "item,cl*")["dedup_factor"], factor)
        self.assertLess(self.report("--features", "item")["dedup_factor"], factor)
        self.assertIn('did you mean "clicks"', self.expect(USAGE, "shuffle", self.path("d"), "--features", "clics").said)
        self.assertIn("no list", self.expect(USAGE, "shuffle", self.path("d"), "--features", "label").said)

    def test_errors(self):
        for options in (["--block-rows", "0"], ["--block-rows", "5G"], ["--mixing-rows", "2G"], ["--mixing-rows", "x"],
                        ["--unit", "row"], ["--mix", "none"]):
            self.expect(USAGE, "shuffle", self.path("d"), *options)
        self.expect(USAGE, "shuffle", self.path("d/0.dsi"), self.path("d/0.dsi"))
        self.expect(IO, "shuffle", self.path("d/*.dis"))
        data = bytearray(self.path("d/1.dsi").read_bytes())
        data[64:len(data) // 2] = bytes(len(data) // 2 - 64)
        self.write("d/1.dsi", bytes(data))
        self.assertIn("hint: 'dsictl verify FILE...'", self.expect(DAMAGED, "shuffle", self.path("d")).said)

    def test_ctrl_c(self):
        self.expect(OK, "generate", "--profile", "clicks", "--rows", "10k", "-q", self.path("c.jsonl"))
        self.expect(OK, "convert", self.path("c.jsonl"), self.path("c.dsi"), "-q")
        process = subprocess.Popen([DSICTL, "shuffle", self.path("c.dsi"), "--batch-size", "1", "--unit", "block", "--block-rows", "1",
                                    "--mixing-rows", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(0.4)
        self.assertIsNone(process.poll(), "it ended before the signal")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], b"")
        self.assertEqual(process.returncode, INTERRUPTED)


if __name__ == "__main__":
    main()

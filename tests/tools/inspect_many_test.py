"""dsictl inspect of many files as one table: its summary, and what a job will read of them."""

import json

from cli_case import IO, OK, USAGE, CliTest, main

ROWS = 400


class InspectManyTest(CliTest):
    def setUp(self):
        super().setUp()
        self.path("d").mkdir()
        for part in range(3):
            rows = "".join(json.dumps({"time": 1000 * part + i, "label": i % 2, "clicks": [i, i + part]}) + "\n"
                           for i in range(ROWS))
            self.expect(OK, "convert", self.write("t.jsonl", rows), self.path(f"d/{part}.dsi"), "--quiet",
                        "--stripe-rows", "100", "--keep-order")
        self.expect(OK, "manifest", self.path("d"), "-o", self.path("all.json"), "--quiet")

    def test_summary(self):
        for where in ([self.path("d")], [self.path("d/*.dsi")], [self.path("all.json")],
                      [self.path(f"d/{part}.dsi") for part in range(3)]):
            told = self.json("inspect", *where)
            self.assertEqual((told["rows"], told["features"]), (3 * ROWS, 3))
            self.assertEqual([file["rows"] for file in told["files"]], [ROWS] * 3)
            self.assertEqual(told["bytes"], sum(self.path(f"d/{part}.dsi").stat().st_size for part in range(3)))
        text = self.expect(OK, "inspect", self.path("d")).stdout.decode()
        for word in ("files     3", "rows      1,200", "features  3", "2.dsi"):
            self.assertIn(word, text)
        # One file that is named by itself has all views.
        self.assertEqual(self.json("inspect", self.path("d/0.dsi"))["stripes"], 4)

    def test_plan(self):
        where, late = self.path("all.json"), "time >= 2050"
        whole = self.json("inspect", where, "--plan", "clicks")
        self.assertEqual((whole["columns"], whole["files_skipped"], whole["rows"], whole["stripes"]), (1, 0, 3 * ROWS, 12))
        parts = [self.json("inspect", self.path(f"d/{part}.dsi"), "--plan", "clicks") for part in range(3)]
        for key in ("bytes", "bytes_needed", "stripes_skipped", "file_bytes"):
            self.assertEqual(whole[key], sum(part[key] for part in parts), key)
        self.assertEqual(whole["reads"], sum(len(part["ranges"]) for part in parts))
        some = self.json("inspect", where, "--plan", "clicks", "--where", late)
        self.assertEqual((some["files_skipped"], some["stripes_skipped"]), (2, 8))
        self.assertEqual([file["skipped"] for file in some["files"]], [True, True, False])
        self.assertEqual(some["files"][0]["bytes"], 0)
        text = self.expect(OK, "inspect", where, "--plan", "clicks", "--where", late).stdout.decode()
        self.assertIn("2 of 3 files skipped, 8 of 12 stripes", " ".join(text.split()))

    def test_features(self):
        other = self.write("t.jsonl", '{"time": 1, "label": 0.5, "clicks": 7, "fresh": "x"}\n')
        self.expect(OK, "convert", other, self.path("d/3.dsi"), "--quiet")
        told = {column["name"]: column for column in self.json("inspect", self.path("d"), "--features")}
        self.assertEqual(list(told), ["time", "label", "clicks", "fresh"])
        fresh = told["fresh"]
        self.assertEqual((fresh["files"], fresh["first"], fresh["last"]), (1, *[str(self.path("d/3.dsi"))] * 2))
        self.assertEqual((told["time"]["files"], told["time"]["conflict"]), (4, None))
        for part in ("list of int64", "d/0.dsi", "dense of int64", "d/3.dsi"):
            self.assertIn(part, told["clicks"]["conflict"])
        text = self.expect(OK, "inspect", self.path("d"), "--features", "--sort", "name").stdout.decode()
        self.assertLess(text.index("clicks "), text.index("fresh "))
        self.assertIn("1 of 4", text)
        # Files that cannot be one table are shown all the same.
        summary = self.json("inspect", self.path("d"))
        self.assertEqual((summary["columns_of_some_files"], summary["conflicts"]), (1, len(
            [column for column in told.values() if column["conflict"]])))
        self.assertIn("--features tells why", self.expect(OK, "inspect", self.path("d")).stdout.decode())
        for option in (["--sort", "bytes"], ["--why"]):
            self.assertIn("is for one file",
                          self.expect(USAGE, "inspect", self.path("d"), "--features", *option).said)

    def test_what_cannot_be(self):
        self.assertIn("is for one file", self.expect(USAGE, "inspect", self.path("d"), "--layout").said)
        self.assertIn("is for one file", self.expect(USAGE, "inspect", self.path("d"), "--plan", "label", "--stripe", "1").said)
        self.assertIn('did you mean "clicks"', self.expect(USAGE, "inspect", self.path("d"), "--plan", "click").said)
        self.expect(IO, "inspect", self.path("nowhere/"))
        # Of what is not there the message is that of a file.
        self.assertIn("nowhere.dsi", self.expect(IO, "inspect", self.path("nowhere.dsi")).said)


if __name__ == "__main__":
    main()

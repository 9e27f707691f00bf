"""Features added to files that are there: by dsictl, and as the reference decoder reads them."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from cli_case import OK, USAGE, CliTest, main

REFERENCE = Path(os.environ.get("DSI_SOURCE_DIR", ".")) / "spec/reference/dataset_overlays.py"


class OverlayTest(CliTest):
    def setUp(self):
        super().setUp()
        self.rows = [{"id": i, "user": i // 5, "label": i % 3, "clicks": [i, i + 1][: i % 3]} for i in range(500)]
        self.base = self.dsi_of("a.dsi", self.rows, "--session-key", "user", "--stripe-rows", "100")

    def dsi_of(self, name, rows, *options):
        text = self.write("text.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.expect(OK, "convert", text, self.path(name), "-q", "--force", *options)
        return self.path(name)

    def lines(self, name, rows):
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def whole(self, *files):
        """Rows of files as one table, by rewrite; the reference decoder agrees."""
        out = self.path("whole.dsi")
        self.expect(OK, "rewrite", *files, out, "-q", "--force", "--keep-order")
        found = [json.loads(line) for line in self.expect(OK, "cat", out).stdout.splitlines()]
        reference = subprocess.run([sys.executable, REFERENCE, *files], capture_output=True, check=False)
        if b"No module named" not in reference.stderr:  # Of compressions and XXH3.
            self.assertEqual(reference.returncode, 0, reference.stderr)
            self.assertEqual([json.loads(line) for line in reference.stdout.splitlines()], found)
        return found

    def test_by_key_in_any_order(self):
        scores = [{"id": i, "score": i / 4, "clicks": [7] * (i % 2)} for i in range(100, 600)]
        random.Random(3).shuffle(scores)
        over = self.path("a.over.dsi")
        report = self.json("overlay", self.base, self.lines("s.jsonl", scores), "-o", over, "--key", "id")
        self.assertEqual({name: report[name] for name in ("rows", "given", "missing", "deleted", "unused")},
                         {"rows": 500, "given": 400, "missing": 100, "deleted": 0, "unused": 100})
        expected = [{**row, "clicks": [7] * (row["id"] % 2), "score": row["id"] / 4} for row in self.rows]
        for row in expected[:100]:
            del row["score"], row["clicks"]
        self.assertEqual(self.whole(self.base, over), expected)
        said = self.expect(OK, "overlay", self.base, self.path("s.jsonl"), "-o", over, "--key", "id", "--force").stdout
        self.assertRegex(said.decode(), r"unused +100 rows whose id the base does not have")
        self.expect(OK, "verify", self.base, over)

    def test_of_some_stripes_and_several(self):
        half = [{"label": 9, "new": i} for i in range(200)]
        first = self.path("a.1.dsi")
        self.expect(OK, "overlay", self.base, self.lines("h.jsonl", half), "-o", first, "--rows", "100:300", "-q")
        second = self.path("a.2.dsi")
        # From a file, of which a part is taken.
        few = self.dsi_of("few.dsi", [{"new": -i, "old": i} for i in range(100)])
        self.expect(OK, "overlay", self.base, few, "-o", second, "--rows", "200:300", "--drop", "old", "-q")
        expected = []
        for i, row in enumerate(self.rows):
            row = dict(row)
            if 100 <= i < 300:
                row |= {"label": 9, "new": i - 100}
            if 200 <= i < 300:
                row["new"] = 200 - i
            expected.append(row)
        self.assertEqual(self.whole(self.base, first, second), expected)
        said = self.expect(USAGE, "overlay", self.base, few, "-o", self.path("x.dsi"), "--rows", "150:250").said
        self.assertIn("at 150 none ends, but at 100 and 200", said)
        shown = self.json("inspect", self.base, "--overlays", self.folder)
        self.assertEqual([(Path(o["path"]).name, o["fits"], o["features"]) for o in shown],
                         [("a.1.dsi", True, "label, new"), ("a.2.dsi", True, "new")])
        whole = self.json("inspect", self.base, first, second)
        self.assertEqual([(len(file["overlays"]), file["rows"]) for file in whole["files"]], [(2, 500)])
        planned = self.json("inspect", self.base, first, second, "--plan", "new")
        self.assertEqual((planned["rows"], planned["stripes"]), (500, 5))
        alone = [self.json("inspect", o, "--plan", "new")["bytes_needed"] for o in (first, second)]
        self.assertTrue(alone[1] < planned["bytes_needed"] < sum(alone))
        overlay = self.json("inspect", second)
        self.assertEqual(overlay["overlay"]["rows"], [[200, 300]])
        self.assertEqual(overlay["overlay"]["base_fingerprint"], self.json("inspect", self.base)["rows_fingerprint"])
        self.assertRegex(self.expect(OK, "inspect", second).stdout.decode(), r"overlay of +rows 200:300 of 500 ")

    def test_of_a_key_that_rows_share(self):
        users = [{"user": u, "age": u + 20, "tags": [u, u]} for u in range(10, 120)]
        random.Random(4).shuffle(users)
        over, rows = self.path("a.over.dsi"), self.lines("u.jsonl", users)
        said = self.expect(USAGE, "overlay", self.base, rows, "-o", over, "--key", "user").said
        self.assertIn("unless broadcast", said)
        report = self.json("overlay", self.base, rows, "-o", over, "--key", "user", "--broadcast")
        self.assertEqual((report["given"], report["missing"], report["unused"]), (450, 50, 20))
        expected = [{**row, "age": row["user"] + 20, "tags": [row["user"]] * 2} if row["user"] >= 10 else row
                    for row in self.rows]
        self.assertEqual(self.whole(self.base, over), expected)
        # Of 450 rows 90 users are stored.
        tags = {c["name"]: c for c in self.json("inspect", over, "--features")}["tags"]
        self.assertEqual(tags["stored_values"], 180)

    def test_of_many_bases(self):
        self.path("sub").mkdir()
        other = self.dsi_of("sub/b.dsi", [{**row, "id": row["id"] + 500} for row in self.rows], "--stripe-rows", "100")
        apart = self.dsi_of("c.dsi", [{**row, "id": row["id"] + 5000} for row in self.rows], "--stripe-rows", "100")
        scores = [{"id": i, "score": i / 4} for i in range(100, 1100)]
        random.Random(3).shuffle(scores)
        bases = ("--bases", self.base, "--bases", other.parent, "--bases", apart)
        rows = self.lines("s.jsonl", scores)
        report = self.json("overlay", *bases, rows, "-o", "{}.over.dsi", "--key", "id")
        self.assertEqual(report["unused"], 100)
        self.assertEqual([(o["base"], o["written"], o["given"], o["missing"]) for o in report["overlays"]],
                         [(str(self.base), True, 400, 100), (str(other), True, 500, 0), (str(apart), False, 0, 0)])
        over = [Path(o["output"]) for o in report["overlays"]]
        self.assertEqual(over, [Path(f"{str(base)[:-4]}.over.dsi") for base in (self.base, other, apart)])
        self.assertFalse(over[2].exists())
        alone = self.path("alone.dsi")
        self.expect(OK, "overlay", self.base, rows, "-o", alone, "--key", "id", "-q")
        self.assertEqual(alone.read_bytes(), over[0].read_bytes())
        alone.unlink()
        self.assertEqual(self.whole(other, over[1])[7]["score"], 507 / 4)
        said = self.expect(USAGE, "overlay", *bases, rows, "-o", "{}.over.dsi", "--key", "id").said
        self.assertIn("exists already", said)
        shown = self.expect(OK, "overlay", *bases, rows, "-o", "{}.over.dsi", "--key", "id", "--force").stdout.decode()
        self.assertRegex(shown, r"c.over.dsi +none +not written")
        self.assertRegex(shown, r"overlays +2 of 3 bases")
        self.assertRegex(shown, r"unused +100 rows whose id no base has")
        self.assertIn("of one base", self.expect(USAGE, "overlay", *bases, rows, "-o", "{}.x.dsi", "--rows", "0:100").said)
        self.assertIn("has no {}", self.expect(USAGE, "overlay", *bases, rows, "-o", "x.dsi").said)

    def test_deleted_rows(self):
        over = self.path("a.over.dsi")
        self.expect(OK, "overlay", self.base, self.lines("n.jsonl", [{"n": i} for i in range(500)]), "-o", over, "-q")
        self.expect(OK, "delete", self.base, "--where", "user < 30", "-q")
        self.assertEqual(self.whole(self.base, over), [{**row, "n": row["id"]} for row in self.rows[150:]])

    def test_what_does_not_fit_is_said(self):
        over = self.path("a.over.dsi")
        rows = self.lines("n.jsonl", [{"n": i} for i in range(499)])
        said = self.expect(USAGE, "overlay", self.base, rows, "-o", over).said
        self.assertIn("499 rows for 500 of the base", said)
        self.assertFalse(over.exists())
        self.assertIn("rows are missing", self.expect(USAGE, "overlay", self.base, "-o", over).said)
        rows = self.lines("n.jsonl", [{"n": i} for i in range(500)])
        self.expect(OK, "overlay", self.base, rows, "-o", over, "-q")
        self.dsi_of("a.dsi", self.rows[::-1], "--session-key", "user", "--stripe-rows", "100")
        for command in (["verify", self.base, over], ["rewrite", self.base, over, self.path("x.dsi")],
                        ["manifest", self.folder, "-o", self.path("m.json")]):
            self.assertIn("it was written anew since", self.expect(USAGE, *command).said)
        self.assertEqual([o["fits"] for o in self.json("inspect", self.base, "--overlays", self.folder)], [False])
        self.assertIn("of other rows", self.expect(OK, "inspect", self.base, "--overlays", over).stdout.decode())
        # By itself it is sound, and shown.
        self.expect(OK, "verify", over)
        self.assertEqual(json.loads(self.expect(OK, "head", over, "-n", "1").stdout), {"n": 0})

    def test_inspect_tells_those_of_a_file(self):
        over, other = self.path("a.over.dsi"), self.path("b.over.dsi")
        vectors = [{"vector": [i + k / 7 for k in range(40)]} for i in range(500)]
        base = self.dsi_of("b.dsi", self.rows[::-1], "--stripe-rows", "100")
        self.expect(OK, "overlay", self.base, self.lines("v.jsonl", vectors), "-o", over, "-q")
        self.expect(OK, "overlay", base, self.lines("n.jsonl", [{"n": i} for i in range(500)]), "-o", other, "-q")
        self.write("notes.dsi", "no such file")
        done = self.expect(OK, "inspect", self.base, "--overlays", self.folder, "--json", warns=True)
        self.assertEqual([(one["path"], one["fits"]) for one in json.loads(done.stdout)], [(str(over), True)])
        self.assertIn("notes.dsi", done.said)
        self.path("notes.dsi").unlink()
        self.assertEqual(self.json("inspect", over, "--overlays", over), [])
        # Its base is not there: nobody knows whose it is.
        told = self.expect(OK, "inspect", self.base, "--overlays", other).stdout.decode()
        self.assertIn("of another file, or of this one before", " ".join(told.split()))
        for view in ("--overlays", "--streams"):
            self.assertIn("an empty name", self.expect(USAGE, "inspect", self.base, view, "").said)
        # Of many files sizes are with overlays.
        both = self.base.stat().st_size + over.stat().st_size
        self.assertEqual(self.json("inspect", self.base, over)["files"][0]["bytes"], both)
        plan = self.json("inspect", self.base, over, "--plan", "vector")
        self.assertEqual((plan["file_bytes"], plan["bytes"] < both), (both, True))

    def test_in_tables_and_manifests(self):
        table = self.path("t")
        self.expect(OK, "table", "create", table)
        over = self.path("a.over.dsi")
        self.expect(OK, "overlay", self.base, self.lines("n.jsonl", [{"n": i} for i in range(500)]), "-o", over, "-q")

        def stage(job, *files):
            return self.write(f"{job}.messages", self.expect(OK, "table", "stage", table, *files, "--job", job).stdout)
        early = stage("early", over)
        self.assertIn("name its base beside it",
                      self.expect(USAGE, "table", "commit", table, early, "--job", "early").said)
        self.json("table", "commit", table, stage("base", self.base), "--job", "base")
        made = self.json("table", "commit", table, stage("over", over), "--job", "over")
        self.assertEqual((made["files"], made["rows"]), (2, 500))
        out = self.path("of_table.dsi")
        self.expect(OK, "rewrite", table, out, "-q", "--keep-order")
        expected = [{**row, "n": row["id"]} for row in self.rows]
        self.assertEqual([json.loads(line) for line in self.expect(OK, "cat", out).stdout.splitlines()], expected)
        # The base is not replaced without its overlay.
        snapshot = json.loads((table / "_snapshots" / "00000000000000000003.json").read_text())
        files = [file["path"] for file in snapshot["files"]]
        self.assertEqual([file.get("overlay", {}).get("base") for file in snapshot["files"]], [None, files[0]])
        other = stage("other", self.dsi_of("b.dsi", self.rows[::-1], "--stripe-rows", "100"))
        self.assertIn("DS-041", self.expect(USAGE, "table", "commit", table, other, "--job", "other",
                                            "--replace", files[0]).said)
        manifest = self.path("m.json")
        self.expect(OK, "manifest", self.base, over, "-o", manifest, "-q")
        self.expect(OK, "rewrite", manifest, out, "-q", "--keep-order", "--force")
        self.assertEqual([json.loads(line) for line in self.expect(OK, "cat", out).stdout.splitlines()], expected)


if __name__ == "__main__":
    main()

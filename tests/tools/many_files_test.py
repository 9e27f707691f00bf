"""Verbs that read rows, of many files as one table: head, cat, bench and verify."""

import json
import shutil

from cli_case import DAMAGED, IO, OK, USAGE, CliTest, main

PARTS, ROWS = 4, 300


class ManyFilesTest(CliTest):
    def setUp(self):
        super().setUp()
        self.path("d").mkdir()
        self.rows = []
        for part in range(PARTS):
            rows = []
            for i in range(ROWS):
                row = {"id": ROWS * part + i, "label": i % 3, "clicks": [i] * (i % 4)}
                if part > 1:
                    row["fresh"] = f"t{i}"
                rows.append(row)
            self.rows += rows
            self.dsi_of(f"d/{part}.dsi", rows)
        self.where = ([self.path("d")], [self.path("d/*.dsi")], [self.path("all.json")],
                      [self.path(f"d/{part}.dsi") for part in range(PARTS)])
        self.expect(OK, "manifest", self.path("d"), "-o", self.path("all.json"), "--quiet")

    def dsi_of(self, name, rows):
        text = self.write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        schema = {"features": [{"name": "id", "kind": "key", "type": "int64"},
                               {"name": "label", "kind": "label", "type": "int8"},
                               {"name": "clicks", "kind": "list", "type": "int64"},
                               {"name": "fresh", "kind": "string"}]}
        if "fresh" not in rows[0]:
            del schema["features"][3]
        self.expect(OK, "convert", text, self.path(name), "--schema",
                    self.write("s.json", json.dumps(schema)), "--quiet", "--stripe-rows", "100", "--keep-order")
        return self.path(name)

    def lines(self, *arguments):
        return [json.loads(line) for line in self.expect(OK, *arguments).stdout.splitlines()]

    def test_cat(self):
        for where in self.where:
            self.assertEqual(self.lines("cat", *where), self.rows)
        folder = self.path("d")
        self.assertEqual(self.lines("cat", folder, "--rows", "250:650"), self.rows[250:650])
        self.assertEqual(self.lines("cat", folder, "--features", "fresh,l*", "--rows", "599:601"),
                         [{"label": 2}, {"label": 0, "fresh": "t0"}])
        self.assertEqual(self.lines("cat", folder, "--where", "fresh = t7 or id = 3"),
                         [self.rows[3], self.rows[607], self.rows[907]])
        self.assertEqual(self.lines("cat", folder, "--where", "label = 2", "--tail", "150"),
                         [row for row in self.rows if row["label"] == 2][-150:])
        self.assertEqual(self.expect(OK, "cat", folder, "--count").stdout, b"1200\n")
        self.assertEqual(self.json("cat", folder, "--where", "fresh missing", "--count"), {"rows": 600})
        some = self.lines("cat", folder, "--sample", "0.2")
        self.assertTrue(100 < len(some) < 400)
        self.assertEqual(int(self.expect(OK, "cat", folder, "--sample", "0.2", "--count").stdout), len(some))

    def test_convert_to_text(self):
        text = self.path("all.jsonl")
        self.expect(OK, "convert", self.path("d/*.dsi"), text)
        self.assertEqual([json.loads(line) for line in text.read_text().splitlines()], self.rows)
        self.expect(USAGE, "convert", self.path("d/*.dsi"), text, "--original-order", "--force")

    def test_head(self):
        for where in self.where:
            self.assertEqual(self.lines("head", *where, "-n", "700"), self.rows[:700])
        folder = self.path("d")
        self.assertEqual(self.lines("head", folder), self.rows[:10])
        self.assertEqual(self.lines("head", folder, "--where", "label = 1", "-n", "301"),
                         [row for row in self.rows if row["label"] == 1][:301])
        self.assertEqual(self.lines("head", folder, "--tail", "301"), self.rows[-301:])
        self.assertEqual(self.expect(OK, "head", folder, "--where", "fresh exists", "--count").stdout, b"600\n")

    def test_rows_that_are_deleted_and_features_that_are_laid_over(self):
        self.expect(OK, "delete", self.path("d/1.dsi"), "--where", "id < 350", "--quiet")
        scores = self.write("scores.jsonl", "".join(json.dumps({"id": i, "score": i * 1.5}) + "\n" for i in range(600, 900)))
        self.expect(OK, "overlay", self.path("d/2.dsi"), scores, "--key", "id", "-o", self.path("d/2.scores.dsi"), "--quiet")
        kept = [{**row, **({"score": row["id"] * 1.5} if 600 <= row["id"] < 900 else {})}
                for row in self.rows if not 300 <= row["id"] < 350]
        folder = self.path("d")
        self.assertEqual(self.lines("cat", folder), kept)
        self.assertEqual(self.lines("head", folder, "-n", "310"), kept[:310])
        self.assertEqual(self.lines("head", folder, "--tail", "900"), kept[-900:])
        self.assertEqual(self.expect(OK, "cat", folder, "--count").stdout, b"1150\n")
        self.assertEqual(self.expect(OK, "cat", folder, "--where", "score >= 1000", "--count").stdout, b"233\n")
        # By itself an overlay is a file like others.
        self.assertEqual(self.lines("head", self.path("d/2.scores.dsi"), "-n", "1"), [{"score": 900}])

    def test_bench(self):
        for where in self.where:
            told = self.json("bench", *where, "--features", "clicks,label,fresh", "--repeat", "1")
            self.assertEqual((told["rows"], told["columns"]), (PARTS * ROWS, 3))
        told = self.json("bench", self.path("d"), "--features", "clicks", "--where", "label = 0",
                         "--threads", "1,2", "--repeat", "1", "--layout", "ikjt")
        self.assertEqual(told["rows"], PARTS * ROWS // 3)

    def test_verify(self):
        for where in self.where:
            said = self.expect(OK, "verify", *where).stdout.decode().splitlines()
            self.assertEqual(len(said), PARTS + 1)
            self.assertRegex(said[-1], r"^4 files, all sound: 1,200 rows, ")
            self.assertEqual(self.expect(OK, "verify", *where, "--quiet").stdout, b"")
            told = self.json("verify", *where, "--threads", "3")
            self.assertEqual([(file["state"], file["rows"]) for file in told["files"]], [("sound", ROWS)] * PARTS)
        data = bytearray(self.path("d/1.dsi").read_bytes())
        data[200] ^= 1
        self.path("d/1.dsi").write_bytes(bytes(data))
        shutil.copyfile(self.path("d/3.dsi"), self.path("d/2.dsi"))
        self.path("d/3.dsi").unlink()
        result = self.expect(DAMAGED, "verify", self.path("all.json"))
        said = result.stdout.decode()
        self.assertRegex(said, r"(?m)1\.dsi: damaged: page 0 ")
        self.assertRegex(said, r"(?m)2\.dsi: damaged: the file as a whole: fingerprint .*, the manifest says ")
        self.assertRegex(said, r"(?m)3\.dsi: unreadable: ")
        self.assertIn("2 of 4 files are damaged", result.said)
        self.assertIn("1 of 3 files is damaged", self.expect(DAMAGED, "verify", self.path("d"), "-q").said)
        self.path("d/1.dsi").unlink()
        self.expect(OK, "verify", self.path("d"))

    def test_what_cannot_be(self):
        folder = self.path("d")
        self.assertIn("--original-order is of one file", self.expect(USAGE, "cat", folder, "--original-order").said)
        self.assertIn('did you mean "fresh"', self.expect(USAGE, "cat", folder, "--features", "frsh").said)
        self.assertIn("--where 'labels = 1'", self.expect(USAGE, "head", folder, "--where", "labels = 1").said)
        self.path("none").mkdir()
        for verb in ("head", "verify"):
            self.assertIn("no *.dsi there", self.expect(IO, verb, self.path("none")).said)
        self.dsi_of("d/9.dsi", self.rows[:5])
        other = self.write("o.jsonl", '{"id": 1, "clicks": 0.5}\n')
        self.expect(OK, "convert", other, self.path("d/x.dsi"), "--quiet")
        said = self.expect(USAGE, "head", folder).said
        for part in ("0.dsi", "x.dsi", "hint: 'dsictl inspect WHERE... --features' tells"):
            self.assertIn(part, said)
        self.assertIn("x.dsi", self.expect(USAGE, "cat", folder, "--features", "clicks*").said)
        # What they agree on can be read.
        self.assertEqual(len(self.lines("cat", folder, "--features", "label", "--where", "label exists")), PARTS * ROWS + 5)
        self.assertEqual(self.expect(OK, "cat", folder, "--where", "label = 2", "--count").stdout, b"401\n")
        self.assertEqual(self.json("bench", folder, "--features", "label", "--repeat", "1")["rows"], PARTS * ROWS + 6)
        self.assertEqual(self.json("values", folder, "--features", "fresh")[0]["entries"], 2 * ROWS)
        self.assertEqual(self.json("inspect", folder, "--plan", "fresh")["columns"], 1)
        for verb in ("values", "shuffle"):
            self.expect(USAGE, verb, folder, "--features", "clicks")
        self.assertIn("x.dsi", self.expect(USAGE, "manifest", folder, "-o", self.path("m.json")).said)
        # And merged without the rest.
        new = self.path("new.dsi")
        self.assertIn("x.dsi", self.expect(USAGE, "rewrite", folder, new, "--drop", "id").said)
        self.expect(OK, "rewrite", folder, new, "--drop", "id,clicks", "-q")
        self.assertEqual(self.json("inspect", new)["rows"], PARTS * ROWS + 6)
        self.expect(OK, "delete", folder, "--where", "fresh = t5", "-q")
        self.assertEqual(self.expect(OK, "cat", folder, "--count").stdout, b"1204\n")


if __name__ == "__main__":
    main()

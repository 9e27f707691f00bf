"""A .dsi file written from another one: the same values, types and notes, whatever was chosen."""

import json

from cli_case import DAMAGED, IO, OK, USAGE, CliTest, main

SCHEMA = {
    "features": [
        {"name": "session_id", "kind": "key", "type": "uint64"},
        {"name": "user_id", "kind": "key", "type": "int32"},
        {"name": "time", "kind": "timestamp", "unit": "ms"},
        {"name": "label", "kind": "label", "type": "int8"},
        {"name": "user.age", "kind": "dense", "type": "float32", "default": 7},
        {"name": "user.clicks", "kind": "list", "type": "int64", "id_space": "item", "newest": "first",
         "max_length": 9},
        {"name": "score", "kind": "dense", "type": "float64"},
        {"name": "flag", "kind": "dense", "type": "bool"},
        {"name": "query", "kind": "string"},
        {"name": "topics", "kind": "weighted", "type": "uint32"},
        {"name": "history", "kind": "sequence", "columns": [{"name": "item", "type": "int64"},
                                                            {"name": "time", "type": "int32"}]},
        {"name": "vector", "kind": "embedding", "type": "float32", "length": 2, "precision": "fp16"}],
    "cluster_by": ["session_id", "time"],
    "groups": [{"name": "user", "owner": "session_id", "features": ["user.age", "user.clicks"]}],
    "metadata": {"team": "ads"}}


def row(i):
    made = {"session_id": 2**64 - 1 - i // 5, "user_id": i % 4, "time": 1700000000000 + i, "label": i % 3}
    if i % 2:
        made["user"] = {"age": "NaN" if i % 7 == 0 else -0.0, "clicks": list(range(i % 5))}
        made["score"] = "-Infinity" if i % 11 == 0 else i / 7
    if i % 3:
        made.update(flag=i % 4 == 0, query="é" * (i % 4), topics={"ids": [i], "weights": [0.5]})
    if i % 4:
        made.update(history={"item": [i] * (i % 3), "time": [1] * (i % 3)}, vector=[i / 3, 0.1])
    return made


class RewriteTest(CliTest):
    def setUp(self):
        super().setUp()
        rows = self.write("t.jsonl", "".join(json.dumps(row(i)) + "\n" for i in range(3000)))
        self.schema = self.write("s.json", json.dumps(SCHEMA))
        self.file, self.out = self.path("t.dsi"), self.path("o.dsi")
        self.expect(OK, "convert", rows, self.file, "--schema", self.schema, "--quiet",
                    "--stripe-rows", "700")

    def cat(self, path, *options):
        return self.expect(OK, "cat", path, *options).stdout

    def rewrite(self, *options, code=OK, warns=False):
        return self.expect(code, "convert", self.file, self.out, "--force", "--quiet", *options,
                           warns=warns)

    def test_nothing_is_lost(self):
        text, schema = self.cat(self.file), self.expect(OK, "schema", self.file).stdout
        for options in ([], ["--tuning", "archive", "--no-dedup"], ["--stripe-rows", "100"],
                        ["--memory", "1G", "--threads", "1"]):
            with self.subTest(options):
                self.rewrite(*options)
                self.expect(OK, "verify", self.out)
                self.assertEqual(self.cat(self.out), text)
                self.assertEqual(self.expect(OK, "schema", self.out).stdout, schema)
        self.rewrite("--metadata", "day=1")
        self.assertEqual(self.json("inspect", self.out, "--metadata"), {"team": "ads", "day": "1"})

    def test_rows_that_pass(self):
        chosen = ["--where", "label = 1", "--where", "score exists", "--sample", "0.5", "--seed", "3"]
        self.rewrite(*chosen)
        self.assertEqual(self.cat(self.out), self.cat(self.file, *chosen))
        self.expect(OK, "convert", self.file, self.path("o.jsonl"), "--quiet", *chosen)
        self.assertEqual(self.path("o.jsonl").read_bytes(), self.cat(self.file, *chosen))
        self.rewrite("--where", "label = 99")
        self.assertEqual(self.json("inspect", self.out)["rows"], 0)

    def test_other_keys(self):
        self.rewrite("--keep-order")
        self.assertEqual(self.cat(self.out), self.cat(self.file))
        self.assertNotIn("cluster_by", json.loads(self.expect(OK, "schema", self.out).stdout))
        self.rewrite("--session-key", "session_id")
        self.assertEqual(json.loads(self.expect(OK, "schema", self.out).stdout)["cluster_by"],
                         ["session_id", "time"])
        self.assertIn("--session-key", self.rewrite("--session-key", "nothing", code=USAGE).said)

    def test_places_are_those_in_the_file_read(self):
        placed, again = self.path("p.dsi"), self.path("q.dsi")
        self.expect(OK, "convert", self.file, placed, "--session-key", "user_id",
                    "--keep-position", "-q")
        self.assertEqual(self.cat(placed, "--original-order"), self.cat(self.file))
        said = self.expect(OK, "convert", placed, again, "-q", warns=True).said
        self.assertIn("--keep-position", said)
        self.expect(USAGE, "cat", again, "--original-order")
        self.expect(OK, "convert", placed, again, "-q", "--force", "--keep-position")
        self.assertEqual(self.cat(again, "--original-order"), self.cat(placed))

    def test_report(self):
        report = self.json("convert", self.file, self.out)
        self.assertEqual((report["rows"], report["bytes_in"], report["bytes_out"]),
                         (3000, self.file.stat().st_size, self.out.stat().st_size))

    def test_many_files_are_one(self):
        halves = []
        for name, chosen in (("a.dsi", "label < 1"), ("b.dsi", "label >= 1")):
            halves.append(self.path(name))
            self.expect(OK, "convert", self.file, halves[-1], "-q", "--where", chosen)
        self.expect(OK, "rewrite", *halves, self.out, "-q")
        self.assertEqual(sorted(self.cat(self.out).splitlines()), sorted(self.cat(self.file).splitlines()))
        self.expect(OK, "rewrite", self.path("[ab].dsi"), self.path("p.dsi"), "-q")
        self.assertEqual(self.path("p.dsi").read_bytes(), self.out.read_bytes())
        # One file by this verb is what convert makes of it.
        self.expect(OK, "rewrite", self.file, self.path("r.dsi"), "-q", "--threads", "1")
        self.rewrite()
        self.assertEqual(self.path("r.dsi").read_bytes(), self.out.read_bytes())

    def test_shards(self):
        shards = self.path("shards")
        report = self.json("rewrite", self.file, shards, "--shard-rows", "700")
        self.assertEqual((report["rows"], report["bytes_in"]), (3000, self.file.stat().st_size))
        self.assertEqual([shard["rows"] for shard in report["shards"]], [700, 700, 700, 700, 200])
        paths = [shard["path"] for shard in report["shards"]]
        self.assertEqual(b"".join(self.cat(path) for path in paths), self.cat(self.file))
        said = self.expect(OK, "rewrite", self.file, self.path("again"), "--shard-size", "4K").stdout.decode()
        self.assertIn("part-00001.dsi", said)
        for options in ([self.file, shards, "--shard-rows", "9"], [self.file, self.path("x.dsi"), "--shard-rows", "9"],
                        [self.file, self.path("x")], [self.file, self.path("x"), "--shard-rows", "9", "--force"],
                        [self.file]):
            self.expect(USAGE, "rewrite", *options)
        self.assertFalse(self.path("x").exists())

    def test_features(self):
        self.expect(OK, "rewrite", self.file, self.out, "--only", "user.*,session_id,time,label",
                    "--drop", "*.age", "--rename", "label=clicked", "--where", "label = 1", "-q")
        rows = [json.loads(line) for line in self.cat(self.out).splitlines()]
        self.assertEqual(len(rows), 1000)
        self.assertEqual({key for made in rows for key in made}, {"session_id", "time", "clicked", "user"})
        self.assertEqual({key for made in rows for key in made.get("user", {})}, {"clicks"})
        schema = {"features": [{"name": "label", "kind": "label", "type": "int64"},
                               {"name": "user_id", "kind": "key", "type": "int64"},
                               {"name": "fresh", "kind": "list", "type": "int64"}]}
        schema = self.write("new.json", json.dumps(schema))
        self.expect(OK, "rewrite", self.file, self.out, "--schema", schema, "--force", "-q", "--keep-order")
        self.assertEqual(json.loads(self.cat(self.out).splitlines()[1]), {"label": 1, "user_id": 1})
        for options in (["--drop", "nothing"], ["--rename", "label"], ["--schema", schema, "--drop", "label"]):
            self.expect(USAGE, "rewrite", self.file, self.path("y.dsi"), *options)
        self.expect(USAGE, "rewrite", self.file, self.path("y.dsi"), "--schema", self.file)
        self.assertIn("name other keys", self.expect(USAGE, "rewrite", self.file, self.path("y.dsi"), "--drop",
                                                     "session_id").said)
        self.expect(OK, "rewrite", self.file, self.path("y.dsi"), "--drop", "session_id", "--session-key",
                    "user_id", "-q")

    def test_layout_from_use(self):
        log = self.path("log.jsonl")
        for features in (["score", "history.item"], ["score", "history.item"], ["user.*"]):
            self.expect(OK, "bench", self.file, "--features", ",".join(features), "--access-log", log, "-q",
                        "--repeat", "1")
        self.assertEqual([json.loads(line)["features"] for line in log.read_text().splitlines()],
                         [["score", "history.item"]] * 2 + [["user.age", "user.clicks"]])
        report = self.json("rewrite", self.file, self.out, "--layout-from", log)
        self.assertEqual([(job["times"], job["columns"]) for job in report["jobs"]], [(2, 2), (1, 2)])
        for job in report["jobs"]:
            self.assertLessEqual(job["bytes_after"], job["bytes_before"])
        said = self.expect(OK, "rewrite", self.file, self.path("x"), "--shard-rows", "1000", "--layout-from", log)
        self.assertIn("jobs of the log", said.stdout.decode())
        self.assertEqual(self.cat(self.out), self.cat(self.file))
        self.expect(OK, "convert", self.path("t.jsonl"), self.path("y.dsi"), "--schema", self.schema,
                    "--layout-from", log, "-q")
        log.write_text("nonsense\n")
        self.assertIn("line 1", self.expect(USAGE, "rewrite", self.file, self.path("z.dsi"), "--layout-from", log).said)

    def test_refused(self):
        self.write("mine.dsi", "mine")
        self.expect(USAGE, "convert", self.file, self.path("mine.dsi"))
        before = self.names()
        for options in (["--schema", self.schema], ["--format", "csv"], ["--ignore-unknown"],
                        ["--original-order"], ["--where", "nothing = 1"]):
            self.rewrite(*options, code=USAGE)
        self.rewrite("--memory", "100K", code=IO)
        self.expect(USAGE, "convert", self.path("t.jsonl"), self.out, "--where", "label = 1")
        data = bytearray(self.file.read_bytes())
        data[100:2000] = bytes(1900)
        self.write("t.dsi", bytes(data))
        self.rewrite(code=DAMAGED)
        self.assertEqual(self.names(), before)


if __name__ == "__main__":
    main()

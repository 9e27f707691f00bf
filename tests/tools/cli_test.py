"""Runs dsictl as a user does: every verb, on files and streams."""

import gzip
import json
import re

from cli_case import DSICTL, OK, PROFILES, USAGE, CliTest, main, run
from rows_equal import first_difference


class HelpTest(CliTest):
    def test_every_verb_explains_itself_with_examples(self):
        text = self.expect(OK, "--help").stdout.decode()
        for verb in ("convert", "inspect", "head", "cat", "schema", "dedup", "verify", "bench",
                     "generate"):
            self.assertIn(verb, text)
            self.assertIn("Examples:", self.expect(OK, verb, "--help").stdout.decode())
        self.assertIn("clicks", self.expect(OK, "generate", "--help").stdout.decode())

    def test_version(self):
        self.assertRegex(self.expect(OK, "--version").stdout.decode(), r"^dsictl \d+\.\d+\.\d+\n$")

    def test_usage(self):
        self.assertEqual(run().returncode, USAGE)
        self.expect(USAGE, "frobnicate")
        self.expect(USAGE, "convert")
        self.expect(USAGE, "convert", "a.jsonl", "b.dsi", "--no-such-option")
        self.assertIn("convert --help", self.expect(USAGE, "convert", "a.jsonl").said)


class GenerateTest(CliTest):
    def test_same_options_same_bytes_and_standard_output(self):
        path = self.table()
        again = self.expect(OK, "generate", "--profile", "clicks", "--rows", "3000", "-").stdout
        self.assertEqual(path.read_bytes(), again)
        self.assertEqual(again.count(b"\n"), 3000)

    def test_schema_fits_the_table(self):
        out, schema = self.path("t.jsonl"), self.path("t.json")
        self.expect(OK, "generate", "--profile", "p3", "--rows", "50", "--order", "session",
                    "--write-schema", schema, "--quiet", out)
        self.expect(OK, "convert", out, self.path("t.dsi"), "--schema", schema, "--quiet")

    def test_rows_that_the_profile_says(self):
        for profile, rows in (("visits", 300000), ("clicks", 100000)):
            out = self.path(f"{profile}.jsonl")
            said = self.expect(OK, "generate", "--profile", profile, out).stdout.decode()
            self.assertIn(f"{rows:,} rows", said)

    def test_errors(self):
        out = self.path("t.jsonl")
        self.expect(USAGE, "generate", "--profile", "nonsense", out)
        for rows in ("-5", "5x", "5.5", "99999999999999999999", "20000000000G", ""):
            self.expect(USAGE, "generate", "--rows", rows, out)
        self.assertEqual(self.names(), [])
        self.write("t.jsonl", "mine")
        self.expect(USAGE, "generate", "--rows", "10", out)
        self.assertEqual(out.read_text(), "mine")
        self.expect(OK, "generate", "--rows", "10", "--force", "--quiet", out)
        self.assertEqual(out.read_text().count("\n"), 10)


class ConvertTest(CliTest):
    def check_same(self, expected, found):
        with open(expected) as a, open(found) as b:
            self.assertIsNone(first_difference(a, b))

    def test_there_and_back(self):
        for profile in PROFILES:
            with self.subTest(profile):
                dsi, back = self.dsi(profile), self.path(f"{profile}.back.jsonl")
                self.expect(OK, "convert", dsi, back, "--original-order", "--quiet")
                self.check_same(self.path(f"{profile}.jsonl"), back)
                self.assertTrue(self.expect(OK, "verify", dsi).stdout.startswith(bytes(dsi)))

    def test_options_do_not_change_the_rows(self):
        table = self.table()
        for options in (["--no-dedup"], ["--no-groups"], ["--stripe-rows", "500"],
                        ["--session-key", "session_id"], ["--threads", "1"], ["--memory", "1G"],
                        ["--tuning", "network"], ["--tuning", "archive"], ["--stripe-memory", "200K"],
                        ["--session-key", "user_id,session_id"], ["--time", "timestamp"]):
            with self.subTest(options):
                dsi, back = self.path("o.dsi"), self.path("o.jsonl")
                self.expect(OK, "convert", table, dsi, "--keep-position", "--force", "--quiet",
                            *options)
                self.expect(OK, "convert", dsi, back, "--original-order", "--force", "--quiet")
                self.check_same(table, back)

    def test_tunings_trade_bytes(self):
        table = self.table()
        sizes = []
        for tuning in ("nvme", "network", "archive"):
            dsi = self.path(f"{tuning}.dsi")
            self.expect(OK, "convert", table, dsi, "--tuning", tuning, "--quiet")
            sizes.append(dsi.stat().st_size)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertGreater(sizes[0], sizes[2])
        self.assertIn("archive", self.expect(USAGE, "convert", table, self.path("x.dsi"),
                                             "--tuning", "fast").said)

    def test_keep_order_needs_no_position(self):
        table, dsi = self.table(), self.path("k.dsi")
        self.expect(OK, "convert", table, dsi, "--keep-order", "--quiet")
        self.expect(OK, "convert", dsi, self.path("k.jsonl"), "--quiet")
        self.check_same(table, self.path("k.jsonl"))
        said = self.expect(USAGE, "cat", dsi, "--original-order").said
        self.assertIn("--keep-position", said)

    def test_same_bytes_whatever_the_threads(self):
        table = self.table()
        files = []
        for threads in ("1", "2", "5"):
            files.append(self.path(f"{threads}.dsi"))
            self.expect(OK, "convert", table, files[-1], "--threads", threads, "--quiet")
        self.assertEqual(len({f.read_bytes() for f in files}), 1)

    def test_standard_streams(self):
        table = self.table("p3")
        for packed in (table.read_bytes(), gzip.compress(table.read_bytes())):
            self.expect(OK, "convert", "-", self.path("s.dsi"), "--keep-position", "--force",
                        "--quiet", input=packed)
            back = self.expect(OK, "convert", self.path("s.dsi"), "-", "--original-order").stdout
            self.write("s.jsonl", back)
            self.check_same(table, self.path("s.jsonl"))
        schema = self.write("s.json", self.expect(OK, "schema", table).stdout)
        self.expect(OK, "convert", "-", self.path("s2.dsi"), "--schema", schema, "--quiet",
                    input=table.read_bytes())

    def test_csv(self):
        table = self.write("t.csv", "session_id,timestamp,x,clicks\n7,1700000000,1.5,1|2|3\n"
                                    "7,1700000001,,4\n")
        self.expect(OK, "convert", table, self.path("t.dsi"), "--quiet")
        rows = [json.loads(line) for line in self.expect(OK, "cat", self.path("t.dsi")).stdout.splitlines()]
        self.assertEqual(rows[0], {"session_id": 7, "timestamp": 1700000000, "x": 1.5,
                                   "clicks": [1, 2, 3]})
        self.assertNotIn("x", rows[1])

    def test_report(self):
        report = self.json("convert", self.table(), self.path("r.dsi"))
        self.assertEqual(report["rows"], 3000)
        self.assertEqual(report["bytes_out"], self.path("r.dsi").stat().st_size)
        self.assertGreater(report["values_in"], report["values_stored"])
        text = self.expect(OK, "convert", self.table("p3"), self.path("r3.dsi")).stdout.decode()
        self.assertIn("dedupe factor", text)

    def test_metadata(self):
        self.expect(OK, "convert", self.table(), self.path("m.dsi"), "--metadata", "team=ads",
                    "--metadata", "a=b=c", "--quiet")
        found = self.json("inspect", self.path("m.dsi"), "--metadata")
        self.assertEqual((found["team"], found["a"]), ("ads", "b=c"))
        self.expect(USAGE, "convert", self.table("p3"), self.path("n.dsi"), "--metadata", "team")

    def test_directions_refused(self):
        dsi = self.dsi()
        before = self.names()
        for arguments in ((dsi, self.path("b.csv")),
                          (self.path("clicks.jsonl"), self.path("b.jsonl")),
                          (dsi, self.path("b.jsonl"), "--no-dedup"),
                          (self.path("clicks.jsonl"), self.path("b.dsi"), "--original-order")):
            self.expect(USAGE, "convert", *arguments)
        self.assertEqual(self.names(), before)


class ReadTest(CliTest):
    def test_schema_of_text_and_file_agree(self):
        dsi = self.dsi("p3")
        of_text = json.loads(self.expect(OK, "schema", self.path("p3.jsonl")).stdout)
        of_file = json.loads(self.expect(OK, "schema", dsi).stdout)
        self.assertEqual([f["name"] for f in of_text["features"]],
                         [f["name"] for f in of_file["features"] if f["name"] != "__position"])
        self.assertEqual(of_text["cluster_by"], of_file["cluster_by"])

    def test_rounded_floats_are_declared_and_said(self):  # S-014
        rows, schema, first, second = (self.folder / name for name in (
            "rows.jsonl", "schema.json", "first.dsi", "second.dsi"))
        rows.write_text("".join(json.dumps({"x": i / 3, "y": i / 3}) + "\n" for i in range(500)))
        schema.write_text(json.dumps({"features": [
            {"name": "x", "kind": "dense", "precision": "fp16"}, {"name": "y", "kind": "dense"}]}))
        self.expect(OK, "convert", rows, first, "--schema", schema, "--quiet")
        column, exact = json.loads(self.expect(OK, "inspect", first, "--features", "--json").stdout)
        self.assertEqual(column["precision"], "fp16")
        self.assertTrue(0 < column["max_error"] <= 2**-4)
        self.assertNotIn("precision", exact)
        said = self.expect(OK, "inspect", first, "--features").stdout.decode()
        self.assertIn("max error", said)
        # Written again with its own schema: the same values, precision and error.
        schema.write_bytes(self.expect(OK, "schema", first).stdout)
        text = self.expect(OK, "convert", first, "-").stdout
        self.expect(OK, "convert", "-", second, "--schema", schema, "--quiet", input=text)
        self.assertEqual(self.expect(OK, "schema", second).stdout, schema.read_bytes())
        self.assertEqual(self.expect(OK, "convert", second, "-").stdout, text)
        rows.write_text('{"x": 1}\n{"x": 70000}\n')
        result = run("convert", rows, self.folder / "third.dsi", "--schema", schema)
        self.assertEqual(result.returncode, USAGE)
        self.assertIn(b"row 1: 70000", result.stderr)
        self.assertFalse((self.folder / "third.dsi").exists())

    def test_inspect(self):
        dsi = self.dsi("clicks", "--stripe-rows", "700")
        summary = self.json("inspect", dsi)
        self.assertEqual(summary["rows"], 3000)
        self.assertEqual(summary["bytes"], dsi.stat().st_size)
        self.assertGreater(summary["stripes"], 2)
        self.assertIn("dedup groups", self.expect(OK, "inspect", dsi).stdout.decode())

        features = self.json("inspect", dsi, "--features", "--sort", "bytes")
        self.assertEqual(len(features), summary["columns"])
        sizes = [f["stored_bytes"] for f in features]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.expect(USAGE, "inspect", dsi, "--why")
        stripes = self.json("inspect", dsi, "--stripes")
        self.assertEqual(sum(s["rows"] for s in stripes), 3000)
        groups = self.json("inspect", dsi, "--groups")
        self.assertEqual(sum(len(g["columns"]) for g in groups), summary["columns"])
        dedup = self.json("inspect", dsi, "--dedup")
        self.assertEqual({g["rows"] for g in dedup}, {3000})
        self.assertTrue(any(g["factor"] > 1.5 for g in dedup))
        for view in ("--features", "--stripes", "--groups", "--dedup", "--metadata"):
            self.expect(OK, "inspect", dsi, view)
        self.expect(USAGE, "inspect", dsi, "--stripes", "--groups")

    def test_inspect_of_a_projection(self):
        dsi = self.dsi("clicks", "--stripe-rows", "700")
        names = [f["feature"] for f in self.json("inspect", dsi, "--features")]
        one = self.json("inspect", dsi, "--plan", names[2])
        two = self.json("inspect", dsi, "--plan", f"{names[2]},{names[3]}")
        first = self.json("inspect", dsi, "--plan", names[2], "--stripe", "0")
        self.assertLessEqual(one["bytes_needed"], two["bytes_needed"])
        self.assertLess(first["bytes_needed"], one["bytes_needed"])
        self.assertLess(two["bytes_needed"], dsi.stat().st_size)
        streams = self.json("inspect", dsi, "--streams", names[2])
        self.assertTrue(all(s["encoding"] for s in streams))
        # What columns share is told once.
        every = self.json("inspect", dsi, "--streams", "*")
        places = [(s["column"], s["stripe"], s["role"]) for s in every]
        self.assertEqual(len(places), len(set(places)))
        self.expect(OK, "inspect", dsi, "--streams", names[2])
        self.expect(OK, "inspect", dsi, "--plan", names[2])
        said = self.expect(USAGE, "inspect", dsi, "--plan", names[2][:-1] + "_").said
        self.assertIn("no feature", said)
        self.expect(USAGE, "inspect", dsi, "--plan", names[2], "--stripe", "999")

    def test_head_and_cat(self):
        dsi = self.dsi()
        head = self.expect(OK, "head", dsi, "-n", "4").stdout
        everything = self.expect(OK, "cat", dsi).stdout
        self.assertEqual(head.count(b"\n"), 4)
        self.assertEqual(everything.count(b"\n"), 3000)
        self.assertTrue(everything.startswith(head))
        lines = everything.splitlines(keepends=True)
        self.assertEqual(self.expect(OK, "cat", dsi, "--rows", "10:20").stdout,
                         b"".join(lines[10:20]))
        self.assertEqual(self.expect(OK, "cat", dsi, "--rows", "2990:").stdout,
                         b"".join(lines[2990:]))
        for row in self.expect(OK, "head", dsi, "--features", "label,session_id").stdout.splitlines():
            self.assertLessEqual(set(json.loads(row)), {"label", "session_id"})
        self.expect(USAGE, "cat", dsi, "--rows", "20:10")
        self.expect(USAGE, "cat", dsi, "--rows", "x")
        self.expect(USAGE, "head", dsi, "-n", "-1")
        self.expect(USAGE, "head", dsi, "--features", "nothing_like_it")

    # Cut lists keep their newest entries, wherever those stand: the tiers of older ones stay unread.
    def test_bench_keeps_the_newest(self):
        for end in ("first", "last"):
            schema = {"features": [{"name": "seen", "kind": "list", "newest": end}]}
            rows = "".join(json.dumps({"seen": [pow(7, row * 400 + i, 2**31 - 1) for i in range(400)]})
                           + "\n" for row in range(60))
            dsi = self.path(f"{end}.dsi")
            self.expect(OK, "convert", self.write("rows.jsonl", rows), dsi, "--schema",
                        self.write("schema.json", json.dumps(schema)), "--force")
            whole, cut = (self.json("bench", dsi, "--features", "seen", "--width", width)
                          for width in ("400", "8"))
            self.assertLess(cut["values_decoded"] * 3, whole["values_decoded"], end)

    def test_bench(self):
        dsi = self.dsi()
        for layout in ("padded", "jagged", "ikjt"):
            found = self.json("bench", dsi, "--features", "user.*,label", "--layout", layout,
                              "--batch-size", "256", "--repeat", "2")
            self.assertEqual(found["rows"], 3000)
            self.assertEqual(found["batches"], 12)
            self.assertGreater(found["output_bytes"], 0)
            self.assertGreaterEqual(found["values_expanded"], found["values_decoded"])
        text = self.expect(OK, "bench", dsi, "--features", "label", "--layout", "dense").stdout
        self.assertIn(b"rows/s", text)
        self.expect(USAGE, "bench", dsi, "--features", "nothing_like_it")
        self.expect(USAGE, "bench", dsi)

    def test_bench_compares_threads_and_says_what_limits_each(self):
        bench = ["bench", self.dsi(), "--features", "*", "--layout", "jagged", "--batch-size", "64",
                 "--repeat", "1", "--threads", "1,2"]
        stages = {"read", "decode", "fill", "blocked", "wait"}
        limits = {"storage", "decoding", "expansion", "the consumer"}
        for more in ([], ["--read-ahead", "64M"], ["--read-ahead", "64M", "--compute"]):
            with self.subTest(more):
                found = self.json(*bench, *more)["by_threads"]
                self.assertEqual([one["threads"] for one in found], [1, 2])
                self.assertEqual(found[0]["speedup"], 1)
                for one in found:
                    self.assertEqual(set(one["stage_seconds"]), stages)
                    self.assertIn(one["limit"], limits)
                    self.assertEqual("overlap_loss" in one, "--compute" in more)
                    # 47 batches: without reading ahead none waits for the consumer.
                    self.assertGreaterEqual(one["batches_ready"], 0)
                    self.assertLess(one["batches_ready"], 47)
                    if not more:
                        self.assertEqual(one["batches_ready"], 0)
                        self.assertNotEqual(one["limit"], "the consumer")
        # Who computes for as long as reading takes has finished batches before it.
        self.assertGreater(max(one["batches_ready"] for one in found), 0)
        text = self.expect(OK, *bench, "--read-ahead", "64M").stdout.decode()
        for threads in ("1 thread", "2 threads"):
            self.assertRegex(text, rf"(?m)^limit, {threads} +.*limits this scan")
        [titles] = [line for line in text.splitlines() if line.startswith("threads")]
        self.assertEqual(re.split(" {2,}", titles.strip()), [
            "threads", "rows/s", "output/s", "speed-up", "read", "decode", "fill", "blocked", "wait",
            "batches ready"])
        one = self.expect(OK, *bench[:-1], "1").stdout.decode()
        self.assertRegex(one, r"(?m)^limit +\w.*limits this scan")
        self.assertIn("--read-ahead", self.expect(USAGE, *bench, "--compute").said)

    def test_files_are_opened_as_asked_for(self):
        dsi = self.dsi()
        for verb in (["bench", "--features", "label", "--repeat", "1"], ["inspect"], ["inspect", "--plan", "label"],
                     ["verify"], ["cat", "--count"], ["head"]):
            self.expect(OK, *verb, dsi, "--direct", "--deadline", "0.5", "--http-header", "A: b", "--http-header", "c: d: e, f")
        self.expect(OK, "cat", dsi.parent, "--direct", "--count")
        for header in ("secret", ": secret", "Authorization:", "A: secret\nB: c"):
            said = self.expect(USAGE, "head", dsi, "--http-header", header).said
            self.assertIn("--http-header: expected one line 'Name: value', in quotes\n", said)
            self.assertNotIn("secret", said)
            self.assertNotIn("Authorization", said)
        for deadline in ("0", "-1", "soon", "1e9"):
            self.expect(USAGE, "head", dsi, "--deadline", deadline)

    def test_a_url_without_a_place(self):
        for verb in (["head"], ["inspect"], ["verify"], ["cat"]):
            for url, expected in (("s3://", "s3://bucket/key"), ("s3:///a/", "s3://bucket/key"),
                                  ("https://", "https://server/path")):
                said = self.expect(USAGE, *verb, url).said
                self.assertIn(f"{url}: names no ", said)
                self.assertIn(f"expected {expected}", said)
        self.assertIn("expected s3://bucket/key", self.expect(USAGE, "table", "log", "s3://").said)


if __name__ == "__main__":
    main()

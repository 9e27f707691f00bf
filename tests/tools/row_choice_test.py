"""Rows chosen on the command line: --where, --sample, --tail, --count, beside a filter over the text."""

import json
import math

from cli_case import DAMAGED, OK, USAGE, CliTest, main, run


class RowChoiceTest(CliTest):
    SCHEMA = {"features": [
        {"name": "id", "kind": "key", "type": "uint64"},
        {"name": "label", "kind": "label", "type": "int8"},
        {"name": "age", "kind": "dense", "type": "float32"},
        {"name": "flag", "kind": "dense", "type": "bool"},
        {"name": "a<=b", "kind": "dense", "type": "int64"},
        {"name": "clicks", "kind": "list", "type": "int64"},
        {"name": "seen", "kind": "weighted", "type": "int64"},
        {"name": "query", "kind": "string"}]}
    ROWS = 5000

    def setUp(self):
        super().setUp()
        self.table = []
        for i in range(self.ROWS):
            row = {"id": 2**64 - 1 - i, "label": i % 7, "flag": i % 2 == 0, "a<=b": i * i % 101 - 50,
                   "clicks": [i, i + 1], "query": f"q{i}"}
            if i % 3:
                row["age"] = i / 4
            if i % 5 == 0:
                row["seen"] = {"ids": [i], "weights": [0.5]}
            self.table.append(row)
        rows = self.write("t.jsonl", "".join(json.dumps(row) + "\n" for row in self.table))
        self.file = self.path("t.dsi")
        self.expect(OK, "convert", rows, self.file, "--schema",
                    self.write("s.json", json.dumps(self.SCHEMA)), "--keep-order", "--quiet",
                    "--stripe-rows", "1100")

    def rows(self, *arguments, verb="cat", warns=False):
        text = self.expect(OK, verb, self.file, *arguments, warns=warns).stdout
        return [json.loads(line) for line in text.splitlines()]

    def count(self, *arguments):
        return int(self.expect(OK, "cat", self.file, "--count", *arguments).stdout)

    def test_operators(self):
        for term, holds in (
                ("label = 3", lambda r: r["label"] == 3),
                ("label=3", lambda r: r["label"] == 3),
                ("label!=3", lambda r: r["label"] != 3),
                ("label < 2", lambda r: r["label"] < 2),
                (" label  <=  2 ", lambda r: r["label"] <= 2),
                ("label>5.5", lambda r: r["label"] > 5.5),
                ("age >= 1e3", lambda r: r.get("age", -1) >= 1000),
                ("age != 0.25", lambda r: "age" in r and r["age"] != 0.25),
                ("id >= 18446744073709551610", lambda r: r["id"] >= 18446744073709551610),
                ("a<=b<=-49", lambda r: r["a<=b"] <= -49),
                ("flag = true", lambda r: r["flag"]),
                ("flag = 0", lambda r: not r["flag"]),
                ("label = 3 or age  missing or a<=b<-40",
                 lambda r: r["label"] == 3 or "age" not in r or r["a<=b"] < -40),
                ("age exists", lambda r: "age" in r),
                ("age  missing", lambda r: "age" not in r),
                ("a<=b exists", lambda r: True),
                ("label in 0, 3,9", lambda r: r["label"] in (0, 3, 9)),
                ("label not in 0,1", lambda r: r["label"] not in (0, 1)),
                ("query = cats", lambda r: False),
                ("query = q17", lambda r: r["query"] == "q17"),
                ("query in q4,\"q, 5\", q6", lambda r: r["query"] in ("q4", "q6")),
                ("query < q2", lambda r: r["query"] < "q2"),
                ("query missing", lambda r: False),
                ("seen exists", lambda r: "seen" in r),
                ("clicks missing", lambda r: "clicks" not in r)):
            with self.subTest(term):
                expected = [row for row in self.table if holds(row)]
                self.assertEqual(self.rows("--where", term), expected)
                self.assertEqual(self.count("--where", term), len(expected))

    def test_terms_are_joined_by_and(self):
        expected = [r for r in self.table if r["label"] == 1 and "age" not in r and r["flag"]]
        self.assertTrue(expected)
        self.assertEqual(self.rows("--where", "label == 1", "--where", "age missing", "--where",
                                   "flag = true"), expected)

    def test_errors_name_the_part_that_is_wrong(self):
        for term, part in (("lable = 1", 'did you mean "label"'), ("label", "no operator"),
                           ("label 1", "no operator"), ("label =! 1", "'=!'"),
                           ("label =< 1", "'=<'"), ("= 1", "no feature"), ("label =", "no value"),
                           ("label = one", "'one'"), ("label = nan", "'nan'"), ("age = 1x", "'1x'"),
                           ("flag = yes", "true or false"), ("clicks = 1", "clicks is a list"),
                           ('query = "1', "in quotes"), ("label in 1,x", "'x'"),
                           ("seen = 1", "seen.ids"),
                           ("quer exists", 'did you mean "query"'), ("", "no operator")):
            for verb in (["cat"], ["head"], ["bench", "--features", "label"]):
                said = self.expect(USAGE, verb[0], self.file, "--where", term, *verb[1:]).said
                self.assertIn(f"--where '{term}': ", said)
                self.assertIn(part, said)
        for share in ("-0.1", "1.1", "nan", "x"):
            self.expect(USAGE, "cat", self.file, "--sample", share)
        self.expect(USAGE, "cat", self.file, "--seed", "1")
        for options in (["--count", "--tail", "1"], ["--count", "--original-order"]):
            self.expect(USAGE, "cat", self.file, *options)
        for options in (["--count", "-n", "1"], ["--tail", "2", "-n", "1"]):
            self.expect(USAGE, "head", self.file, *options)

    def test_first_and_last(self):
        expected = [row for row in self.table if row["label"] == 2]
        term = ["--where", "label = 2"]
        for n in (0, 1, 5, 157, 158, len(expected), len(expected) + 1, 10**6):
            with self.subTest(n):
                last = expected[max(0, len(expected) - n):]
                self.assertEqual(self.rows(*term, "-n", n, verb="head"), expected[:n])
                self.assertEqual(self.rows(*term, "--tail", n), last)
                self.assertEqual(self.rows(*term, "--tail", n, verb="head"), last)
        self.assertEqual(self.rows("--tail", "3"), self.table[-3:])
        self.assertEqual(self.rows("--tail", "0"), [])
        part = [row for row in self.table[1000:3000] if row["label"] == 2]
        self.assertEqual(self.rows(*term, "--rows", "1000:3000"), part)
        self.assertEqual(self.rows(*term, "--rows", "1000:3000", "--tail", "9"), part[-9:])
        self.assertEqual(self.count(*term, "--rows", "1000:3000"), len(part))

    def test_count(self):
        self.assertEqual(self.count(), self.ROWS)
        self.assertEqual(self.count("--rows", "7:7"), 0)
        self.assertEqual(self.json("head", self.file, "--count", "--where", "label = 0"),
                         {"rows": sum(row["label"] == 0 for row in self.table)})

    def test_samples(self):
        def sampled(share, *options):
            return [row["query"] for row in self.rows("--sample", share, *options)]

        tenth = sampled("0.1")
        self.assertLess(abs(len(tenth) - self.ROWS / 10), 5 * math.sqrt(self.ROWS * 0.09))
        self.assertEqual(tenth, sampled("0.1", "--seed", "0"))
        self.assertNotEqual(tenth, sampled("0.1", "--seed", "1"))
        self.assertLess(set(tenth), set(sampled("0.3")))
        self.assertEqual(sampled("0"), [])
        self.assertEqual(len(sampled("1")), self.ROWS)
        self.assertEqual(self.count("--sample", "0.1"), len(tenth))
        # A part of what --where leaves, also where it asks for what is missing.
        both = self.rows("--sample", "0.1", "--where", "age missing")
        self.assertEqual([row["query"] for row in both],
                         [q for q in tenth if "age" not in self.table[int(q[1:])]])
        self.assertEqual(self.rows("--sample", "0.1", "--tail", "4")[-1]["query"], tenth[-1])

    def test_bench_reads_only_rows_that_pass(self):
        found = self.json("bench", self.file, "--features", "clicks", "--where", "label = 1",
                          "--repeat", "1")
        expected = sum(row["label"] == 1 for row in self.table)
        self.assertEqual((found["rows"], found["rows_dropped"]), (expected, self.ROWS - expected))

    def test_damage_is_told(self):
        data = bytearray(self.file.read_bytes())
        data[64:len(data) // 2] = bytes(len(data) // 2 - 64)
        bad = self.write("bad.dsi", bytes(data))
        for options in (["--count"], ["--tail", "9000"], []):
            self.assertEqual(run("cat", bad, "--where", "label = 1", *options).returncode, DAMAGED)


if __name__ == "__main__":
    main()

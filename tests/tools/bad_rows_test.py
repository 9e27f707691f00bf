"""--on-error skip: what is left out, the file of rejects, the count, limits, and how it ends."""

import base64
import json

from cli_case import IO, OK, USAGE, CliTest, main

ROWS = b'{"x": 1}\n{"x":\n{"x": 2}\n{"x": "word"}\n\xff\xfe\n{"x": 3}\n'


class BadRowsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.rows, self.out = self.write("a.jsonl", ROWS), self.path("o.dsi")
        self.rejects = self.path("bad.jsonl")
        self.skip = ["convert", self.rows, self.out, "--on-error", "skip"]

    def kept(self):
        return [json.loads(line)["x"] for line in self.expect(OK, "cat", self.out).stdout.splitlines()]

    def rejected(self):
        return [json.loads(line) for line in self.rejects.read_text().splitlines()]

    def test_rows_that_cannot_be_read_are_kept_beside(self):
        result = self.expect(OK, *self.skip, "--rejects", self.rejects, warns=True)
        self.assertIn("3 rows left out, the first because of", result.said)
        self.assertRegex(result.stdout.decode(), "(?m)^rows left out +3$")
        self.assertNotIn("smaller", result.stdout.decode())
        self.assertEqual(self.kept(), [1, 2, 3])
        found = self.rejected()
        self.assertEqual([(r["file"], r["line"]) for r in found], [(str(self.rows), n) for n in (2, 4, 5)])
        self.assertEqual([r.get("raw") for r in found], ['{"x":', '{"x": "word"}', None])
        self.assertEqual(base64.b64decode(found[2]["raw_base64"]), b"\xff\xfe")
        for row in found:
            self.assertIn(f"a.jsonl:{row['line']}", row["reason"])

    def test_the_count_is_in_the_document(self):
        self.assertEqual(json.loads(self.expect(OK, *self.skip, "--json", warns=True).stdout)["input"]["rejected_rows"], 3)
        good = self.write("good.jsonl", '{"x": 1}\n')
        done = self.json("convert", good, self.out, "--force", "--on-error", "skip", "--rejects", self.rejects)
        self.assertEqual(done["input"]["rejected_rows"], 0)
        self.assertEqual(self.rejected(), [])

    def test_limit(self):
        self.expect(OK, *self.skip, "--max-errors", "3", "-q", warns=True)
        said = self.expect(USAGE, *self.skip, "--force", "--max-errors", "2", "--rejects", self.rejects).said
        self.assertIn("a.jsonl:5", said)
        self.assertIn("--max-errors 2", said)
        self.assertEqual(len(self.rejected()), 3)
        self.assertEqual(self.kept(), [1, 2, 3])  # The old file is left.
        self.expect(USAGE, *self.skip, "--force", "--max-errors", "0")

    def test_threads_change_nothing(self):
        lines = [f'{{"x": {n}, "list": [{", ".join(str(n * k % 1013) for k in range(200))}]}}' for n in range(3000)]
        lines[1700:1700] = ['{"x":', "[]", '{"x": "word"}']
        rows, made = self.write("many.jsonl", "\n".join(lines)), []
        for threads in ("1", "2", "5"):
            self.expect(OK, "convert", rows, self.out, "--on-error", "skip", "--rejects", self.rejects,
                        "--threads", threads, "--force", "-q", warns=True)
            made.append((self.out.read_bytes(), self.rejects.read_bytes()))
            said = self.expect(USAGE, "convert", rows, self.path("no.dsi"), "--threads", threads).said
            self.assertIn("many.jsonl:1701:", said)
        self.assertEqual(made[1:], made[:1] * 2)

    def test_nothing_that_can_be_read_is_an_error(self):
        bad = self.write("bad.csv", "x,y\n1\n2\n")
        said = self.expect(USAGE, "convert", bad, self.out, "--on-error", "skip", "--rejects", self.rejects).said
        self.assertIn("none of 2 rows can be read", said)
        self.assertFalse(self.out.exists())
        self.assertEqual(len(self.rejected()), 2)

    def test_options_that_need_it(self):
        for options in (["--rejects", self.rejects], ["--max-errors", "1"]):
            said = self.expect(USAGE, "convert", self.rows, self.out, *options).said
            self.assertIn("--on-error skip", said)
        self.write("bad.jsonl", "old")
        self.expect(USAGE, *self.skip, "--rejects", self.rejects)
        self.assertEqual(self.rejects.read_text(), "old")
        self.expect(OK, *self.skip, "--rejects", self.rejects, "--force", warns=True)
        self.assertEqual(len(self.rejected()), 3)

    def test_a_schema_of_rows_that_fit(self):
        self.expect(USAGE, "schema", self.rows)
        found = json.loads(self.expect(OK, "schema", self.rows, "--on-error", "skip").stdout)
        self.assertEqual(found["features"], [{"name": "x", "kind": "dense", "type": "int64"}])
        cut = self.write("cut.jsonl.gz", b"\x1f\x8b\x08\x00")
        self.expect(1, "convert", cut, self.out, "--on-error", "skip")
        self.expect(IO, "convert", self.path("none.jsonl"), self.out, "--on-error", "skip")

    def test_list_separator(self):
        table = self.write("l.csv", 'a,b\n"1,2",x\n3,"y,z"\n')
        self.expect(OK, "convert", table, self.out, "-q", "--list-separator", ",")
        rows = [json.loads(line) for line in self.expect(OK, "cat", self.out).stdout.splitlines()]
        self.assertEqual(rows, [{"a": [1, 2], "b": "x"}, {"a": [3], "b": "y,z"}])
        self.assertIn("list", self.expect(OK, "schema", table, "--list-separator", ",").stdout.decode())
        for bad in ("7", "||", ""):
            self.assertIn("list", self.expect(USAGE, "convert", table, self.path("p.dsi"), "--list-separator", bad).said)

    def test_csv_of_other_makes(self):
        table = self.write("part-0", "1\x017\x028\x01\\N\n2\x01\\N\x015\n")
        how = ("--format", "csv", "--header", "u,l,n", "--separator", "\\x01", "--list-separator", "\\x02",
               "--missing", "\\N", "--no-quotes")
        self.expect(OK, "convert", table, self.out, "-q", *how)
        rows = [json.loads(line) for line in self.expect(OK, "cat", self.out).stdout.splitlines()]
        self.assertEqual(rows, [{"u": 1, "l": [7, 8]}, {"u": 2, "n": 5}])
        said = self.expect(OK, "schema", self.write("n.csv", "1;2\n3;4\n"), "--separator", ";", warns=True).said
        self.assertIn("warning: the first line is taken for the names of the columns, and has numbers or times: "
                      "1, 2; of a text without such a line --header says the names", said)
        self.expect(OK, "schema", self.write("t.csv", "x\ty\n1\t2\n"), "--separator", "\\t")
        ratings = self.write("ratings.dat", "1::1193::5::978300760\n")
        how = ("--format", "csv", "--separator", ":", "--header", "user,,item,,rating,,timestamp")
        self.expect(OK, "convert", ratings, self.out, "--force", "-q", *how)
        self.assertEqual(self.expect(OK, "cat", self.out).stdout.decode(),
                         '{"user":1,"item":1193,"rating":5,"timestamp":978300760}\n')
        frame = self.write("f.csv", ",id,x\n0,5,1.5\n1,6,2.5\n")
        said = self.expect(OK, "convert", frame, self.out, "--force", warns=True).said
        self.assertIn("2 values of the columns without a name left out, the first on line 2", said)
        for bad in ("xx", "\\x0g", "\\x1", ""):
            self.assertIn("--separator", self.expect(USAGE, "convert", table, self.out, "--separator", bad).said)
        rows = self.write("r.jsonl", '{"u":1}\n')
        self.assertIn("hint: --format csv", self.expect(USAGE, "schema", rows, "--missing", "NA").said)
        said = self.expect(USAGE, "convert", table, self.out, "--separator", "::").said
        self.assertIn("sed 's/::/\\t/g' IN", said)
        self.assertNotIn("sed", self.expect(USAGE, "convert", table, self.out, "--separator", "a/").said)


if __name__ == "__main__":
    main()

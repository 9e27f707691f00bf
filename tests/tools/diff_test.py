"""Whether two datasets are the same, and what differs."""

import json
import random
import shutil

from cli_case import DAMAGED, DIFFERENT, IO, OK, USAGE, CliTest, main, run


class DiffTest(CliTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        self.rows = [{"request_id": i, "session_id": i // 4, "label": i % 2, "user": {"age": i % 90},
                      "clicks": [draw.randrange(1 << 40) for _ in range(i % 30)]} for i in range(2000)]
        self.a = self.dsi_of("a", self.rows)

    def dsi_of(self, name, rows, *options):
        text = self.write(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        path = self.path(f"{name}.dsi")
        self.expect(OK, "convert", text, path, "-q", "--keep-order", *options)
        return path

    def diff(self, code, *arguments):
        result = run("diff", *arguments)
        self.assertEqual((code, b""), (result.returncode, result.stderr), result.stdout)
        return result.stdout.decode()

    def changed(self):
        rows = json.loads(json.dumps(self.rows))
        rows[5]["label"] = 3
        rows[7]["clicks"][-1] += 1
        del rows[9]["user"]
        return rows

    def test_the_same_rows_stored_in_another_way(self):
        for name, options in (("small", ["--stripe-rows", "128"]), ("archive", ["--tuning", "archive"]),
                              ("plain", ["--no-dedup", "--no-groups"]), ("placed", ["--keep-position"])):
            other = self.dsi_of(name, self.rows, *options)
            self.assertEqual("the same: 2,000 rows\n", self.diff(OK, self.a, other))
        self.assertIn("B alone has it", self.diff(DIFFERENT, self.a, other, "--features", "__position"))
        parts = self.path("parts")
        parts.mkdir()
        for part in range(2):
            shutil.move(self.dsi_of(f"p{part}", self.rows[1000 * part:1000 * (part + 1)]), parts)
        self.diff(OK, self.a, parts)
        self.assertEqual("", self.diff(OK, parts, self.a, "-q"))

    def test_what_changed_is_shown(self):
        b = self.dsi_of("b", self.changed())
        said = self.diff(DIFFERENT, self.a, b)
        self.assertIn("2,000, of which 3 differ", said)
        self.assertRegex(said, r"label +1 +0\.05% +others +5 +1 +3\n")
        self.assertRegex(said, r"user\.age +1 .* 9 +9 +missing\n")
        self.assertTrue(said.endswith("they differ\n"))
        # Of long lists the end, where they differ.
        last = str(self.rows[7]["clicks"][-1])
        self.assertIn(last + "]", said)
        self.assertEqual("", self.diff(DIFFERENT, self.a, b, "--quiet"))
        self.diff(OK, self.a, b, "--features", "request_id,session_id")
        self.diff(OK, self.a, b, "--where", "request_id > 9")
        self.assertIn("1,990, of which 0", self.diff(DIFFERENT, self.a, self.less_a_feature(), "--where", "request_id > 9"))

    def less_a_feature(self):
        rows = [{k: v for k, v in row.items() if k != "label"} for row in self.rows]
        return self.dsi_of("less", [dict(row, extra=[1]) for row in rows])

    def test_schemas(self):
        said = self.diff(DIFFERENT, self.a, self.less_a_feature())
        self.assertRegex(said, r"label +A alone has it +label of int\d+ +-\n")
        self.assertRegex(said, r"extra +B alone has it +- +list of int64\n")
        words = self.dsi_of("words", [dict(row, label=f"w{row['label']}") for row in self.rows])
        said = self.diff(DIFFERENT, self.a, words)
        self.assertRegex(said, r"label +type +int\d+ +bytes\n")
        self.assertIn("not compared: column label: A has numbers, B strings", said)

    def test_order(self):
        moved = self.rows[:]
        random.Random(3).shuffle(moved)
        b = self.dsi_of("b", moved)
        self.assertEqual("the same 2,000 rows in another order\n", self.diff(DIFFERENT, self.a, b))
        self.diff(OK, self.a, b, "--any-order")
        self.diff(OK, self.a, b, "--key", "request_id")
        moved[3] = dict(moved[3], label=9)
        del moved[5]
        c = self.dsi_of("c", moved)
        self.assertIn("--key compares rows", self.diff(DIFFERENT, self.a, c, "--any-order"))
        told = json.loads(self.diff(DIFFERENT, self.a, c, "--key", "request_id", "--json"))
        self.assertEqual([False, False, 2000, 1999, 1999, 1, 1, 0],
                         [told[k] for k in ("same", "same_rows", "rows_a", "rows_b", "rows_compared",
                                            "rows_differing", "only_a", "only_b")])
        label = next(column for column in told["columns"] if column["name"] == "label")
        self.assertEqual([1, 3, 9, moved[3]["request_id"]],
                         [label[k] for k in ("rows_differing", "row_b", "value_b", "row_a")])
        # More rows wait for their keys than fit.
        said = self.expect(IO, "diff", self.a, b, "--key", "request_id", "--memory", "10K").said
        self.assertIn("compare fewer --features", said)
        self.assertIn("not known", self.diff(DIFFERENT, self.a, c, "--memory", "10K"))

    def test_many_columns(self):
        rows = [{f"f{i:02}": i + row for i in range(40)} for row in range(20)]
        a, b = (self.dsi_of(n, [dict(row, x=0) for row in r]) for n, r in (("m", rows), ("n", rows[1:] + rows[:1])))
        changed = self.dsi_of("o", [{k: v + 1 for k, v in row.items()} for row in rows])
        self.diff(DIFFERENT, a, b)
        said = self.diff(DIFFERENT, self.dsi_of("q", rows), changed)
        self.assertIn("and 20 more columns (--all shows them)", said)
        self.assertNotIn("more columns", self.diff(DIFFERENT, self.path("q.dsi"), changed, "--all"))

    def test_errors(self):
        self.assertIn("did you mean", self.expect(USAGE, "diff", self.a, self.a, "--features", "lable").said)
        self.expect(USAGE, "diff", self.a, self.a, "--key", "nobody")
        self.expect(USAGE, "diff", self.a)
        self.expect(IO, "diff", self.a, self.path("gone.dsi"))
        said = self.expect(DAMAGED, "diff", self.a, self.path("a.jsonl")).said
        self.assertRegex(said, "hint: 'dsictl convert .*a.jsonl OUT.dsi'")
        less = self.less_a_feature()
        said = self.expect(USAGE, "diff", self.a, less, "--where", "label = 1").said
        self.assertIn("less.dsi: --where", said)
        data = bytearray(self.a.read_bytes())
        data[len(data) // 3] ^= 8
        damaged = self.write("damaged.dsi", bytes(data))
        self.expect(DAMAGED, "diff", self.a, damaged)

    def test_odd_texts(self):
        rows = [{"id": i, "x": text} for i, text in enumerate(["", "a" * 100, "\x1b[31m", "ä" * 50])]
        other = [dict(row, x=row["x"] + "ö") for row in rows]
        a, b = self.dsi_of("s", rows), self.dsi_of("t", other)
        self.assertNotIn("\x1b", self.diff(DIFFERENT, a, b))
        for row in range(4):
            said = self.diff(DIFFERENT, a, b, "--where", f"id = {row}")
            self.assertIn("ö", said)
            told = json.loads(self.diff(DIFFERENT, a, b, "--where", f"id = {row}", "--json"))
            self.assertEqual([rows[row]["x"], other[row]["x"]], [told["columns"][1][k] for k in ("value_a", "value_b")])


if __name__ == "__main__":
    main()

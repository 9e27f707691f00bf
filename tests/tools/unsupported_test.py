"""A feature that only a newer reader knows does not stop the others, unless it is asked for."""

import json
import sys
from pathlib import Path

from cli_case import DAMAGED, OK, UNSUPPORTED, CliTest, main, run

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))
from example_files import editor, en  # May skip.
from build_example import Builder, Col, Grp, Rows


def unknown(values, width):  # E-005
    return b"\x63" + en.raw(values, width)[1:]


class UnsupportedTest(CliTest):
    COLUMNS = [Col("a", "dense", "int8"), Col("b", "dense", "int8"), Col("c", "dense", "int64")]

    def file(self, edit=None, columns=None, stripes=None, groups=()):
        stripes = stripes or [Rows(2, {"a": [1, 2], "b": [3, 4], "c": [5, 6]})]
        return self.write("f.dsi", Builder(columns or self.COLUMNS, stripes, groups,
                                           edit=edit).bytes())

    def rows(self, *arguments, warns=True):
        result = self.expect(OK, *arguments, warns=warns)
        return [json.loads(line) for line in result.stdout.splitlines()], result.said

    def check(self, path, expected, rule):
        """`b` cannot be read; `expected` is what everything else holds."""
        for verb in ("cat", "head"):
            rows, said = self.rows(verb, path)
            self.assertEqual(rows, expected)
            self.assertIn('feature "b" is left out', said)
            self.assertIn(rule, said)
            self.assertEqual(self.rows(verb, path, "--features", "a", warns=False)[0],
                             [{"a": row["a"]} for row in expected])
            self.assertEqual(self.rows(verb, path, "--features", "*")[0], expected)
            self.expect(UNSUPPORTED, verb, path, "--features", "a,b")
        self.expect(OK, "bench", path, "--features", "*", "--repeat", "1", warns=True)
        self.expect(OK, "bench", path, "--features", "a", "--repeat", "1")
        self.assertEqual(run("bench", path, "--features", "b").returncode, UNSUPPORTED)
        stats = json.loads(self.expect(OK, "inspect", path, "--stats", "--json", warns=True).stdout)
        self.assertEqual({s["name"]: s["min"] for s in stats}, expected[0])
        self.expect(OK, "values", path, "--features", "a")
        self.assertNotEqual(run("values", path, "--features", "b").returncode, OK)
        self.expect(OK, "inspect", path)
        self.expect(OK, "inspect", path, "--plan", "a")
        self.assertEqual(run("inspect", path, "--plan", "*").returncode, OK)
        # What a conversion leaves out is lost for good: it is refused.
        for out in (self.path("o.jsonl"), self.path("o.dsi")):
            self.expect(UNSUPPORTED, "convert", path, out)
            self.assertFalse(out.exists())
        self.check_verify(path, rule)

    def check_verify(self, path, rule):
        """Nothing is damaged."""
        result = self.expect(UNSUPPORTED, "verify", path)
        self.assertIn("f.dsi: unsupported", result.stdout.decode())
        self.assertNotIn("damaged", result.stdout.decode())
        found = json.loads(run("verify", path, "--json").stdout)["files"][0]
        self.assertEqual((found["state"], found["damage"]), ("unsupported", []))
        self.assertIn(rule, found["unsupported"][0]["message"])

    def test_encoding(self):  # E-005
        path = self.file(stripes=[Rows(2, {"a": [1, 2], "b": [3, 4], "c": [5, 6]},
                                       nodes={"b": unknown})])
        self.check(path, [{"a": 1, "c": 5}, {"a": 2, "c": 6}], "E-005")

    def test_encoding_of_a_later_stripe(self):  # E-005
        path = self.file(stripes=[
            Rows(2, {"a": [1, 2], "b": [3, 4], "c": [5, 6]}),
            Rows(2, {"a": [1, 2], "b": [3, 4], "c": [5, 6]}, nodes={"b": unknown})])
        rows, said = self.rows("cat", path)
        self.assertEqual(rows[-1], {"a": 2, "c": 6})
        self.assertEqual(self.rows("cat", path, "--rows", "0:2", warns=False)[0][0],
                         {"a": 1, "b": 3, "c": 5})

    def test_encoding_far_behind_rows_that_do_not_pass(self):  # E-005
        many = Rows(3000, {"a": [1] * 3000, "b": [3] * 3000, "c": [5] * 3000})
        path = self.file(stripes=[many, Rows(2, {"a": [1, 2], "b": [3, 4], "c": [5, 6]},
                                             nodes={"b": unknown})])
        self.assertEqual(self.rows("cat", path, "--where", "a = 2")[0], [{"a": 2, "c": 6}])
        self.expect(UNSUPPORTED, "cat", path, "--where", "b = 4")
        # It goes on behind the rows that were given, of which one in two passed.
        every_other = Rows(3000, {"a": [1, 2] * 1500, "b": [3] * 3000, "c": list(range(3000))})
        path = self.file(stripes=[every_other, Rows(2, {"a": [1, 2], "b": [3, 4], "c": [5, 6]},
                                                    nodes={"b": unknown})])
        self.assertEqual([row["c"] for row in self.rows("cat", path, "--where", "a = 2")[0]],
                         [*range(1, 3000, 2), 6])

    def test_index_form(self):  # D-001
        columns = [Col("a", "dense", "int8"), Col("b", "dense", "int8", group=1)]
        path = self.file(editor("stripe 0 groups", 1, {"form": 7}), columns,
                         [Rows(4, {"a": [1, 2, 3, 4], "b": [5, 6]}, [(1, 2, [3, 1])])], [Grp("g")])
        self.check(path, [{"a": i} for i in (1, 2, 3, 4)], "D-001")

    def test_kind_and_type(self):  # S-010, S-011
        for change, rule in (({"kind": 99}, "S-010"), ({"type": 99}, "S-011")):
            path = self.file(editor("columns", 1, change))
            self.check(path, [{"a": 1, "c": 5}, {"a": 2, "c": 6}], rule)
            kinds = {f["name"]: f for f in self.json("inspect", path, "--features")}
            self.assertEqual(set(kinds), {"a", "b", "c"})

    def test_beside_files_that_can_be_read(self):  # DS-027
        rows = [Rows(2, {"a": [1, 2], "b": [3, 4], "c": [5, 6]})]
        self.path("d").mkdir()
        self.write("d/0.dsi", Builder(self.COLUMNS, rows, ()).bytes())
        self.write("d/1.dsi", Builder(self.COLUMNS, rows, (), edit=editor("columns", 1, {"type": 99})).bytes())
        folder = self.path("d")
        found, said = self.rows("cat", folder)
        self.assertEqual(found, [{"a": 1, "c": 5}, {"a": 2, "c": 6}] * 2)
        self.assertIn('feature "b" is left out', said)
        self.assertIn("1.dsi", said)
        self.assertEqual(len(self.json("values", folder, "--features", "a")), 1)
        for command in (["cat", folder, "--features", "b"], ["head", folder, "--where", "b missing"],
                        ["cat", folder, "--where", "b = 3", "--count"], ["values", folder, "--features", "b"],
                        ["bench", folder, "--features", "b", "--repeat", "1"], ["shuffle", folder, "--features", "b"],
                        ["delete", folder, "--where", "b = 3"], ["rewrite", folder, self.path("o.dsi")],
                        ["manifest", folder, "-o", self.path("m.json")]):
            self.assertIn("1.dsi", self.expect(UNSUPPORTED, *command).said)
        self.assertEqual(self.names(), ["d"])

    def test_damage_outweighs(self):
        path = self.file(stripes=[Rows(2, {"a": [1, 2], "b": [3, 4], "c": [5, 6]},
                                       nodes={"b": unknown})])
        bad = self.write("bad.dsi", path.read_bytes()[:-1])
        self.expect(DAMAGED, "verify", path, bad)
        newer = self.write("new.dsi", Builder(self.COLUMNS, [Rows(2, {
            "a": [1, 2], "b": [3, 4], "c": [5, 6]})], edit=editor("header", None, {"major": 2})).bytes())
        for verb in ("verify", "cat", "inspect"):
            self.expect(UNSUPPORTED, verb, newer)


if __name__ == "__main__":
    main()

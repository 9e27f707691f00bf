"""--explain-schema: what decided on each feature, the key that is proposed, rows of sessions mixed."""

import json
import random

from cli_case import OK, USAGE, CliTest, main, run


class ExplainSchemaTest(CliTest):
    def explain(self, *arguments, verb="schema", warns=False):
        return json.loads(self.expect(OK, verb, *arguments, "--explain-schema", "--json", warns=warns).stdout)

    def test_what_decided(self):
        rows = self.write("a.jsonl", "\n".join(json.dumps(row) for row in (
            {"session_id": "a", "user_id": 7, "n": -3, "x": 1, "when": "2024-05-01T10:00:00.25Z", "l": [1, 2, 3]},
            {"session_id": "bcd", "user_id": 7, "n": 5, "x": 0.5, "when": "2024-05-02", "l": [], "s": "word"},
            {"session_id": "a", "ts": 1700000000123, "big": 2**64 - 1, "ok": True, "label": 1})))
        found = self.explain(rows, warns=True)  # Of what "big" is.
        self.assertEqual(found["rows"], 3)
        self.assertEqual(found["cluster_by"], ["session_id", "ts"])
        features = {f["name"]: f for f in found["features"]}
        self.assertEqual(list(features), ["session_id", "user_id", "n", "x", "when", "l", "s", "ts", "big", "ok", "label"])
        why = {name: f["why"] for name, f in features.items()}
        self.assertEqual(why, {
            "session_id": "its name is that of a session; text", "user_id": "its name is that of an owner; whole numbers",
            "n": "whole numbers", "x": "a fraction on line 2",
            "when": "every text is a time (ISO 8601), with up to 2 digits of a fraction",
            "l": "a list on line 1; whole numbers", "s": "text", "ts": "its name is that of a time; ms by its size",
            "big": "2^63 or more on line 3", "ok": "true and false", "label": "its name is that of a label; whole numbers"})
        of = lambda name: [features[name][key] for key in ("kind", "type", "rows", "missing", "least", "greatest", "longest")]
        self.assertEqual(of("session_id"), ["key", "bytes", 3, 0, None, None, 3])
        self.assertEqual(of("n"), ["dense", "int64", 2, 1, "-3", "5", 0])
        self.assertEqual(of("x"), ["dense", "float64", 2, 1, "0.5", "1", 0])
        self.assertEqual(of("when"), ["timestamp", "int64", 2, 1, "2024-05-01T10:00:00.25Z", "2024-05-02", 0])
        self.assertEqual(of("l"), ["list", "int64", 2, 1, "1", "3", 3])
        self.assertEqual(features["big"]["greatest"], str(2**64 - 1))
        self.assertEqual(features["l"]["examples"], ["[1,2,3]", "[]"])
        self.assertEqual(features["session_id"]["examples"], ["a", "bcd"])
        self.assertEqual(features["when"]["unit"], "ms")

    def test_csv_and_many_files(self):
        a, b = self.write("a.csv", "x,y,l\n1,2,3\n"), self.write("b.csv", "y,l\nword,1|2\n")
        features = {f["name"]: f for f in self.explain(a, b)["features"]}
        self.assertEqual(features["y"]["why"], f"text on line 2 of {b} among numbers")
        self.assertEqual(features["l"]["why"], f"a list on line 2 of {b}; whole numbers")
        self.assertEqual((features["x"]["missing"], features["l"]["longest"]), (1, 2))

    def test_table_beside_the_report(self):
        rows = self.write("a.jsonl", '{"x": 1, "name": "' + "ä" * 60 + '"}\n')
        shown = self.expect(OK, "schema", rows, "--explain-schema").stdout.decode()
        for part in ("why", "whole numbers", "ä…", "rows looked at"):
            self.assertIn(part, shown)
        out = self.path("o.dsi")
        shown = self.expect(OK, "convert", rows, out, "--explain-schema").stdout.decode()
        self.assertIn("whole numbers", shown)
        self.assertIn("dedupe factor", shown)
        self.assertNotIn("features", self.json("convert", rows, out, "--force")["input"])
        found = json.loads(self.expect(OK, "convert", rows, out, "--force", "--json", "--explain-schema").stdout)
        self.assertEqual([f["name"] for f in found["input"]["features"]], ["x", "name"])

    def test_a_key_is_proposed_where_none_is_named(self):
        random.seed(4)
        lists = {who: [random.randrange(10**6) for _ in range(20)] for who in range(100)}
        rows = self.write("m.jsonl", "".join(
            json.dumps({"who": who, "kind": random.randrange(9), "seen": lists[who], "n": n}) + "\n"
            for n in range(2000) for who in [random.randrange(100)]))
        result = run("schema", rows, "--explain-schema")
        self.assertEqual(result.returncode, OK)
        self.assertIn("rows look interleaved and no session key was found", result.stderr.decode())
        self.assertRegex(result.stdout.decode(), r"key to consider +who  \(20.0 rows each; \d+% of the bytes")
        found = json.loads(run("schema", rows, "--explain-schema", "--json").stdout)
        self.assertEqual(found["keys_to_consider"][0]["name"], "who")
        self.assertGreater(found["keys_to_consider"][0]["repeats"] - found["repeats"], 0.5)

    def test_where_nothing_is_found_nothing_is_explained(self):
        rows = self.write("a.jsonl", '{"x": 1}\n')
        schema = self.write("s.json", self.expect(OK, "schema", rows).stdout)
        out = self.path("o.dsi")
        said = self.expect(USAGE, "convert", rows, out, "--schema", schema, "--explain-schema").said
        self.assertIn("of a schema that is found", said)
        self.expect(OK, "convert", rows, out, "-q")
        self.assertIn("inspect", self.expect(USAGE, "schema", out, "--explain-schema").said)
        self.assertIn("--explain-schema", self.expect(USAGE, "schema", rows, "--json").said)


if __name__ == "__main__":
    main()

"""Lists of strings, and lists of objects, from a log to a file and back."""

import json

from cli_case import OK, USAGE, CliTest, main

ROWS = (
    '{"session_id":"a","tags":["red","blue"],"seen":[{"item":"x","time":3},{"item":"y","time":4}]}\n'
    '{"session_id":"a","tags":[],"seen":[]}\n'
    '{"session_id":"b","tags":["red"]}\n'
)


class HashedTest(CliTest):
    def test_from_a_log_to_a_file_and_back(self):
        log, dsi = self.write("log.jsonl", ROWS), self.path("log.dsi")
        said = self.expect(OK, "convert", log, dsi, warns=True).said
        self.assertIn("warning: tags, seen.item: lists of strings are stored as ids", said)
        schema = json.loads(self.expect(OK, "schema", dsi).stdout)
        features = {f["name"]: f for f in schema["features"]}
        self.assertIs(features["tags"]["hashed"], True)
        self.assertEqual([c.get("hashed") for c in features["seen"]["columns"]], [True, None])
        columns = {c["name"]: c for c in self.json("inspect", dsi, "--features")}
        self.assertEqual([name for name, c in columns.items() if c.get("hashed")], ["tags", "seen.item"])
        self.assertIn("int64, hashed", self.expect(OK, "inspect", dsi, "--features").stdout.decode())
        # A day later the same schema gives the same ids, without a warning; ids stay what they are.
        again, found = self.path("again.dsi"), self.write("schema.json", json.dumps(schema))
        self.expect(OK, "convert", log, again, "--schema", found, "-q")
        ids = self.expect(OK, "cat", dsi).stdout
        self.assertEqual(self.expect(OK, "cat", again).stdout, ids)
        third = self.path("third.dsi")
        self.expect(OK, "convert", self.write("ids.jsonl", ids.decode()), third, "--schema", found, "-q")
        self.assertEqual(third.read_bytes(), again.read_bytes())
        self.expect(OK, "verify", dsi)

    def test_names_that_may_be_data(self):
        rows = [{"session_id": i // 5, "scores": {f"i{i}": 0.5, "all": 1}, "f": {f"f{i % 50}": 1}}
                for i in range(150)]
        log, dsi = self.write("log.jsonl", "".join(json.dumps(r) + "\n" for r in rows)), self.path("a.dsi")
        said = self.expect(OK, "convert", log, dsi, warns=True).said
        self.assertIn('warning: the 151 names in "scores" are features of their own, each in 1.3% of '
                      'the rows; names that are data take a --schema with {"name": "scores", "kind": '
                      '"weighted", "hashed": true}', said)
        self.assertNotIn('in "f"', said)
        schema = self.write("s.json", json.dumps({"features": [
            {"name": "session_id", "kind": "key", "type": "int64"},
            {"name": "scores", "kind": "weighted", "hashed": True},
            {"name": "f", "kind": "weighted", "hashed": True}]}))
        self.expect(OK, "convert", log, dsi, "--schema", schema, "--force", "-q")
        (row,) = self.expect(OK, "cat", dsi, "--rows", "7:8", "--features", "scores").stdout.splitlines()
        self.assertEqual(json.loads(row)["scores"]["weights"], [0.5, 1])

    def test_files_that_differ_are_not_merged(self):
        for name, tags in (("a", ["x"]), ("b", [5])):
            text = self.write(f"{name}.jsonl", json.dumps({"session_id": 1, "tags": tags}) + "\n")
            self.expect(OK, "convert", text, self.path(f"{name}.dsi"), "-q", warns=name == "a")
        said = self.expect(USAGE, "rewrite", self.path("a.dsi"), self.path("b.dsi"), self.path("c.dsi")).said
        self.assertIn("list of int64, hashed", said)


if __name__ == "__main__":
    main()

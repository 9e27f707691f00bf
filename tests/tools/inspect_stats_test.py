"""inspect --stats beside the same figures counted over the text."""

import json
import math

from cli_case import DAMAGED, OK, CliTest, main

SCHEMA = {"features": [
    {"name": "id", "kind": "key", "type": "uint64"},
    {"name": "time", "kind": "timestamp", "unit": "us"},
    {"name": "small", "kind": "dense", "type": "int16"},
    {"name": "x", "kind": "dense", "type": "float32"},
    {"name": "y", "kind": "dense", "type": "float64"},
    {"name": "flag", "kind": "dense", "type": "bool"},
    {"name": "clicks", "kind": "list", "type": "int64"},
    {"name": "query", "kind": "string"},
    {"name": "topics", "kind": "weighted", "type": "uint32"},
    {"name": "vector", "kind": "embedding", "type": "float32", "length": 2},
    {"name": "never", "kind": "list", "type": "int64"}]}


def row(i):
    made = {"id": 2**64 - 1 - i, "time": 1700000000000000 + i, "small": -i, "flag": False,
            "clicks": list(range(i // 4 % 6)), "vector": [float(i), -0.5]}
    if i % 4:
        made["x"] = "NaN" if i % 3 == 0 else 0.1 + i
        made["y"] = "Infinity" if i == 5 else i / 7
    if i % 5:
        made["query"] = "é" * (i % 3)
        made["topics"] = {"ids": [i, 3], "weights": [0.5, 0.25]}
    return made


class StatsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.made = [row(i) for i in range(5000)]
        rows = self.write("t.jsonl", "".join(json.dumps(r) + "\n" for r in self.made))
        schema = self.write("s.json", json.dumps(SCHEMA))
        self.file = self.path("t.dsi")
        self.expect(OK, "convert", rows, self.file, "--schema", schema, "--quiet", "--stripe-rows",
                    "1300", warns=True)
        self.stats = {s["name"]: s for s in self.json("inspect", self.file, "--stats")}

    def check(self, name, values, lengths=None):
        found = self.stats[name]
        self.assertEqual(found["rows"], len(values))
        missing = sum(v is None for v in values)
        self.assertEqual(found["missing"], missing)
        self.assertAlmostEqual(found["missing_share"], missing / len(values))
        if lengths is not None:
            self.assertEqual((found["min_length"], found["max_length"], found["entries"]),
                             (min(lengths), max(lengths), sum(lengths)))
            self.assertAlmostEqual(found["mean_length"], sum(lengths) / len(lengths))
        else:
            self.assertNotIn("min_length", found)

    def test_missing_and_least_and_greatest(self):
        for name in ("id", "time", "small", "x", "y", "flag", "vector"):
            self.check(name, [r.get(name) for r in self.made])
        for name, least, greatest in (("id", 2**64 - 5000, 2**64 - 1), ("small", -4999, 0),
                                      ("time", 1700000000000000, 1700000000004999),
                                      ("flag", 0, 0), ("vector", -0.5, 4999.0)):
            self.assertEqual((self.stats[name]["min"], self.stats[name]["max"]), (least, greatest))
        numbers = [r["x"] for r in self.made if r.get("x", "NaN") != "NaN"]
        self.assertTrue(math.isclose(self.stats["x"]["min"], min(numbers), rel_tol=1e-6))
        self.assertTrue(math.isclose(self.stats["x"]["max"], max(numbers), rel_tol=1e-6))
        self.assertEqual(self.stats["x"]["nan"], sum(r.get("x") == "NaN" for r in self.made))
        self.assertEqual((self.stats["y"]["min"], self.stats["y"]["max"]), (1 / 7, "Infinity"))

    def test_lengths(self):
        clicks = [r["clicks"] for r in self.made]
        self.check("clicks", clicks, [len(c) for c in clicks])
        self.assertEqual((self.stats["clicks"]["min"], self.stats["clicks"]["max"]), (0, 4))
        queries = [r.get("query") for r in self.made]
        self.check("query", queries, [len(q.encode()) for q in queries if q is not None])
        self.assertEqual((self.stats["query"]["min"], self.stats["query"]["max"]), ("", "éé"))
        topics = [r.get("topics") for r in self.made]
        self.check("topics.ids", topics, [2 for t in topics if t])
        self.assertEqual(self.stats["topics.weights"]["max"], 0.5)
        never = self.stats["never"]
        self.assertEqual((never["missing"], never["min_length"], never["min"]), (5000, 0, None))

    def test_time(self):
        self.assertEqual((self.stats["time"]["first_time"], self.stats["time"]["last_time"]),
                         ("2023-11-14T22:13:20.000000Z", "2023-11-14T22:13:20.004999Z"))
        self.assertNotIn("first_time", self.stats["id"])

    def test_people_see_a_table(self):
        text = self.expect(OK, "inspect", self.file, "--stats").stdout.decode()
        lines = {line.split()[0]: line for line in text.splitlines() if line}
        self.assertRegex(lines["x"], r"25\.00% .* 1,250$")
        self.assertRegex(lines["clicks"], r"0\.00% +0 to 5 +2\.5 ")
        self.assertIn("2023-11-14T22:13:20.004999Z", lines["time"])
        self.assertIn("0.1", text)

    def test_many_features(self):
        wide = self.dsi("wide")
        stats = self.json("inspect", wide, "--stats")
        self.assertEqual([s["name"] for s in stats],
                         [c["name"] for c in self.json("inspect", wide, "--features")])
        self.assertEqual({s["rows"] for s in stats}, {60})

    def test_no_rows(self):
        empty = self.path("e.dsi")
        self.expect(OK, "convert", self.file, empty, "--where", "flag = 1", "-q")
        found = self.json("inspect", empty, "--stats")[0]
        self.assertEqual((found["rows"], found["missing_share"], found["min"]), (0, 0, None))
        self.expect(OK, "inspect", empty, "--stats")

    def test_damage(self):
        data = bytearray(self.file.read_bytes())
        data[100:2000] = bytes(1900)
        self.expect(DAMAGED, "inspect", self.write("bad.dsi", bytes(data)), "--stats")


if __name__ == "__main__":
    main()

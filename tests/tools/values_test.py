"""dsictl values: what it says of values whose counts are known, as a table and as JSON."""

import collections
import json
import statistics

from cli_case import DAMAGED, IO, OK, USAGE, CliTest, main

ROWS = [{"session_id": i // 4, "label": int(i % 4 == 0), "price": i % 7 / 2,
         "items": [i // 4, i % 5], "city": ["Bern", "Wien", "Bern"][i % 3]} for i in range(200)]
for row in ROWS[::50]:
    del row["price"]


class ValuesTest(CliTest):
    def setUp(self):
        super().setUp()
        self.path("d").mkdir()
        for part in range(2):
            rows = "".join(json.dumps(row) + "\n" for row in ROWS[part * 100:part * 100 + 100])
            self.expect(OK, "convert", self.write("t.jsonl", rows), self.path(f"d/{part}.dsi"), "--quiet",
                        "--session-key", "session_id")

    def values(self, *options):
        return {of_one["name"]: of_one for of_one in self.json("values", self.path("d"), *options)}

    def test_counts_of_all_files(self):
        found = self.values("--top", "1000")
        self.assertEqual(list(found), ["session_id", "label", "items", "city", "price"])
        for name in found:
            entries = [entry for row in ROWS if name in row
                       for entry in (row[name] if isinstance(row[name], list) else [row[name]])]
            counts = sorted(collections.Counter(entries).items(), key=lambda pair: (-pair[1], pair[0]))
            of_one = found[name]
            self.assertEqual(list(zip(of_one["values"], of_one["counts"])), counts, name)
            self.assertEqual((of_one["rows"], of_one["entries"], of_one["different"]), (200, len(entries), len(counts)))
            self.assertEqual((of_one["min"], of_one["max"], of_one["share"]), (min(entries), max(entries), 1))
            if name != "city":
                self.assertEqual(of_one["median"], statistics.median_low(entries))
                self.assertAlmostEqual(of_one["mean"], statistics.fmean(entries), 12)
                self.assertAlmostEqual(of_one["deviation"], statistics.pstdev(entries), 12)
        self.assertEqual((found["price"]["missing"], found["label"]["missing"]), (4, 0))
        self.assertEqual((found["items"]["min_length"], found["items"]["max_length"]), (2, 2))
        self.assertNotIn("mean", found["city"])

    def test_a_vocabulary(self):
        found = self.values("--features", "items,city", "--min-count", "41")
        counts = collections.Counter(item for row in ROWS for item in row["items"])
        frequent = [item for item, count in counts.items() if count > 40]
        self.assertEqual(sorted(found["items"]["values"]), sorted(frequent))
        self.assertEqual(found["items"]["share"], sum(counts[item] for item in frequent) / 400)
        self.assertEqual(found["city"]["values"], ["Bern", "Wien"])
        self.assertEqual(self.values("--features", "city", "--top", "1")["city"]["values"], ["Bern"])
        self.assertNotIn("values", self.values("--features", "city")["city"])

    def test_rows_and_quantiles(self):
        clicked = self.values("--features", "label,price", "--where", "label = 1", "--quantiles", "4")
        prices = sorted(row["price"] for row in ROWS if row["label"] == 1 and "price" in row)
        self.assertEqual(clicked["label"]["rows"], 50)
        self.assertEqual(clicked["label"]["quantiles"], [1, 1, 1])
        at = [prices[-(-len(prices) * i // 4) - 1] for i in (1, 2, 3)]
        self.assertEqual(clicked["price"]["quantiles"], at)
        self.assertLess(self.values("--features", "label", "--sample", "0.5")["label"]["rows"], 150)

    def test_great_ids_stay_apart(self):
        ids = [2**62 + i for i in range(5)] + [-2**63, 2**63 - 1]
        rows = "".join(json.dumps({"session_id": i, "u": i % 2**62 + 2**63}) + "\n" for i in ids)
        self.expect(OK, "convert", self.write("i.jsonl", rows), self.path("i.dsi"), "-q", warns=True)
        found = {c["name"]: c for c in self.json("values", self.path("i.dsi"), "--top", "9", "--quantiles", "7")}
        self.assertEqual([found["session_id"][key] for key in ("min", "median", "max")], [min(ids), 2**62 + 2, max(ids)])
        self.assertEqual(found["session_id"]["quantiles"], sorted(ids)[:-1])
        self.assertEqual(found["session_id"]["values"], sorted(ids))
        self.assertEqual(found["u"]["max"], max(i % 2**62 + 2**63 for i in ids))
        texts = {c["name"]: c for c in self.json("values", self.path("i.dsi"), "--top", "1", "--ids-as-strings")}
        self.assertEqual(texts["session_id"]["min"], str(-2**63))

    def test_what_a_pipeline_makes(self):
        pipeline = self.write("p.json", json.dumps({"version": 1, "steps": [
            {"output": "bucket", "op": "modulus", "inputs": ["items"], "max": 3}]}))
        made = self.values("--pipeline", pipeline, "--top", "5")
        self.assertEqual(list(made), ["bucket"])
        counts = collections.Counter(item % 3 for row in ROWS for item in row["items"])
        self.assertEqual(dict(zip(made["bucket"]["values"], made["bucket"]["counts"])), dict(counts))
        self.assertEqual(list(self.values("--pipeline", pipeline, "--features", "bucket,label")), ["bucket", "label"])

    def test_the_table(self):
        said = self.expect(OK, "values", self.path("d"), "--features", "price,city", "--top", "1", "--quantiles", "2").stdout.decode()
        lines = said.splitlines()
        self.assertEqual(lines[0].split(), ["feature", "type", "missing", "entries", "different", "least", "median",
                                            "greatest", "mean", "deviation"])
        self.assertEqual(lines[1].split()[:8], ["price", "float64", "2.00%", "196", "7", "0", "1.5", "3"])
        self.assertEqual(lines[2].split(), ["city", "bytes", "0.00%", "200", "2", "Bern", "Wien"])
        self.assertIn("price: 1.5", lines)
        self.assertIn("1 of 2 values, 66.50% of the entries", lines)
        # What ids and times average is nothing that anyone asks for.
        ids = self.expect(OK, "values", self.path("d"), "--features", "session_id").stdout.decode().splitlines()
        self.assertEqual(len(ids[1].split()), 8)

    def test_errors(self):
        self.assertIn('did you mean "items"', self.expect(USAGE, "values", self.path("d"), "--features", "item").said)
        self.assertIn("--sample", self.expect(IO, "values", self.path("d"), "--memory", "1k").said)
        for options in (["--quantiles", "1"], ["--top", "-1"], ["--threads", "x"]):
            self.expect(USAGE, "values", self.path("d"), *options)
        self.expect(IO, "values", self.path("d/*.dis"))
        self.expect(IO, "values", self.path("d"), "--pipeline", self.path("none.json"))
        data = bytearray(self.path("d/0.dsi").read_bytes())
        for at in range(16, 600):
            data[at] ^= 1
        self.path("d/0.dsi").write_bytes(data)
        self.expect(DAMAGED, "values", self.path("d"))


if __name__ == "__main__":
    main()

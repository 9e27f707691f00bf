"""What inspect says of choices: by which tuning, what was chosen for each feature, and why."""

import json
import random
import re

from cli_case import DAMAGED, OK, CliTest, main

PRICES = {"nvme": 4, "network": 12, "archive": 200}
COST = {"encoding", "bytes_per_value", "ns_per_value", "cost"}
STREAM = {"owner", "role", "stripe", "values", "bytes", "ns_per_byte", "alias", "source", "encodings",
          "chosen", "runner_up", "why", "damage"}
WHY = (r"(<0\.1|0\.\d|\d+)% smaller( and faster)?|faster: (<?[\d.]+) vs (<?[\d.]+) ns|"
       r"\d+% dearer here|the same within 1%|no other way|one value|stored once")


class ChoicesTest(CliTest):
    def text(self, *arguments):
        return self.expect(OK, "inspect", *arguments).stdout.decode()

    def check_stream(self, stream, price):
        self.assertEqual(set(stream), STREAM)
        if stream["role"] != "index":
            self.assertEqual(stream["ns_per_byte"], price)
        self.assertRegex(stream["why"], f"^({WHY})$")
        self.assertEqual(sum(e["bytes"] for e in stream["encodings"]) * (not stream["alias"]),
                         stream["bytes"])
        sizes = [e["bytes"] for e in stream["encodings"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        for cost in (stream["chosen"], stream["runner_up"]):
            if cost is None:
                continue
            self.assertEqual(set(cost), COST)
            space = cost["bytes_per_value"] * stream["ns_per_byte"]
            self.assertAlmostEqual(cost["cost"], space + cost["ns_per_value"])
        if stream["runner_up"]:
            self.assertNotEqual(stream["chosen"]["encoding"], stream["runner_up"]["encoding"])
            self.assertEqual(stream["chosen"]["encoding"], stream["encodings"][0]["encoding"])
            dearer = stream["chosen"]["cost"] > 1.01 * stream["runner_up"]["cost"]
            self.assertEqual("dearer" in stream["why"], dearer)
        if "smaller" in stream["why"]:
            self.assertLess(stream["chosen"]["bytes_per_value"],
                            stream["runner_up"]["bytes_per_value"])
        if "faster" in stream["why"]:
            self.assertLess(stream["chosen"]["ns_per_value"], stream["runner_up"]["ns_per_value"])

    def test_every_tuning(self):
        table = self.table()
        chosen = set()
        for tuning, price in PRICES.items():
            dsi = self.path(f"{tuning}.dsi")
            self.expect(OK, "convert", table, dsi, "--tuning", tuning, "--quiet")
            summary = self.json("inspect", dsi)
            self.assertEqual((summary["tuning"], summary["ns_per_byte"]), (tuning, price))
            self.assertRegex(self.text(dsi), f"tuning +{tuning}  .*worth {price} ns")

            features = self.json("inspect", dsi, "--features", "--sort", "bytes")
            reasons = self.json("inspect", dsi, "--features", "--why", "--sort", "bytes")
            self.assertEqual((reasons["tuning"], reasons["ns_per_byte"]), (tuning, price))
            self.assertEqual([f["name"] for f in reasons["features"]],
                             [f["name"] for f in features])
            streams = [s for f in reasons["features"] for s in f["streams"]]
            self.assertLessEqual({"values", "shape", "index"}, {s["role"] for s in streams})
            self.assertGreater(sum(s["runner_up"] is not None for s in streams), 10)
            for stream in streams:
                self.check_stream(stream, price)
            for feature, why in zip(features, reasons["features"]):
                values = [s["encodings"] for s in why["streams"] if s["role"] == "values"]
                self.assertIn(feature["encodings"], values or [[]])
            chosen.add(json.dumps([f["encodings"] for f in features]))

            # Two levels of each tree, without codecs and widths.
            self.assertNotRegex(self.text(dsi, "--features"),
                                r"\([^)]*\(|compressed:| u(8|16|32|64)")
            text = self.text(dsi, "--features", "--why")
            self.assertIn(f"cost: {price} ns for each stored byte", text)
            self.assertIn(f"(tuning {tuning});", text)
            shown = re.findall(rf"^  (?:{WHY}) +runner-up", text, re.MULTILINE)
            self.assertGreater(len(shown), 10)
        self.assertEqual(len(chosen), 3)

    # Values of 40 bits, then one value, then again: two pages of 65,536 are alike.
    def test_pages_that_differ(self):
        rng = random.Random(1)
        rows = "".join(json.dumps({"x": 5 if 65536 <= i < 131072 else rng.getrandbits(40)}) + "\n"
                       for i in range(3 * 65536))
        dsi = self.path("x.dsi")
        self.expect(OK, "convert", self.write("x.jsonl", rows), dsi, "--no-dedup", "--quiet")
        feature, = self.json("inspect", dsi, "--features")
        self.assertEqual([e["pages"] for e in feature["encodings"]], [2, 1])
        self.assertEqual(feature["encodings"][0]["encoding"], "packed u64")
        self.assertIn("  packed +1\n", self.text(dsi, "--features"))
        why = self.text(dsi, "--features", "--why")
        self.assertIn("2 of 3 pages: packed u64\n", why)

    def test_what_is_not_stored_in_pages(self):
        schema = {"features": [{"name": name, "kind": "dense", "type": "int64"}
                               for name in ("same", "none", "first", "second")]}
        rows = "".join(json.dumps({"same": 7, "first": i * i % 1009, "second": i * i % 1009}) + "\n"
                       for i in range(2000))
        dsi = self.path("t.dsi")
        self.expect(OK, "convert", self.write("t.jsonl", rows), dsi, "--no-dedup", "--quiet",
                    "--schema", self.write("t.json", json.dumps(schema)), warns=True)
        same, none, first, second = self.json("inspect", dsi, "--features")
        self.assertEqual(same["encodings"], [{"encoding": "constant", "pages": 0, "bytes": 0}])
        self.assertEqual(none["encodings"], [])
        self.assertEqual(first["encodings"], second["encodings"])
        self.assertRegex(self.text(dsi, "--features"), r"\n *second .* alias of \w")
        text = self.text(dsi, "--features", "--why")
        self.assertRegex(text, r"\nnone +values +0 B +empty\n")
        self.assertRegex(text, r"same +values +0 B +constant\n")
        self.assertRegex(text, r"\nsecond +values +0 B +alias of \w")

    # What is sound is told, and the damage.
    def test_damage(self):
        good = self.path("good.dsi")
        self.expect(OK, "convert", self.table(), good, "--quiet")
        data = bytearray(open(good, "rb").read())
        data[len(data) // 3] ^= 1
        bad = self.write("bad.dsi", bytes(data))
        names = [f["name"] for f in self.json("inspect", good, "--features")]
        for view in ((), ("--why",)):
            text = self.expect(DAMAGED, "inspect", bad, "--features", *view)
            for name in names:
                self.assertIn(name, text.stdout.decode())
            self.assertRegex(text.stdout.decode(), " damaged\n")
            self.assertRegex(text.stderr.decode(), r"bad\.dsi: stripe 0, .*, expected ")
            found = self.expect(DAMAGED, "inspect", bad, "--features", *view, "--json").stdout
            found = json.loads(found)
            found = found["features"] if view else found
            self.assertEqual([f["name"] for f in found], names)
            told = [s["damage"] for f in found for s in (f["streams"] if view else [f])]
            self.assertTrue(any("expected" in damage for damage in told if damage))
            self.assertIn(None, told)
            if view:
                why = {s["why"] for f in found for s in f["streams"]}
                self.assertIn("damaged", why)
                self.assertGreater(len(why), 1)


if __name__ == "__main__":
    main()

"""dsictl transform: outputs of pipelines against values worked out here, the order of work, errors."""

import json
import signal
import subprocess
import time

from cli_case import DAMAGED, DSICTL, INTERRUPTED, IO, OK, USAGE, CliTest, main

# spec/transforms.md, T-020: salt 0, max 100, of 1 … 16.
HASHES = [60, 54, 54, 9, 4, 91, 11, 67, 79, 2, 25, 92, 98, 83, 66, 2]
ROWS = 400


def step(output, op, *inputs, **parameters):
    return {"output": output, "op": op, "inputs": list(inputs), **parameters}


class TransformTest(CliTest):
    def setUp(self):
        super().setUp()
        self.table = []
        for i in range(2 * ROWS):
            row = {"session_id": i // 20, "label": i % 2, "clicks": [1 + (i // 20 + k) % 16 for k in range(i // 20 % 5)],
                   "item": [i % 7], "name": f"n{i}"}
            if i % 3:
                row["price"] = i / 8
            self.table.append(row)
        features = [{"name": "session_id", "kind": "key", "type": "int64"}, {"name": "label", "kind": "label", "type": "int8"},
                    {"name": "price", "kind": "dense", "type": "float32"}, {"name": "clicks", "kind": "list", "type": "int64"},
                    {"name": "item", "kind": "list", "type": "int64"}, {"name": "name", "kind": "string"}]
        schema = self.write("s.json", json.dumps({"features": features}))
        self.path("d").mkdir()
        for part in range(2):
            text = self.write("t.jsonl", "".join(json.dumps(row) + "\n" for row in self.table[part * ROWS:][:ROWS]))
            self.expect(OK, "convert", text, self.path(f"d/{part}.dsi"), "--schema", schema, "--keep-order", "--quiet")
        self.file = self.path("d/0.dsi")
        self.steps = [step("first", "firstx", "clicks", n=2), step("hashed", "sigrid_hash", "first", salt=0, max=100),
                      step("bucket", "bucketize", "price", borders=[2, 5, 10], side="left"),
                      step("seen", "overlap_count", "clicks", "item")]

    def pipeline(self, steps=None, **more):
        document = {"version": 1, "steps": self.steps if steps is None else steps, **more}
        return self.write("p.json", json.dumps(document))

    def rows(self, *arguments):
        text = self.expect(OK, "transform", self.pipeline(), *arguments).stdout
        return [json.loads(line) for line in text.splitlines()]

    def made(self, row, names=("hashed", "bucket", "seen")):
        clicks, item = row["clicks"], row["item"][0]
        made = {"first": clicks[:2], "hashed": [HASHES[x - 1] for x in clicks[:2]], "seen": float(item in clicks), **row}
        if "price" in row:
            made["bucket"] = sum(border < row["price"] for border in (2, 5, 10))
        return {name: made[name] for name in names if name in made}

    def test_rows_of_one_file_a_folder_and_a_pattern(self):
        expected = [self.made(row) for row in self.table]
        self.assertEqual(self.rows(self.file), expected[:10])
        self.assertEqual(self.rows(self.file, "-n", "0"), [])
        self.assertEqual(self.rows(self.path("d"), "-n", 10000), expected)
        self.assertEqual(self.rows(self.path("d/*.dsi"), "-n", 2 * ROWS - 3), expected[:-3])
        self.assertEqual(self.rows(self.path("d/1.dsi"), self.file, "-n", 1), [expected[ROWS]])

    def test_features_choose_steps_and_columns_beside_them(self):
        names = ("session_id", "first", "name", "bucket")
        self.assertEqual(self.rows(self.file, "--features", ",".join(names)),
                         [self.made(row, names) for row in self.table[:10]])
        self.assertEqual(list(self.rows(self.file, "--features", "hash*,lab*")[0]), ["hashed", "label"])
        fails = [("pirce,hashed", '"price"'), ("hased", '"hashed"'), ("label", "none of them")]
        for names, part in fails:
            said = self.expect(USAGE, "transform", self.pipeline(), self.file, "--features", names).said
            self.assertIn(part, said)

    def test_rows_that_pass(self):
        expected = [self.made(row) for row in self.table if row["label"] == 1 and "price" not in row]
        chosen = ["--where", "label = 1", "--where", "price missing"]
        self.assertEqual(self.rows(self.path("d"), "-n", 10000, *chosen), expected)
        self.assertEqual(self.rows(self.path("d"), "-n", 3, *chosen), expected[:3])
        few = self.rows(self.path("d"), "-n", 10000, "--sample", "0.2")
        self.assertTrue(0 < len(few) < ROWS)
        self.assertIn('did you mean "label"', self.expect(USAGE, "transform", self.pipeline(), self.file, "--where", "lable = 1").said)

    def test_a_result_hides_a_column_of_its_name(self):
        self.steps = [step("label", "clamp", "session_id", low=0, high=3)]
        self.assertEqual([row["label"] for row in self.rows(self.file, "-n", ROWS)],
                         [min(3, row["session_id"]) for row in self.table[:ROWS]])

    def test_explain(self):
        arguments = ["transform", self.pipeline(), self.path("d"), "--explain", "--where", "label = 1"]
        lines = self.expect(OK, *arguments).stdout.decode().splitlines()
        self.assertEqual(lines[0], "project  3 of 6 columns: price clicks item")
        order = [line.split()[0] for line in lines if not line.startswith("    ")]
        self.assertEqual(order, ["project", "filter", "unique", "stage", "stage", "stage", "stage", "batch", "batch", "batch"])
        self.assertIn("truncate by firstx (first)", lines[3])
        found = self.json(*arguments)
        self.assertEqual(found["columns"], ["price", "clicks", "item"])
        self.assertEqual(found["outputs"], ["hashed", "bucket", "seen"])
        self.assertEqual([s["name"] for s in found["stages"]], ["first", "hashed", "bucket", "seen"])
        self.assertEqual(found["stages"][1]["sources"], ["first"])
        # What nobody asks for is neither read nor made.
        found = self.json(*arguments, "--features", "bucket")
        self.assertEqual((found["columns"], len(found["stages"])), (["price"], 1))

    def test_bench(self):
        found = self.json("transform", self.pipeline(), self.path("d"), "--bench", "--repeat", "1", "--batch-size", "100")
        self.assertEqual((found["rows"], found["batches"]), (2 * ROWS, 8))
        for key in ("rows_per_second_ikjt", "rows_per_second_jagged", "rows_per_second_expanded", "ratio_ikjt"):
            self.assertGreater(found[key], 0)
        shown = self.expect(OK, "transform", self.pipeline(), self.file, "--bench", "-n", "50", "--batch-size", "40").stdout
        self.assertIn(b"2 batches, 80 rows\n", shown)
        for options in (["--threads", "2"], ["--bench", "--explain"], ["--explain", "-n", "3"]):
            self.expect(USAGE, "transform", self.pipeline(), self.file, *options)

    def test_scored_lists_and_wide_numbers(self):
        schema = {"features": [{"name": "key", "kind": "key", "type": "uint64"}, {"name": "seen", "kind": "weighted", "type": "int64"},
                               {"name": "flag", "kind": "dense", "type": "bool"}]}
        table = [{"key": 2**64 - 1 - i // 5, "flag": i % 2 == 0, "seen": {"ids": [i, 3], "weights": [0.5, i]}} for i in range(40)]
        del table[1]["seen"]
        text = self.write("w.jsonl", "".join(json.dumps(row) + "\n" for row in table))
        dsi = self.path("w.dsi")
        self.expect(OK, "convert", text, dsi, "--schema", self.write("s.json", json.dumps(schema)), "--keep-order", "-q")
        self.steps = [step("twice", "score_multiply", "seen", value=2), step("low", "modulus", "key", max=10),
                      step("ids", "clamp", "seen.ids", low=0, high=9), step("float", "cast", "flag", type="float32")]
        expected = []
        for i, row in enumerate(table):
            # uint64 counts as int64 of the same bits.
            made = {"low": (-1 - i // 5) % 10, "float": float(row["flag"])}
            if "seen" in row:
                made |= {"twice.ids": [i, 3], "twice.weights": [1, 2 * i], "ids": [min(i, 9), 3]}
            expected.append(made)
        self.assertEqual(self.rows(dsi, "-n", 100), expected)
        found = self.json("transform", self.pipeline(), dsi, "--explain")
        self.assertEqual(found["columns"], ["key", "seen.ids", "seen.weights", "flag"])
        self.assertEqual(self.json("transform", self.pipeline(), dsi, "--bench", "--repeat", "1")["rows"], 40)

    def test_scores_of_shared_ids(self):
        # Users keep their list for 5 rows, items change on every row: one result for each pair of lists.
        schema = {"features": [{"name": "user", "kind": "key", "type": "int64"}, {"name": "likes", "kind": "weighted", "type": "int64"},
                               {"name": "tags", "kind": "weighted", "type": "int32"}, {"name": "seen", "kind": "list", "type": "int64"}]}
        table = [{"user": i // 5, "likes": {"ids": [i // 5, 3, 3], "weights": [0.5, 2, i // 5]},
                  "tags": {"ids": [i % 4], "weights": [4]}, "seen": [3, i % 2, 3]} for i in range(40)]
        del table[7]["tags"]
        text = self.write("w.jsonl", "".join(json.dumps(row) + "\n" for row in table))
        dsi = self.path("w.dsi")
        self.expect(OK, "convert", text, dsi, "--schema", self.write("s.json", json.dumps(schema)), "--keep-order", "-q")
        self.steps = [step("sum", "score_sum", "likes", "seen"), step("min", "score_min", "likes", "tags"),
                      step("max", "score_max", "likes", "tags"), step("cosine", "cosine", "likes", "tags"),
                      step("rest", "difference", "seen", "tags"), step("most", "max_count", "seen", "likes")]
        for row, made in zip(table, self.rows(dsi, "-n", 100), strict=True):
            likes, seen = list(zip(row["likes"]["ids"], row["likes"]["weights"])), row["seen"]
            self.assertEqual(made["sum"], sum(w for i, w in likes if i in seen))
            ids = [i for i, _ in likes]
            self.assertEqual(made["most"], sum(max(ids.count(i), seen.count(i)) for i in {*ids} & {*seen}))
            if "tags" not in row:
                self.assertTrue({"min", "max", "cosine", "rest"}.isdisjoint(made))
                continue
            tag = row["tags"]["ids"][0]
            shared = [w for i, w in likes if i == tag] or [0]
            self.assertEqual((made["min"], made["max"]), (min(shared), max(shared)))
            self.assertEqual(made["rest"], [i for i in seen if i != tag])
            size = sum(sum(w for i, w in likes if i == one) ** 2 for one in {*ids}) ** 0.5
            self.assertAlmostEqual(made["cosine"], sum(shared) / size, places=6)
        said = self.expect(OK, "transform", self.pipeline(), dsi, "--explain").stdout.decode()
        self.assertIn('rows by cosine (cosine) of "likes" and "tags" -> number of type float32, output "cosine"', said)
        self.steps = [step("cosine", "cosine", "likes", "seen")]
        said = self.expect(USAGE, "transform", self.pipeline(), dsi).said
        self.assertIn('steps[0] "cosine" (cosine): input "seen" is a list of int64, expected a scored list', said)

    def test_errors_name_the_step(self):
        bad = [(step("x", "firstx", "clcks", n=2), 'no feature "clcks"; did you mean "clicks"'),
               (step("x", "firstx", "clicks", n=0), '"n" is 0'), (step("x", "log", "price"), '"log"'),
               (step("x", "log1p", "name"), "name"), (step("x", "modulus", "price", max=3), "price"),
               (step("first", "log1p", "price"), "first")]
        for one, part in bad:
            said = self.expect(USAGE, "transform", self.pipeline(self.steps[:1] + [one]), self.file).said
            self.assertIn("steps[1]", said)
            self.assertIn(part, said)
            self.assertIn("hint: ", said)
            self.assertNotIn("--schema", said)
        self.expect(USAGE, "transform", self.write("p.json", "{"), self.file)
        self.expect(USAGE, "transform", self.file, self.file)
        self.expect(IO, "transform", self.path("none.json"), self.file)
        self.expect(IO, "transform", self.pipeline(), self.path("none/*.dsi"))

    def test_a_damaged_file_is_told(self):
        data = bytearray(self.file.read_bytes())
        data[64:len(data) // 2] = bytes(len(data) // 2 - 64)
        bad = self.write("d/2.dsi", bytes(data))
        said = self.expect(DAMAGED, "transform", self.pipeline(), self.path("d"), "-n", "10000").said
        self.assertIn("hint: 'dsictl verify FILE...'", said)
        self.expect(DAMAGED, "transform", self.pipeline(), bad, "--bench")

    def test_ctrl_c(self):
        process = subprocess.Popen([DSICTL, "transform", self.pipeline(), self.path("d"), "--bench", "--repeat", "1000",
                                    "--batch-size", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(0.5)
        self.assertIsNone(process.poll(), "it ended before the signal")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], b"")
        self.assertEqual(process.returncode, INTERRUPTED)


if __name__ == "__main__":
    main()

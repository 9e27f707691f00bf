"""dsictl dedup and inspect --dedup on tables whose answers are known before."""

import gzip
import json

from cli_case import DAMAGED, IO, OK, USAGE, CliTest, main, run

SESSIONS, S, LENGTH, ITEMS, TAGS = 1500, 8, 10, 40, 5
ROWS = SESSIONS * S


def rows():
    """Sessions of eight rows, interleaved; histories shift once in each, in the fifth row."""
    for step in range(S):
        for session in range(SESSIONS):
            first = session * 100 + (step >= 4)
            item = (session * 7 + step * 3) % ITEMS
            yield {
                "session_id": session, "user_id": session // 3, "item_id": item,
                "timestamp": 1_700_000_000 + step * SESSIONS + session,
                "label": (session + step) % 2,
                "user": {"history": [(v * 2654435761) % 2**40 for v in range(first, first + LENGTH)]},
                "item": {"tags": [(item * TAGS + t) * 40503 % 2**31 for t in range(TAGS)]},
                "fresh": [(session * S + step) * 7919 % 1000003, step],
            }


def per_value_in_batches(table, key, batch=4096):
    met = sum(len({row[key] for row in table[at:at + batch]}) for at in range(0, len(table), batch))
    return len(table) / met


class KnownAnswersTest(CliTest):
    def known(self):
        text = "".join(json.dumps(row) + "\n" for row in rows())
        return self.write("known.jsonl", text)

    def test_text_and_file_agree_with_what_is_known(self):
        source, dsi = self.known(), self.path("known.dsi")
        self.expect(OK, "convert", source, dsi, "--keep-position", "--quiet")
        of_text = self.json("dedup", source)
        of_file = self.json("dedup", dsi)
        self.check(of_text)
        for name in ("rows", "rows_of_input", "session_keys", "owners", "features", "totals",
                     "groups", "trials", "notes"):
            self.assertEqual(of_text[name], of_file[name], name)
        self.assertEqual([f["name"] for f in of_text["schema"]["features"]],
                         [f["name"] for f in of_file["schema"]["features"]])

        packed = self.path("known.jsonl.gz")
        packed.write_bytes(gzip.compress(source.read_bytes(), 1))
        self.assertEqual(self.json("dedup", packed, "--no-trials")["features"], of_text["features"])
        of_input = self.expect(OK, "dedup", "-", "--json", "--no-trials",
                               input=source.read_bytes()).stdout
        self.assertEqual(json.loads(of_input)["features"], of_text["features"])

    def check(self, report):
        self.assertEqual((report["rows"], report["rows_of_input"]), (ROWS, ROWS))
        owners = {owner["key"]: owner for owner in report["owners"]}
        by_time = sorted(rows(), key=lambda row: row["timestamp"])
        by_session = sorted(by_time, key=lambda row: row["session_id"])
        for key, values in (("session_id", SESSIONS), ("user_id", SESSIONS // 3),
                            ("item_id", ITEMS)):
            owner = owners[key]
            self.assertEqual((owner["rows"], owner["values"]), (ROWS, values))
            self.assertAlmostEqual(owner["rows_per_value"], ROWS / values)
            self.assertAlmostEqual(owner["rows_per_value_in_stripe"], ROWS / values)
            self.assertAlmostEqual(owner["rows_per_value_in_batch"],
                                   per_value_in_batches(by_session, key))
            self.assertAlmostEqual(owner["rows_per_value_in_batch_by_time"],
                                   per_value_in_batches(by_time, key))
        self.assertTrue(owners["session_id"]["session"])

        features = {feature["feature"]: feature for feature in report["features"]}
        history, tags, fresh = (features[n] for n in ("user.history", "item.tags", "fresh"))
        d = (S - 2) / (S - 1)
        self.assertEqual(history["values"], ROWS * LENGTH)
        self.assertEqual(history["bytes"], ROWS * LENGTH * 8)
        self.assertAlmostEqual(history["S"], S)
        self.assertAlmostEqual(history["d"], d)
        self.assertAlmostEqual(history["factor_formula"], S / (1 + (S - 1) * (1 - d)))
        self.assertAlmostEqual(history["factor_measured"], S / 2)
        self.assertAlmostEqual(history["session"]["equal_values_share"], (S - 2) / S)
        self.assertAlmostEqual(history["session"]["windows_values_share"],
                               ((S - 2) * LENGTH + LENGTH - 1) / (S * LENGTH))
        self.assertEqual(history["owner"], "")  # No key does better than the session.
        self.assertEqual(tags["owner"], "item_id")
        self.assertAlmostEqual(tags["of_owner"]["equal_values_share"], 1 - ITEMS / ROWS)
        self.assertAlmostEqual(tags["of_owner"]["windows_values_share"], 1 - ITEMS / ROWS)
        self.assertEqual(tags["d"], 0)
        self.assertAlmostEqual(tags["factor_formula"], 1)
        self.assertEqual(fresh["session"]["equal_rows"], 0)
        values = sum(feature["values"] for feature in features.values())
        equal = sum(feature["session"]["equal_values"] for feature in features.values())
        self.assertAlmostEqual(report["totals"]["by_values"]["equal_session"], equal / values)

        trials = {trial["kind"]: trial for trial in report["trials"]}
        self.assertGreater(trials["dedup"]["bytes"], trials["as it is"]["bytes"])
        clustered = [trial["cluster_by"] for trial in report["trials"]
                     if trial["kind"] == "clustering"]
        self.assertIn(["timestamp"], clustered)
        self.assertIn(["user_id", "session_id", "timestamp"], clustered)
        groups = [g for g in report["groups"] if "item.tags" in g["features"]]
        self.assertEqual(groups[0]["values_stored"] % ITEMS, 0)

    def test_inspect_tells_it_from_indexes(self):
        source, dsi = self.known(), self.path("known.dsi")
        self.expect(OK, "convert", source, dsi, "--quiet", "--stripe-rows", "5000")
        groups = self.json("inspect", dsi, "--dedup")
        features = {f["feature"]: (f, g) for g in groups for f in g["features"]}
        history, of_history = features["user.history"]
        self.assertEqual(history["row_entries"], ROWS * LENGTH)
        self.assertEqual(history["unique_entries"], 2 * SESSIONS * LENGTH)
        self.assertAlmostEqual(of_history["factor"], S / 2)
        # The list that shifts by one is one value more in the pool.
        self.assertEqual(history["stored_entries"], SESSIONS * (LENGTH + 1))
        self.assertEqual(history["windowed_entries"], history["unique_entries"])
        self.assertEqual(history["windowed_stripes"], len(of_history["stripes"]))
        self.assertGreater(history["windows_bytes"], 0)
        tags, of_tags = features["item.tags"]
        self.assertEqual(of_tags["owner"], "item_id")
        self.assertEqual(tags["unique_entries"], ITEMS * TAGS * len(of_tags["stripes"]))
        self.assertAlmostEqual(of_tags["factor_by_length"],
                               of_tags["values_of_rows"] / of_tags["values_of_unique_rows"])
        for group in groups:
            self.assertEqual(group["rows"], ROWS)
            self.assertLessEqual(group["index_bytes"], dsi.stat().st_size)
        text = self.expect(OK, "inspect", dsi, "--dedup").stdout.decode()
        self.assertRegex(text, r"(?m)^all: [\d,]+ values in rows")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 120)

    def test_whole_sessions_of_a_part(self):
        source, dsi = self.known(), self.path("known.dsi")
        self.expect(OK, "convert", source, dsi, "--quiet")
        report = self.json("dedup", dsi, "--max-rows", "1003", "--no-trials")
        self.assertEqual((report["rows"], report["rows_of_input"]), (1000, ROWS))
        self.assertEqual(report["owners"][0]["values"], 1000 // S)
        self.assertAlmostEqual(report["features"][0]["S"], S)
        # A text is read a little further than it is looked at, and no more.
        part = self.json("dedup", source, "--max-rows", "5000", "--no-trials")
        self.assertIsNone(part["rows_of_input"])
        self.assertLessEqual(part["rows"], 5000)
        self.assertIn("of more", self.expect(OK, "dedup", source, "--max-rows", "5000",
                                             "--no-trials").stdout.decode())

    def test_many_texts_and_rows_that_cannot_be_read(self):
        lines = self.known().read_text().splitlines(keepends=True)
        whole = self.json("dedup", self.path("known.jsonl"), "--no-trials")
        (self.folder / "logs").mkdir()
        parts = [self.write(f"logs/{n}.jsonl", "".join(lines[n * 100:n * 100 + 100]))
                 for n in range(3)]
        rest = self.write("rest.jsonl", "".join(lines[300:]))
        for given in ([*parts, rest], [self.folder / "logs", rest], [f"{self.folder}/logs/*.jsonl", rest]):
            many = self.json("dedup", *given, "--no-trials")
            self.assertEqual(many.pop("input"), "4 files")
            self.assertEqual(many, {name: of for name, of in whole.items() if name != "input"})
        parts[1].write_text(parts[1].read_text() + "{\n")
        said = self.expect(USAGE, "dedup", self.folder / "logs", rest).said
        self.assertIn("1.jsonl:101:", said)
        rejects = self.path("bad.jsonl")
        done = self.expect(OK, "dedup", self.folder / "logs", rest, "--no-trials", "--json", "--on-error", "skip",
                           "--rejects", rejects, warns=True)
        self.assertIn("1 row left out", done.said)
        self.assertEqual(json.loads(done.stdout)["rows"], ROWS)
        self.assertEqual(json.loads(rejects.read_text())["line"], 101)
        self.expect(USAGE, "dedup", self.folder / "logs", rest, "--on-error", "skip", "--max-errors", "0")
        dsi = self.dsi()
        self.assertIn("taken alone", self.expect(USAGE, "dedup", rest, dsi).said)
        self.assertIn("--on-error", self.expect(USAGE, "dedup", dsi, "--on-error", "skip").said)

    def test_tables_fit_and_help_explains(self):
        text = self.expect(OK, "dedup", self.known(), "--tables").stdout.decode()
        for part in ("verdict: ", "Rows for each value of a key", "Lists that repeat", "Dedupe factor",
                     "Dedup groups", "Other ways to write the table", "measured"):
            self.assertIn(part, text)
        table, _, advice = text.partition("Groups to declare")
        for line in table.splitlines():
            self.assertLessEqual(len(line), 120, line)
        self.assertIn("Examples:", self.expect(OK, "dedup", "--help").stdout.decode())


class AdviceTest(CliTest):
    def check_advice(self, source):
        advised, found = self.path("advised.dsi"), self.path("found.dsi")
        schema = self.path("advised.json")
        report = self.json("dedup", source, "--write-schema", schema)
        self.assertEqual(json.loads(schema.read_text()), report["schema"])
        self.expect(OK, "convert", source, found, "--quiet", "--force")
        self.expect(OK, "convert", source, advised, "--schema", schema, "--quiet", "--force")
        self.assertLessEqual(advised.stat().st_size, 1.02 * found.stat().st_size)
        trials = [t for t in report["trials"] if t["kind"] == "as it is"]
        self.assertAlmostEqual(trials[0]["bytes"] / found.stat().st_size, 1, delta=0.01)
        return report

    def test_advice_is_as_good_as_what_is_found(self):
        source = self.write("known.jsonl", "".join(json.dumps(row) + "\n" for row in rows()))
        report = self.check_advice(source)
        self.check_worth(report, source)
        self.assertFalse(report["groups_advised"])

    def check_worth(self, report, source):
        """Groups are advised where they gain more than 1%, and then only."""
        advice = min(t["bytes"] for t in report["trials"] if t["kind"] == "advice")
        gains = advice < 0.99 * report["trials"][0]["bytes"]
        self.assertEqual(report["groups_advised"], gains)
        self.assertEqual("groups" in report["schema"], gains)
        text = self.expect(OK, "dedup", source, "--tables").stdout.decode()
        self.assertIn("\nGroups to declare" if gains else "\nNo groups to declare", text)

    def test_verdict_comes_first(self):
        source = self.write("known.jsonl", "".join(json.dumps(row) + "\n" for row in rows()))
        verdict = self.json("dedup", source)["verdict"]
        self.assertRegex(verdict, r"^dedup makes the table [\d.]+% smaller, .*\.$")
        text = self.expect(OK, "dedup", source).stdout.decode()
        self.assertEqual(" ".join(text.split("\n\n")[0].split()), "verdict: " + verdict)
        self.assertNotIn("note: clustered", text)
        # Beside it the groups that save most, and how to see the rest.
        self.assertLess(text.count("\n"), 25)
        self.assertIn("\nDedup groups, ", text)
        self.assertIn("\n--tables shows ", text)
        for part in ("Rows for each value", "Lists that repeat", "Dedupe factor", "Other ways", "declare"):
            self.assertNotIn(part, text)

    def test_advice_for_clicks(self):
        source = self.path("clicks.jsonl")
        self.expect(OK, "generate", "--profile", "clicks", "--rows", "20000", "--quiet", source)
        self.check_worth(self.check_advice(source), source)

    def test_owner_may_be_a_list_of_one_id(self):
        text = "".join(json.dumps({**row, "item_id": [row["item_id"]]}) + "\n" for row in rows())
        report = self.check_advice(self.write("lists.jsonl", text))
        owner = [owner for owner in report["owners"] if owner["key"] == "item_id"][0]
        self.assertTrue(owner["list_of_one_id"])

    def test_a_trial_reads_a_list_of_one_id_as_the_key_it_takes_it_for(self):
        def clustered(name, as_list):
            text = "".join(json.dumps({**row, "user_id": [row["user_id"]] if as_list else row["user_id"]}) + "\n"
                           for row in rows())
            trials = self.json("dedup", self.write(name, text))["trials"]
            found = [t for t in trials if t["cluster_by"] == ["user_id", "session_id", "timestamp"]]
            self.assertEqual([t["kind"] for t in found], ["clustering"], name)
            return found[0]["bytes"]

        # A user has several sessions, so the trial clusters by the user; it is the one of a plain key.
        self.assertEqual(clustered("list.jsonl", True), clustered("key.jsonl", False))

    def test_every_kind_of_feature_can_be_written_anew(self):
        self.expect(OK, "convert", self.table("p3"), self.path("p3.dsi"), "--quiet")
        report = self.json("dedup", self.path("p3.dsi"))
        self.assertGreater(len(report["features"]), 10)
        wide = self.json("dedup", self.table("wide"), "--no-trials")
        self.assertGreater(wide["rows"], 0)
        source = self.write("mixed.jsonl", "".join(
            json.dumps({"session_id": i // 4, "timestamp": i, "name": f"n{i % 3}",
                        **({"score": i / 2, "flag": i % 2 == 0} if i % 5 else {}),
                        **({"ids": [i, i + 1][:i % 3]} if i % 7 else {})}) + "\n"
            for i in range(400)))
        self.assertEqual(self.json("dedup", source)["rows"], 400)


class ErrorsTest(CliTest):
    def test_errors(self):
        self.expect(IO, "dedup", self.path("none.jsonl"))
        self.expect(IO, "dedup", self.path("none.dsi"))
        self.expect(USAGE, "dedup")
        self.expect(USAGE, "dedup", self.write("bad.jsonl", '{"a":1}\n{"a":\n'))
        self.expect(USAGE, "dedup", self.write("empty.jsonl", ""))
        dsi = self.dsi()
        for option in (("--schema", "x.json"), ("--session-key", "user_id"),
                       ("--time", "timestamp")):
            said = self.expect(USAGE, "dedup", dsi, *option).said
            self.assertIn(option[0], said)
        self.expect(USAGE, "dedup", dsi, "--max-rows", "-3")
        mine = self.write("mine.json", "mine")
        self.assertIn("--force", self.expect(USAGE, "dedup", dsi, "--write-schema", mine).said)
        self.assertEqual(mine.read_text(), "mine")
        self.expect(OK, "dedup", dsi, "--write-schema", mine, "--force", "--no-trials")
        self.assertIn("features", mine.read_text())

    def test_damage_is_found(self):
        data = bytearray(self.dsi().read_bytes())
        data[len(data) // 2] ^= 0x10
        bad = self.write("bad.dsi", bytes(data))
        self.assertEqual(run("dedup", bad).returncode, DAMAGED)
        cut = self.write("cut.dsi", bytes(data[:-90]))
        for arguments in (("dedup", cut), ("inspect", "--dedup", cut)):
            self.assertEqual(run(*arguments).returncode, DAMAGED)

    def test_table_without_keys(self):
        source = self.write("plain.jsonl", "".join(
            json.dumps({"ids": [i // 10, 1, 2], "x": i % 3}) + "\n" for i in range(500)))
        report = self.json("dedup", source)
        self.assertEqual((report["session_keys"], report["features"][0]["S"]), ([], 1))
        self.assertIn("none", self.expect(OK, "dedup", source).stdout.decode())


if __name__ == "__main__":
    main()

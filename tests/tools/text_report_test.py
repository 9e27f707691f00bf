"""What dsictl says about a text: what it decided, what it left out, and which key it misses."""

import json
import random

from cli_case import DSICTL, OK, USAGE, CliTest, main


def sessions(key, time, count=400, interleaved=True, seed=1, least=7_000_000_000, first=1_700_000_000_000):
    """Rows of sessions whose history shifts; several sessions at a time, as a log has them."""
    chance = random.Random(seed)
    rows = []
    for number in range(count):
        history = [chance.randrange(10**9) for _ in range(20)]
        start = chance.random() * count if interleaved else number
        for i in range(8):
            history = [*history[1:], chance.randrange(10**9)]
            rows.append((start + i * (3 if interleaved else 0.01), {
                key: least + number * 31, "history": history, "x": chance.random(),
                "category": chance.randrange(12), "clicked_label": chance.randrange(2)}))
    rows.sort(key=lambda row: row[0])
    return "".join(json.dumps({**row, time: first + i}) + "\n"
                   for i, (_, row) in enumerate(rows))


class DecisionsTest(CliTest):
    def test_usual_spellings_are_recognised(self):
        for key, time in (("sessionId", "eventTime"), ("SESSION_ID", "TS"), ("sess_id", "created_at"),
                          ("visit_id", "ts"), ("ctx.SessionID", "event.time"), ("session", "time"), ("session", "time_stamp")):
            rows = self.write("r.jsonl", sessions(key, time, 50))
            found = self.json("convert", rows, self.path("r.dsi"), "--force")["input"]
            self.assertEqual(found["cluster_by"], [key, time])
            self.assertEqual((found["keys"], found["times"]), ([key], [time]))

    def test_ids_of_nested_objects_are_keys(self):
        rows = self.write("r.jsonl", '{"session":{"id":1},"user":{"id":2},"item":{"key":"k"},"a":{"page_id":3}}\n' * 3)
        found = self.json("convert", rows, self.path("r.dsi"))["input"]
        self.assertEqual((found["cluster_by"], found["keys"]), (["session.id"], ["session.id", "user.id", "a.page_id"]))

    def test_ids_that_floats_would_round_are_worth_a_warning(self):
        least = {"video_key": 2**24, "video_id": 2**40, "views": 2**40, "user_id": 2**60, "hash": 2**53, "price": 2**60 + 0.5}
        rows = [least, {name: value + 1 for name, value in least.items()}, {"views": 3}]
        text = self.write("r.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        told = self.expect(OK, "convert", text, self.path("r.dsi"), "--json", warns=True).stdout
        said = json.loads(told)["input"]["warnings"]
        self.assertEqual(len(said), 1)
        self.assertIn("video_key, hash: dense whole numbers of many digits", said[0])
        self.expect(OK, "schema", self.write("s.jsonl", '{"video_key":16777216,"views":16777216}\n'), "-q")
        said = self.expect(OK, "convert", text, self.path("k.dsi"), "--session-key", "hash", warns=True).said
        self.assertIn("warning: video_key: dense whole numbers", said)

    def test_whole_numbers_all_of_which_are_large_are_no_counts(self):
        text = self.write("r.csv", "code,views,label\n16777217,16777217,1\n99999999,5,0\n")
        said = self.expect(OK, "schema", text, warns=True).said
        self.assertIn("warning: code: dense whole numbers of many digits", said)

    def test_times_in_a_form_that_is_not_known_are_worth_a_warning(self):
        time = "Fri Sep 08 10:44:24 -0700 2017"
        rows = [{"date_added": time, "read_at": "", "updatedAt": "1/2/2020", "date": "2020-01-02", "time": "noon"}] * 2
        text = self.write("r.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        said = self.expect(OK, "schema", text, warns=True).said
        self.assertIn(f'warning: date_added, updatedAt: named as times, and stored as strings such as "{time}"; '
                      "--time-format says their form", said)
        forms = ("--time-format", "%a %b %d %H:%M:%S %z %Y", "--time-format", "%m/%d/%Y", "--time-format", "iso")
        self.expect(OK, "schema", text, *forms)

    def test_report_and_schema_say_what_was_decided(self):
        rows = self.write("r.jsonl", '{"sessionId":1,"eventTime":1700000000000,"label":1,"q":"a",'
                                     '"never":null,"none":{}}\n' * 3)
        expected = {"clustered by": "sessionId, eventTime", "keys found": "sessionId",
                    "times found": "eventTime (ms)", "labels found": "label", "texts found": "q",
                    "never had a value": "never, none"}
        report = self.expect(OK, "convert", rows, self.path("r.dsi")).stdout.decode()
        beside_schema = self.expect(OK, "schema", rows).said
        for what, said in expected.items():
            self.assertRegex(report, f"{what} +{said}".replace("(", r"\(").replace(")", r"\)"))
            self.assertRegex(beside_schema, f"{what} +".replace("(", r"\("))
        self.assertEqual(self.expect(OK, "schema", rows, "-q").said, "")
        found = self.json("convert", rows, self.path("j.dsi"))["input"]
        self.assertEqual(found["never_had_a_value"], ["never", "none"])
        self.assertEqual(found["types"], {"key int64": 1, "label int64": 1, "string bytes": 1,
                                          "timestamp int64": 1})
        self.assertEqual(found["warnings"], [])
        self.expect(OK, "convert", rows, self.path("k.dsi"), "--keep-order", "-q")
        self.assertEqual(self.json("convert", rows, self.path("l.dsi"), "--keep-order")["input"]
                         ["cluster_by"], [])

    def test_text_among_numbers_names_the_line(self):
        rows = self.write("t.csv", "a,b\n1,2\n3,oops\n5,6\n")
        found = self.json("convert", rows, self.path("t.dsi"))["input"]
        self.assertEqual([(m["name"], m["line"]) for m in found["text_among_numbers"]], [("b", 3)])
        self.assertIn("b (line 3)", self.expect(OK, "schema", rows).said)


SMALL = {"least": 7, "first": 0}  # Numbers that floats hold, and that look like no times.


class KeysTest(CliTest):
    def test_interleaved_rows_are_warned_of_and_the_key_is_proposed(self):
        rows = self.write("r.jsonl", sessions("nobody_knows", "when", **SMALL))
        result = self.expect(OK, "convert", rows, self.path("r.dsi"), warns=True)
        self.assertIn("interleaved", result.said)
        self.assertIn("--session-key nobody_knows", result.said)
        self.assertIn("key to consider", result.stdout.decode())
        self.assertIn("--session-key nobody_knows", self.expect(OK, "schema", rows, warns=True).said)
        keyed = self.json("convert", rows, self.path("k.dsi"), "--session-key", "nobody_knows")
        self.assertEqual(keyed["input"]["warnings"], [])
        self.assertLess(keyed["bytes_out"], self.path("r.dsi").stat().st_size)

    def test_dedup_proposes_the_key(self):
        rows = self.write("r.jsonl", sessions("nobody_knows", "when", **SMALL))
        report = json.loads(self.expect(OK, "dedup", rows, "--json", warns=True).stdout)
        self.assertEqual(report["keys_to_consider"][0], "nobody_knows")
        trials = {t["what"]: t["bytes"] for t in report["trials"]}
        self.assertLess(trials["clustered by nobody_knows"], trials["as it is"])
        self.assertTrue(any("--session-key nobody_knows" in note for note in report["notes"]))
        text = self.expect(OK, "dedup", rows, "--no-trials", warns=True).stdout.decode()
        self.assertIn("key to consider", text)
        # A file says the same as the text that it was made from.
        self.expect(OK, "convert", rows, self.path("r.dsi"), "-q", warns=True)
        report = self.json("dedup", self.path("r.dsi"))
        self.assertEqual(report["keys_to_consider"][0], "nobody_knows")
        self.assertIn("clustered by nobody_knows", [t["what"] for t in report["trials"]])

    def test_rows_that_stand_together_or_share_nothing_need_no_key(self):
        together = self.write("t.jsonl", sessions("nobody_knows", "when", interleaved=False, **SMALL))
        self.assertEqual(self.json("convert", together, self.path("t.dsi"))["input"]["warnings"], [])
        chance = random.Random(5)
        alone = self.write("a.jsonl", "".join(
            json.dumps({"a": chance.randrange(50), "b": chance.randrange(9), "flag": i % 7 == 0,
                        "ids": [chance.randrange(10**6) for _ in range(9)]}) + "\n"
            for i in range(3000)))
        self.assertEqual(self.json("convert", alone, self.path("a.dsi"))["input"]["warnings"], [])

    def test_lists_that_shift_count_as_repeats(self):
        chance = random.Random(7)
        clicks = {user: [chance.randrange(10**9) for _ in range(30)] for user in range(80)}
        lines = []
        for i in range(4000):
            user = chance.randrange(80)
            clicks[user] = [*clicks[user][1:], chance.randrange(10**9)]
            lines.append(json.dumps({"who": 1000 + user * 7, "clicks": clicks[user], "n": i}) + "\n")
        found = json.loads(self.expect(OK, "convert", self.write("r.jsonl", "".join(lines)),
                                       self.path("r.dsi"), "--json", warns=True).stdout)["input"]
        self.assertEqual(found["keys_to_consider"][0]["name"], "who")
        self.assertGreater(found["keys_to_consider"][0]["repeats"], 0.7)


class LeftOutTest(CliTest):
    SCHEMA = ('{"features":[{"name":"x","kind":"dense"},{"name":"label","kind":"label"},'
              '{"name":"u.age","kind":"dense"}]}')

    def test_misspelt_feature_is_named_with_the_near_one(self):
        schema = self.write("s.json", self.SCHEMA)
        rows = self.write("r.jsonl", '{"x":1,"lable":1,"u":{"agee":3}}\n{"x":2,"lable":0}\n'
                                     '{"x":3,"lable":null,"u":5}\n')
        result = self.expect(OK, "convert", rows, self.path("r.dsi"), "--schema", schema,
                             "--ignore-unknown", warns=True)
        self.assertIn('2 values of "lable" left out, the first on line 1', result.said)
        self.assertIn('did you mean "label"', result.said)
        self.assertIn('did you mean "u.age"', result.said)
        self.assertIn("no row has 2 of the 3 features of the schema: label, u.age", result.said)
        self.assertNotRegex(result.stdout.decode(), "smaller|larger")
        result = self.expect(OK, "convert", rows, self.path("j.dsi"), "--schema", schema,
                             "--ignore-unknown", "--json", "-q", warns=True)
        found = json.loads(result.stdout)["input"]
        self.assertEqual({i["name"]: (i["values"], i["first_line"]) for i in found["ignored"]},
                         {"lable": (2, 1), "u.agee": (1, 1), "u": (1, 3)})
        self.assertEqual(found["absent"], ["label", "u.age"])
        self.assertEqual(len(found["warnings"]), 4)

    def test_csv_counts_cells(self):
        schema = self.write("s.json", self.SCHEMA)
        rows = self.write("r.csv", "x,lable\n1,\n2,5\n3,6\n")
        found = json.loads(self.expect(OK, "convert", rows, self.path("r.dsi"), "--schema", schema,
                                       "--ignore-unknown", "--json", warns=True).stdout)["input"]
        self.assertEqual([(i["name"], i["values"], i["first_line"]) for i in found["ignored"]], [("lable", 2, 3)])
        self.assertEqual(found["absent"], ["label", "u.age"])

    def test_names_without_end_are_counted_only(self):
        schema = self.write("s.json", self.SCHEMA)
        rows = self.write("r.jsonl", "".join(json.dumps({"x": i, f"id{i}": 1}) + "\n"
                                             for i in range(12000)))
        found = json.loads(self.expect(OK, "convert", rows, self.path("r.dsi"), "--schema", schema,
                                       "--ignore-unknown", "--json", warns=True).stdout)["input"]
        self.assertEqual(len(found["ignored"]), 10000)
        self.assertEqual(found["more_ignored_values"], 2000)
        self.assertLess(len(found["warnings"]), 10)

    def test_absent_features_alone(self):
        schema = self.write("s.json", self.SCHEMA)
        rows = self.write("r.jsonl", '{"x":1,"label":1,"u":{"age":null}}\n')
        result = self.expect(OK, "convert", rows, self.path("r.dsi"), "--schema", schema, warns=True)
        self.assertIn("no row has 1 of the 3 features of the schema: u.age", result.said)
        self.assertRegex(result.stdout.decode(), r"[\d.]+x larger\)")


class JoinedFilesTest(CliTest):
    def test_header_in_the_middle_is_refused_with_its_line(self):
        part = "a,b\n1,2\n3,4\n"
        schema = self.write("s.json", '{"features":[{"name":"a","kind":"dense"},'
                                      '{"name":"b","kind":"string"}]}')
        for options in ((), ("--schema", schema)):
            for out in ("--format", "csv"), ("--format", "tsv"):
                text = part if out[1] == "csv" else part.replace(",", "\t")
                said = self.expect(USAGE, "convert", "-", self.path("o.dsi"), *out, *options,
                                   input=(text * 2).encode()).said
                self.assertIn("standard input:4: the header stands here again", said)
        self.assertEqual(self.names(), ["s.json"])

    def test_a_column_may_hold_its_own_name(self):
        self.expect(OK, "convert", self.write("w.csv", "word\nword\nother\n"), self.path("w.dsi"), "-q")
        self.expect(OK, "convert", self.write("v.csv", "a,b\na,c\nb,a\n"), self.path("v.dsi"), "-q")


if __name__ == "__main__":
    main()

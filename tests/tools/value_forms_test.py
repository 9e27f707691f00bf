"""What cells, lists and times of a text look like, as options of dsictl say it."""

import json

from cli_case import OK, USAGE, CliTest, main

NEWS = "1\tU1\t11/13/2019 8:36:57 AM\tN1 N2\n2\tU2\t11/13/2019 8:36:58 PM\tN3\n"
NEWS_FORM = ("--header", "id,user_id,time,history", "--lists", "history", "--list-separator", " ",
             "--time-format", "%m/%d/%Y %I:%M:%S %p")


class ValueForms(CliTest):
    def kinds(self, text, *options):
        found = self.json("schema", text, "--explain-schema", *options)["features"]
        return {feature["name"]: feature["kind"] for feature in found}

    def rows(self, path):
        return [json.loads(line) for line in self.expect(OK, "cat", path).stdout.splitlines()]

    def test_lists_of_texts_and_times_of_other_forms(self):
        news = self.write("news.tsv", NEWS)
        out = self.path("news.dsi")
        self.expect(OK, "convert", news, out, "--quiet", *NEWS_FORM, warns=True)
        rows = self.rows(out)
        self.assertEqual([row["time"] for row in rows], [1573634217, 1573677418])
        self.assertEqual([len(row["history"]) for row in rows], [2, 1])
        # Found and read are one: of another verb, too.
        self.expect(OK, "dedup", news, "--quiet", *NEWS_FORM, warns=True)
        self.expect(USAGE, "convert", news, out, "--force", *NEWS_FORM[:2], "--lists", "nothing")
        rows = self.write("r.jsonl", '{"a":1}\n')
        self.assertIn("JSON states", self.expect(USAGE, "schema", rows, "--lists", "a").said)
        schema = self.write("s.json", self.expect(OK, "schema", news, "-q", *NEWS_FORM[:2], warns=True).stdout)
        self.assertIn("the schema says", self.expect(USAGE, "convert", news, out, "--force", "--schema", schema,
                                                     *NEWS_FORM[:4]).said)
        self.assertIn("strptime", self.expect(USAGE, "convert", news, out, "--force", "--time-format", "%H").said)

    def test_several_formats_each_with_its_own_mention(self):
        rows = self.write("r.csv", "at\n02/01/1970\n1970-01-03\n")
        self.expect(OK, "convert", rows, "--quiet", "--time-format", "%d/%m/%Y", "--time-format", "iso",
                    self.path("r.dsi"))
        self.assertEqual(self.expect(OK, "cat", self.path("r.dsi")).stdout, b'{"at":86400}\n{"at":172800}\n')

    def test_lists_as_pandas_writes_them(self):
        rows = self.write("r.csv", 'a,t,ok\n"[1, 2]","[\'x\', ""it\'s""]",True\n[],[],False\n')
        out = self.path("r.dsi")
        self.expect(OK, "convert", rows, out, "--quiet", warns=True)
        self.assertEqual([(row["a"], len(row["t"]), row["ok"]) for row in self.rows(out)],
                         [([1, 2], 2, True), ([], 0, False)])

    def test_nulls_in_lists(self):
        rows = self.write("r.jsonl", '{"a":[1,null],"s":[{"i":1,"f":0.5},{"i":2}]}\n')
        out = self.path("r.dsi")
        self.expect(USAGE, "convert", rows, out)
        self.expect(USAGE, "convert", rows, out, "--null-entries", "drop")
        self.expect(OK, "convert", rows, out, "--quiet", "--null-entries", "fill")
        self.assertEqual(self.expect(OK, "cat", out).stdout, b'{"a":[1,0],"s":{"i":[1,2],"f":[0.5,"NaN"]}}\n')
        whole = self.write("w.jsonl", '{"a":[1,null],"s":[{"i":1,"f":0.5},null]}\n')
        self.expect(OK, "convert", whole, out, "--force", "--quiet", "--null-entries", "drop")
        self.assertEqual(self.expect(OK, "cat", out).stdout, b'{"a":[1],"s":{"i":[1],"f":[0.5]}}\n')


if __name__ == "__main__":
    main()

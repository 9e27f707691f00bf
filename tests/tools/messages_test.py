"""What dsictl says when it fails: in its own words, with one hint for each kind of failure."""

import bz2
import gzip
import os
import shutil
import subprocess

from cli_case import DAMAGED, DSICTL, IO, OK, USAGE, CliTest, main

ROWS = "".join('{"session_id": %d, "clicks": [%d, 2]}\n' % (i // 4, i) for i in range(40))


class MessagesTest(CliTest):
    def setUp(self):
        super().setUp()
        self.rows = self.write("rows.jsonl", ROWS)
        self.file = self.path("rows.dsi")
        self.expect(OK, "convert", self.rows, self.file, "--quiet")

    def fails(self, code, *arguments, says="", hint=None, **options):
        """`hint` "" is that there is none."""
        said = self.expect(code, *arguments, **options).said
        self.assertIn(says, said)
        for word in ("_bytes", "::", "Options", "stripe_rows", "keep_position"):
            self.assertNotIn(word, said, "words of the C++ API")
        if hint == "":
            self.assertNotIn("hint:", said)
        elif hint is not None:
            self.assertIn("hint: ", said)
            self.assertIn(hint, said.split("hint: ")[1])
        return said

    def test_names_nearly_right(self):
        fails = self.fails
        fails(USAGE, "insepct", says='no verb \'insepct\'; did you mean "inspect"?', hint="dsictl --help")
        fails(USAGE, "--verison", says='did you mean "--version"?')
        fails(USAGE, "convert", "a", "b", "--sesion-key", "x", says='did you mean "--session-key"?',
              hint="dsictl convert --help")
        fails(USAGE, "inspect", self.file, "--feature=1", says='no option --feature; did you mean "--features"?')
        new = self.path("new.dsi")
        fails(USAGE, "convert", self.rows, new, "--session-key", "sesion_id",
              says='did you mean "session_id"?', hint=f"dsictl schema {self.rows}")
        fails(USAGE, "convert", self.rows, new, "--time", "clics", says='did you mean "clicks"?')
        fails(USAGE, "cat", self.file, "--features", "clics", says='did you mean "clicks"?',
              hint="--features' lists")
        for verb in (["cat", self.file], ["convert", self.file, new], ["bench", self.file, "--features", "clicks"]):
            fails(USAGE, *verb, "--where", "sesion_id = 1", says='did you mean "session_id"?',
                  hint="--features' lists")
        fails(USAGE, "inspect", self.file, "--stat", says='"--stats"')
        fails(USAGE, "completion", "fish", hint="dsictl completion --help")
        fails(IO, "cat", self.path("rwos.dsi"), hint='did you mean "rows.dsi"?')

    def test_arguments_come_in_their_order(self):
        self.fails(USAGE, "generate", "a", "b", "c", says="not expected: 'b' 'c'\n")

    def test_options_are_called_as_on_the_command_line(self):
        new = self.path("new.dsi")
        convert = ("convert", self.rows, new)
        self.fails(USAGE, *convert, "--stripe-rows", "0", says="--stripe-rows: ")
        self.fails(USAGE, *convert, "--stripe-memory", "0", says="--stripe-memory is 0")
        self.fails(USAGE, *convert, "--session-key", "clicks",
                   says='--session-key: "clicks" is a list feature, expected a key')
        self.fails(IO, *convert, "--memory", "1K", "--spill-folder", "/nowhere",
                   says="spill folder /nowhere: creating", hint="--spill-folder names")
        self.fails(IO, "convert", self.file, new, "--memory", "1K", says="memory budget", hint="raise --memory")
        self.fails(USAGE, "convert", self.rows, self.file, says="exists", hint="--force replaces it")
        self.fails(USAGE, "inspect", self.file, "--groups", "--stripes", says="--stripes, --groups: give one of them")
        taken = self.write("taken.jsonl", '{"__position": 1}\n')
        self.fails(USAGE, "convert", taken, new, says="__position is kept")

    def test_every_kind_of_failure_has_its_own_hint(self):
        new = self.path("new.dsi")
        cut = self.write("cut.dsi", self.file.read_bytes()[:-100])
        flipped = bytearray(self.file.read_bytes())
        flipped[100] ^= 1
        flipped = self.write("flipped.dsi", bytes(flipped))
        hints = [self.fails(code, *arguments, **expected).split("hint: ")[1] for code, arguments, expected in (
            (USAGE, ("convert", self.rows), {"hint": "convert --help"}),
            (USAGE, ("convert", self.rows, self.file), {"hint": "--force"}),
            (USAGE, ("convert", self.write("x.txt", ROWS), new), {"hint": "--format jsonl"}),
            (USAGE, ("convert", self.write("bad.jsonl", '{"a":1}\n{"a":\n'), new),
             {"says": "bad.jsonl:2", "hint": "--on-error skip"}),
            (USAGE, ("convert", self.write("mixed.jsonl", '{"a":1}\n{"a":[1]}\n'), new),
             {"hint": "correct the line, or leave it out: jq -c 'del(.a)' "}),
            (USAGE, ("convert", self.rows, new, "--schema", self.write("s.json", '{"x":1}')),
             {"hint": "prints a schema"}),
            (USAGE, ("convert", self.rows, new, "--schema",
                     self.write("t.json", '{"features": [{"name": "clicks", "kind": "list"}]}')),
             {"hint": "--ignore-unknown"}),
            (USAGE, ("overlay", self.folder, self.rows, "-o", new), {"hint": "name the files in the folder"}),
            (DAMAGED, ("cat", cut), {"hint": "not copied whole"}),
            (DAMAGED, ("cat", flipped), {"hint": "dsictl verify "}),
            (DAMAGED, ("verify", flipped), {"hint": "anew from its source"}),
            (DAMAGED, ("inspect", self.rows), {"hint": f"dsictl convert {self.rows} OUT.dsi"}),
            (IO, ("convert", self.rows, self.path("no/such/x.dsi")), {"hint": "mkdir -p"}),
            (IO, ("cat", "/nothing_like_it"), {"hint": "paths start in"}),
            (IO, ("convert", self.rows, new, "--memory", "1K", "--spill-folder", "/nowhere"),
             {"hint": "--spill-folder"}),
        )]
        self.assertEqual(len(set(hints)), len(hints))
        # Where the message says what to do there is none.
        self.fails(USAGE, "cat", self.file, "--original-order", says="--keep-position", hint="")

    def test_a_text_that_is_no_table_comes_with_a_way(self):
        new = self.path("new.dsi")
        for name, text, says, hint in (
                ("empty.jsonl", "", "found no values", "needs a schema: --schema FILE"),
                ("empty.csv", "", "expected a header", "is it the right one"),
                ("array.jsonl", '[{"a":1},{"a":2}]\n', "found an array", "jq -c '.[]' "),
                ("pretty.jsonl", '{\n  "a": 1\n}\n', "ends early", "jq -c . "),
                ("words.jsonl", '{"b":1,"u":{"tags":[[["x"]]]}}\n', 'found an array in an array of arrays', "jq -c 'del(.u.tags)' "),
                ("odd.jsonl", '{"a b":[[[1]]]}\n', 'found an array in an array', "make one list of them\n"),
                ("nulls.jsonl", '{"b":1,"tags":[1,null]}\n{"b":1}\n', 'found null in an array', "--null-entries drop"),
                ("members.jsonl", '{"x":1,"a":[{"b":1,"t":2},{"b":1}]}\n', "expected all of them", "--null-entries fill"),
                ("nested.jsonl", '{"a":1,"i":[{"b":1,"u":{"t":[{"x":2}]}}]}\n', 'an object of the array "i"', "jq -c 'del(.i[]?.u.t)' "),
                ("nulls.csv", 'a,b\n1,"[1, None]"\n', "a list with a null on line 2", "--null-entries drop"),
                ("mixed.jsonl", '{"a":1,"b":1}\n{"a":"x","b":2}\n', "expected one kind of value", "jq -c 'del(.a)' "),
                ("twice.csv", "a,a\n1,2\n", "stands twice", "rename one of them"),
                ("long.csv", "a,b\n1,2,3\n", "found 3 cells", "--on-error skip"),
                ("comma.csv", "a;b\n1,5;2\n", "expected the 1 of the header", "--format tsv"),
                ("open.csv", 'a,b\n"1,2\n', "never closed", "--on-error skip")):
            with self.subTest(name):
                said = self.fails(USAGE, "convert", self.write(name, text), new, says=says, hint=hint)
                if "jq " in said and shutil.which("jq"):
                    command = said[said.index("jq "):]
                    environment = {**os.environ, "PATH": f"{os.path.dirname(DSICTL)}:{os.environ['PATH']}"}
                    subprocess.run(["sh", "-ec", command], env=environment, check=True, capture_output=True)
                    new.unlink()
        self.fails(USAGE, "schema", self.path("empty.jsonl"), hint="rows with values are needed")
        self.fails(USAGE, "dedup", self.path("array.jsonl"), hint="| dsictl dedup -\n")
        packed = self.write("array.jsonl.gz", gzip.compress(b"[1]\n"))
        self.fails(USAGE, "convert", packed, new, hint=f"zcat {packed} | jq -c '.[]' | dsictl convert - ")
        typed = self.write("int8.json", '{"features":[{"name":"a","kind":"dense","type":"int8"}]}')
        self.fails(USAGE, "convert", self.write("big.jsonl", '{"a":1000}\n'), new, "--schema", typed,
                   hint="or the type of the feature in the schema")

    def test_separators_other_than_the_formats(self):
        for name, text, by in (("a.csv", "a;b\n1;2\n", "';'"), ("b.csv", "a\tb\n1\t2\n", "tabs"),
                               ("c.tsv", "a,b\n1,2\n", "','")):
            said = self.expect(OK, "convert", self.write(name, text), self.path(name + ".dsi"), warns=True).said
            self.assertIn(f"not by {by}, unless --separator says so\n", said)
        self.expect(OK, "convert", self.write("d.csv", "ab\n1\n"), self.path("d.dsi"), "-q")

    def test_inputs_that_are_not_there_or_no_files(self):
        new = self.path("new.dsi")
        self.fails(IO, "convert", self.path("rows.dis"), new, says="No such file", hint='did you mean "rows.dsi"')
        self.path("none").mkdir()
        self.fails(IO, "convert", self.path("none"), new, says="none: no files whose names tell")
        self.write("x.dsi", b"")
        self.fails(IO, "cat", self.path("y.dsi"), hint="paths start in")
        self.fails(USAGE, "convert", self.rows, new, "--schema", self.file,
                   says=f"'dsictl schema {self.file} > FILE' prints", hint="")
        self.fails(USAGE, "convert", self.rows, new, "--schema",
                   self.write("s.json", '{"features":[{"name":"a","kind":"dense","tpye":"int8"}]}'),
                   says='unknown member "tpye"; did you mean "type"?')

    def test_values_of_options(self):
        new = self.path("new.dsi")
        fails = self.fails
        fails(USAGE, "convert", self.rows, new, "--tuning", "nwme",
              says="--tuning: expected nvme, network or archive, not 'nwme'; did you mean \"nvme\"?\n")
        fails(USAGE, "convert", self.rows, new, "--stripe-rows", "0",
              says="--stripe-rows: expected 1 to 16777216, not '0'\n")
        fails(USAGE, "cat", self.file, "--sample", "10%", says="--sample: expected 0 to 1, not '10%'\n")
        fails(USAGE, "cat", self.file, "--sample", "1.5", says="--sample: expected 0 to 1, not '1.5'\n")
        fails(USAGE, "inspect", self.file, "--plan", "clicks", "--stripe", "99",
              says="--stripe 99: the file has 1 stripe, counted from 0\n")
        fails(USAGE, "bench", self.file, "--features", "no*", says='no feature of the file matches "no*"\n')
        fails(USAGE, "generate", self.path("g.jsonl"), "--profile", "p3", "--items", "4",
              says="--items says nothing of profile p3, only of clicks, news\n")
        fails(USAGE, "generate", self.path("g.jsonl.gz"), "--rows", "5", says="OUT ends in .jsonl or is -")
        self.assertNotIn("g.jsonl", self.names())

    def test_memory_is_that_of_the_option(self):
        new = self.path("new.dsi")
        self.fails(IO, "convert", self.file, new, "--memory", "1K", says="of --memory)")
        self.fails(IO, "rewrite", self.file, new, "--memory", "1K", says="--memory", hint="raise --memory")
        long = self.write("long.jsonl", "".join('{"a": %s}\n' % list(range(i, i + 20000)) for i in range(40)))
        self.expect(OK, "convert", long, self.path("long.dsi"), "--keep-order", "-q")
        self.fails(IO, "rewrite", self.path("long.dsi"), new, "--memory", "1M", says="that are left of --memory",
                   hint="raise --memory\n")

    def test_verify_tells_of_each_file(self):
        cut = self.write("cut.dsi", self.file.read_bytes()[:20])
        gone = self.path("gone.dsi")
        result = self.expect(DAMAGED, "verify", cut, self.file, gone)
        lines = result.stdout.decode().splitlines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[0].startswith(f"{cut}: damaged: 20 bytes"))
        self.assertTrue(lines[1].startswith(f"{self.file}: sound"))
        self.assertTrue(lines[2].startswith(f"{gone}: unreadable: opening"))
        # Of a single one the error says it.
        self.assertEqual(self.expect(IO, "verify", gone).stdout, b"")

    def test_reports_of_little(self):
        rows, file = self.write("one.jsonl", '{"a":1}\n'), self.path("one.dsi")
        self.assertRegex(self.expect(OK, "convert", rows, file).stdout.decode(), r"(?m)^sessions +none$")
        self.assertRegex(self.expect(OK, "inspect", file).stdout.decode(), r"(?m)^sessions +none$")
        self.assertEqual(self.expect(OK, "inspect", file, "--metadata").stdout.decode(),
                         "no notes (convert --metadata KEY=VALUE stores them)\n")
        said = self.expect(OK, "bench", file, "--features", "a").stdout.decode()
        self.assertIn("1 column, 1 batch of 4,096", said)
        said = self.expect(OK, "bench", self.file, "--features", "clicks").stdout.decode()
        self.assertIn("(1 read, ", said)

    def test_other_formats_come_with_a_way(self):
        packed = self.write("o'rows.jsonl.bz2", bz2.compress(ROWS.encode()))
        said = self.fails(USAGE, "convert", packed, self.path("new.dsi"), hint="bzcat ")
        environment = {**os.environ, "PATH": f"{os.path.dirname(DSICTL)}:{os.environ['PATH']}"}
        command = said.split("it is bzip2: ")[1]
        if subprocess.run(["sh", "-c", "command -v bzcat"], capture_output=True).returncode == 0:
            subprocess.run(["sh", "-ec", command], env=environment, check=True, capture_output=True)
            self.assertTrue(self.path("new.dsi").exists())
        self.fails(USAGE, "dedup", self.write("x.tsv.bz2", bz2.compress(b"a\n1\n")), hint="dsictl dedup - --format tsv")
        parquet = self.write("rows.parquet", b"PAR1" + bytes(100))
        self.fails(USAGE, "convert", parquet, self.path("p.dsi"), hint="Parquet is not read by this program: the dsictl of the Python package")
        self.fails(DAMAGED, "inspect", parquet, hint="Parquet is not read by this program: the dsictl of the Python package")
        self.fails(USAGE, "convert", self.write("p.jsonl", b"PAR1" + bytes(100)), self.path("p.dsi"),
                   hint="Parquet")
        self.fails(USAGE, "convert", self.file, self.path("out.parquet"), hint="the dsictl of the Python package")
        self.fails(IO, "cat", self.write("x.dsi", b"") / "y.dsi", hint="")

    def test_help_tells_every_exit_code(self):
        text = self.expect(OK, "--help").stdout.decode()
        for words in ("3  I/O, or too little memory", "4  unsupported", "129, 130, 143", "141"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()

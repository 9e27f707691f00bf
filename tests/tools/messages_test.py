"""What dsictl says when it fails: in its own words, with one hint for each kind of failure."""

import bz2
import os
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
        self.fails(USAGE, "convert", "a", "b", "c", "d", says="not expected: 'c' 'd'\n")

    def test_options_are_called_as_on_the_command_line(self):
        new = self.path("new.dsi")
        convert = ("convert", self.rows, new)
        self.fails(USAGE, *convert, "--stripe-rows", "0", says="--stripe-rows: ")
        self.fails(USAGE, *convert, "--stripe-memory", "0", says="--stripe-memory is 0")
        self.fails(USAGE, *convert, "--session-key", "clicks",
                   says='--session-key: "clicks" is a list feature, expected a key')
        self.fails(IO, *convert, "--memory", "1K", says="memory budget of 1024 bytes",
                   hint="raise --memory")
        self.fails(IO, "convert", self.file, new, "--memory", "1K", says="memory budget", hint="raise --memory")
        self.fails(USAGE, "convert", self.rows, self.file, says="exists", hint="--force replaces it")
        self.fails(USAGE, "inspect", self.file, "--groups", "--stripes", says="give one of [--features")
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
             {"says": "bad.jsonl:2", "hint": "correct the line, or leave it out"}),
            (USAGE, ("convert", self.write("mixed.jsonl", '{"a":1}\n{"a":[1]}\n'), new),
             {"hint": "state the kinds: 'dsictl schema "}),
            (USAGE, ("convert", self.rows, new, "--schema", self.write("s.json", '{"x":1}')),
             {"hint": "prints a schema"}),
            (USAGE, ("convert", self.rows, new, "--schema",
                     self.write("t.json", '{"features": [{"name": "clicks", "kind": "list"}]}')),
             {"hint": "--ignore-unknown"}),
            (USAGE, ("cat", self.folder), {"hint": "name the files in the folder"}),
            (DAMAGED, ("cat", cut), {"hint": "not copied whole"}),
            (DAMAGED, ("cat", flipped), {"hint": "dsictl verify "}),
            (DAMAGED, ("verify", flipped), {"hint": "anew from its source"}),
            (DAMAGED, ("inspect", self.rows), {"hint": f"dsictl convert {self.rows} OUT.dsi"}),
            (IO, ("convert", self.rows, self.path("no/such/x.dsi")), {"hint": "mkdir -p"}),
            (IO, ("cat", "/nothing_like_it"), {"hint": "paths start in"}),
            (IO, ("convert", self.rows, new, "--memory", "1K"), {"hint": "raise --memory"}),
        )]
        self.assertEqual(len(set(hints)), len(hints))
        # Where the message says what to do there is none.
        self.fails(USAGE, "cat", self.file, "--original-order", says="--keep-position", hint="")

    def test_other_formats_come_with_a_way(self):
        packed = self.write("o'rows.jsonl.bz2", bz2.compress(ROWS.encode()))
        said = self.fails(USAGE, "convert", packed, self.path("new.dsi"), hint="bzcat ")
        environment = {**os.environ, "PATH": f"{os.path.dirname(DSICTL)}:{os.environ['PATH']}"}
        command = said.split("it is bzip2: ")[1]
        if subprocess.run(["sh", "-c", "command -v bzcat"], capture_output=True).returncode == 0:
            subprocess.run(["sh", "-ec", command], env=environment, check=True, capture_output=True)
            self.assertTrue(self.path("new.dsi").exists())
        self.fails(USAGE, "dedup", self.path("x.tsv.bz2"), hint="dsictl dedup - --format tsv")
        parquet = self.write("rows.parquet", b"PAR1" + bytes(100))
        self.fails(USAGE, "convert", parquet, self.path("p.dsi"), hint="Parquet is not read: ")
        self.fails(DAMAGED, "inspect", parquet, hint="Parquet is not read: ")
        self.fails(USAGE, "convert", self.write("p.jsonl", b"PAR1" + bytes(100)), self.path("p.dsi"),
                   hint="Parquet")
        self.fails(IO, "cat", self.write("x.dsi", b"") / "y.dsi", hint="")

    def test_help_tells_every_exit_code(self):
        text = self.expect(OK, "--help").stdout.decode()
        for words in ("3  I/O, or too little memory", "4  unsupported", "129, 130, 143", "141"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()

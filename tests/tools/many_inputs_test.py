"""convert and schema with many inputs: order, patterns, folders, pipes among files, places in messages."""

import gzip
import json
import os
import subprocess
import threading

from cli_case import DSICTL, IO, OK, USAGE, CliTest, main


class ManyInputsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.out = self.path("o.dsi")

    def rows(self, name, *numbers):
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f'{{"x": {n}}}\n' for n in numbers).encode()
        return self.write(name, gzip.compress(text) if name.endswith(".gz") else text)

    def numbers(self):
        rows = [json.loads(line) for line in self.expect(OK, "cat", self.out).stdout.splitlines()]
        return [row["x"] for row in rows]

    def convert(self, *arguments, **options):
        self.expect(OK, "convert", *arguments, self.out, "--force", "--quiet", **options)
        return self.numbers()

    def test_files_stand_as_they_are_named(self):
        b, a = self.rows("b.jsonl", 1, 2), self.rows("a.jsonl.gz", 3)
        self.assertEqual(self.convert(b, a), [1, 2, 3])
        self.assertEqual(self.convert(a, b), [3, 1, 2])
        report = self.json("convert", b, a, self.out, "--force")
        sizes = b.stat().st_size + a.stat().st_size
        self.assertEqual((report["rows"], report["bytes_in"], report["input"]["files"]), (3, sizes, 2))
        self.assertIn('"x"', self.expect(OK, "schema", b, a).stdout.decode())

    def test_keys_in_paths(self):
        for day in (1, 2):
            self.rows(f"logs/day=2026-01-0{day}/a.jsonl", day)
        self.assertEqual(self.convert(self.path("logs")), [1, 2])
        rows = [json.loads(line) for line in self.expect(OK, "cat", self.out).stdout.splitlines()]
        self.assertEqual([row["day"] for row in rows], [1767225600, 1767312000])
        said = self.expect(OK, "convert", self.path("logs"), self.out, "--force").stdout.decode()
        self.assertIn("keys in paths  day\n", said)
        explained = self.expect(OK, "schema", self.path("logs"), "--explain-schema").stdout.decode()
        self.assertIn("a key in the paths; every text is a time", explained)

    def test_patterns_and_folders(self):
        for day in (2, 1, 10):
            self.rows(f"day={day}/part-1.jsonl", day)
            self.rows(f"day={day}/part-0.jsonl.gz", day * 100)
        self.rows("day=1/.hidden.jsonl", 0)
        self.write("day=1/_SUCCESS", "")
        in_order = [100, 1, 1000, 10, 200, 2]
        for where in ("day=*/*.jsonl*", "**/part-?.jsonl*"):
            self.assertEqual(self.convert(self.folder / where), in_order, where)
        self.assertEqual(self.convert(self.folder / "day=2", self.folder / "day=1"), [200, 2, 100, 1])
        # What is no text by its name is left alone in a folder, as is what no job means.
        self.write("day=2/readme.txt", "hello")
        self.assertEqual(self.convert(self.folder / "day=2"), [200, 2])
        self.write("day=2/readme.txt", '{"x": 5}\n')
        self.assertEqual(self.convert(self.folder / "day=2", "--format", "jsonl"), [200, 2, 5])
        # A file of that very name is no pattern.
        self.assertEqual(self.convert(self.rows("a[1]*.jsonl", 8)), [8])

    def test_what_is_not_there(self):
        a = self.rows("a.jsonl", 1)
        said = self.expect(IO, "convert", self.folder / "no*.jsonl", self.out).said
        self.assertIn("no file has such a name", said)
        self.path("empty").mkdir()
        self.assertIn("no files whose names", self.expect(IO, "convert", self.folder / "empty", self.out).said)
        # The last file is looked for before the first is read.
        self.assertIn("b.jsonl", self.expect(IO, "convert", a, self.path("b.jsonl"), self.out).said)
        self.assertIn("named twice", self.expect(USAGE, "convert", a, self.folder / "*.jsonl", self.out).said)
        self.assertIn("different formats",
                      self.expect(USAGE, "convert", a, self.write("c.csv", "x\n1\n"), self.out).said)
        said = self.expect(USAGE, "convert", self.write("empty/d.dsi", ""), a, self.out).said
        self.assertIn("taken alone", said)
        self.assertIn("dsictl rewrite IN...", said)
        said = self.expect(IO, "convert", self.folder / "empty", self.out).said
        self.assertIn("in this folder, but .dsi files", said)
        self.assertIn("dsictl rewrite IN...", said)
        self.assertFalse(self.out.exists())

    def test_one_schema_over_all(self):
        a, b = self.write("a.csv", "x,y\n1,2\n"), self.write("b.csv", "z,x\nword,0.5\n")
        self.assertEqual(self.convert(a, b), [1, 0.5])
        rows = [json.loads(line) for line in self.expect(OK, "cat", self.out).stdout.splitlines()]
        self.assertEqual(rows, [{"x": 1, "y": 2}, {"x": 0.5, "z": "word"}])

    def test_messages_name_the_file(self):
        a, b = self.rows("a.jsonl", 1, 2), self.write("b.jsonl", '{"x": 3}\n{"x":\n')
        self.assertIn("b.jsonl:2:", self.expect(USAGE, "convert", a, b, self.out).said)
        b.write_text('{"x": 3}\n{"x": "word"}\n')
        said = self.expect(USAGE, "convert", a, b, self.out).said
        self.assertIn(f"line 2 of {b} and a number on line 1 of {a}", said)
        schema = self.write("s.json", '{"features": [{"name": "x", "kind": "dense", "type": "int8"}]}')
        self.assertIn("b.jsonl:2:", self.expect(USAGE, "convert", a, b, self.out, "--schema", schema).said)
        b.write_text('{"x": 3}\n{"y": 1}\n')
        said = self.expect(OK, "convert", a, b, self.out, "--schema", schema, "--ignore-unknown", "-q",
                           warns=True).said
        self.assertIn(f"the first on line 2 of {b}", said)


class ManyPipesTest(CliTest):
    def test_pipes_among_files(self):
        texts = [b"".join(b'{"x": %d}\n' % (1000 * k + i) for i in range(500)) for k in range(4)]
        plain, expected = self.write("plain.jsonl", texts[1]), [1000 * k + i for k in range(4) for i in range(500)]
        schema = self.write("s.json", '{"features": [{"name": "x", "kind": "dense", "type": "int64"}]}')
        for options in ([], ["--schema", str(schema)]):
            out = self.path("o.dsi")
            fifo = self.path("pipe.jsonl.gz")
            os.mkfifo(fifo)
            writer = threading.Thread(target=lambda: fifo.write_bytes(gzip.compress(texts[0])), daemon=True)
            writer.start()
            script = '"$D" convert "$1" "$2" - <(cat "$3") "$4" -q --format jsonl "${@:5}"'
            last = self.write("last.bin", texts[3])
            result = subprocess.run(["bash", "-c", script, "bash", fifo, plain, last, out, *options],
                                    input=texts[2], capture_output=True, timeout=120,
                                    env={**os.environ, "D": DSICTL})
            self.assertEqual(result.returncode, OK, result.stderr)
            writer.join(60)
            rows = [json.loads(line)["x"] for line in self.expect(OK, "cat", out).stdout.splitlines()]
            self.assertEqual(rows, expected, options)
            out.unlink()
            fifo.unlink()


if __name__ == "__main__":
    main()

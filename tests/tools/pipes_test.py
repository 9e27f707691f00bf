"""Texts that can be read but once: pipes with and without names, in every verb that reads text."""

import gzip
import json
import os
import signal
import subprocess
import threading
import time

from cli_case import DSICTL, INTERRUPTED, IO, OK, USAGE, CliTest, main, run

ROWS = 3000


class PipeTest(CliTest):
    def setUp(self):
        super().setUp()
        self.rows = self.table("clicks")
        self.reference = self.path("reference.dsi")
        self.expect(OK, "convert", self.rows, self.reference, "--quiet")
        self.schema = self.write("s.json", self.expect(OK, "schema", self.rows).stdout)
        self.before = self.names()

    def shell(self, command, code=OK):
        result = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=120,
                                env={**os.environ, "D": DSICTL, "F": str(self.folder)})
        self.assertEqual(result.returncode, code, f"{command}: {result.stderr}")
        return result

    def fifo(self, name, data):
        """A pipe with a name, and somebody who writes into it."""
        path = self.path(name)
        os.mkfifo(path)

        def feed():
            try:
                with open(path, "wb") as pipe:
                    pipe.write(data)
            except BrokenPipeError:
                pass  # Whoever reads has seen enough.

        writer = threading.Thread(target=feed, daemon=True)
        writer.start()
        self.addCleanup(writer.join, 60)
        return path

    def same(self, path):
        self.assertEqual(path.read_bytes(), self.reference.read_bytes())
        path.unlink()

    def test_process_substitution_and_standard_input_by_name(self):
        (self.folder / "rows.jsonl.gz").write_bytes(gzip.compress(self.rows.read_bytes()))
        for command in ('$D convert <(cat $F/clicks.jsonl) $F/o.dsi --format jsonl -q',
                        '$D convert <(cat $F/rows.jsonl.gz) $F/o.dsi --format jsonl -q',
                        'cat $F/clicks.jsonl | $D convert /dev/stdin $F/o.dsi --format jsonl -q',
                        'cat $F/clicks.jsonl | $D convert /proc/self/fd/0 $F/o.dsi --format jsonl -q',
                        'cat $F/clicks.jsonl | $D convert - $F/o.dsi -q',
                        '$D convert /dev/stdin $F/o.dsi --format jsonl -q < $F/clicks.jsonl',
                        '$D convert <(cat $F/clicks.jsonl) $F/o.dsi --format jsonl -q '
                        '--schema <(cat $F/s.json)'):
            self.shell(command)
            self.same(self.path("o.dsi"))

    def test_a_pipe_does_not_empty_the_old_file(self):
        out = self.path("old.dsi")
        out.write_bytes(self.reference.read_bytes())
        self.shell('$D convert <(cat $F/clicks.jsonl) $F/old.dsi --force --format jsonl -q')
        self.same(out)

    def test_fifo(self):
        data = self.rows.read_bytes()
        for number, (name, packed, options) in enumerate((
                ("a.jsonl", data, ()), ("b.jsonl.gz", gzip.compress(data), ()),
                ("c.jsonl", data, ("--schema", self.schema)), ("d", data, ("--format", "jsonl")))):
            out = self.path(f"{number}.dsi")
            self.expect(OK, "convert", self.fifo(name, packed), out, "--quiet", *options)
            self.same(out)

    def test_other_verbs(self):
        found = self.expect(OK, "schema", self.fifo("a.jsonl", self.rows.read_bytes())).stdout
        self.assertEqual(json.loads(found), json.loads(self.schema.read_text()))
        for options in ((), ("--schema", self.schema)):
            report = self.json("dedup", self.fifo(f"b{len(options)}.jsonl", self.rows.read_bytes()),
                               "--no-trials", *options)
            self.assertEqual(report["rows"], ROWS)
        # A .dsi file is read in places: a pipe is refused at once, and never waited for.
        os.mkfifo(self.path("p.dsi"))
        for verb in ("inspect", "cat", "verify"):
            result = run(verb, self.path("p.dsi"))
            self.assertEqual(result.returncode, USAGE, verb)
            self.assertIn(b"not a regular file", result.stderr)

    def test_messages_name_the_pipe(self):
        said = self.expect(USAGE, "convert", self.fifo("x.jsonl", b'{"a":1}\n{"a":\n'),
                           self.path("o.dsi")).said
        self.assertIn("x.jsonl:2:", said)
        said = self.expect(USAGE, "convert", self.fifo("y.jsonl", b'{"a":1}\n{"a":\n'),
                           self.path("o.dsi"), "--schema", self.schema).said
        self.assertIn("y.jsonl:1:", said)
        # Nothing is read before it is known how.
        os.mkfifo(self.path("z"))
        self.assertIn("format", self.expect(USAGE, "convert", self.path("z"), self.path("o.dsi")).said)
        self.assertFalse(self.path("o.dsi").exists())

    def test_size_of_the_input_is_that_of_its_bytes(self):
        data = self.rows.read_bytes()
        found = self.json("convert", self.fifo("a.jsonl", data), self.path("o.dsi"))
        self.assertEqual((found["rows"], found["bytes_in"]), (ROWS, len(data)))

    def test_files_that_state_no_size(self):
        found = self.json("convert", "/proc/meminfo", self.path("o.dsi"), "--format", "csv")
        self.assertGreater(found["rows"], 10)

    def test_the_copy_is_packed(self):
        data = self.rows.read_bytes()
        path = self.path("slow.jsonl")
        os.mkfifo(path)
        process = subprocess.Popen([DSICTL, "convert", path, self.path("o.dsi"), "-q"])
        with open(path, "wb") as pipe:
            pipe.write(data * 20)
            pipe.flush()
            copies = []
            for descriptor in os.scandir(f"/proc/{process.pid}/fd"):
                target = os.readlink(descriptor.path)
                if target.startswith(str(self.folder)) and "deleted" in target:
                    copies.append(os.stat(descriptor.path).st_size)
            # The copy lies beside the output and has no name.
            self.assertTrue(copies)
            self.assertLess(max(copies), len(data) * 10)
            self.assertEqual([n for n in self.names() if not n.startswith(".o.dsi.")],
                             sorted([*self.before, "slow.jsonl"]))
        self.assertEqual(process.wait(timeout=120), OK)

    def test_interrupted_while_waiting(self):
        os.mkfifo(self.path("silent.jsonl"))
        for options in ((), ("--schema", self.schema)):
            for open_it in (False, True):  # Waiting for somebody to write, and for what is written.
                process = subprocess.Popen(
                    [DSICTL, "convert", self.path("silent.jsonl"), self.path("o.dsi"), *options],
                    stderr=subprocess.PIPE,
                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
                pipe = open(self.path("silent.jsonl"), "wb") if open_it else None
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(timeout=60), INTERRUPTED)
                process.stderr.close()
                if pipe:
                    pipe.close()
                self.assertEqual(self.names(), sorted([*self.before, "silent.jsonl"]))

    def test_folders_and_sockets(self):
        # A folder is one of texts, and here a schema stands among them.
        said = self.expect(USAGE, "convert", self.folder, self.path("o.dsi"), "--format", "jsonl").said
        self.assertIn("s.json:1:", said)
        self.assertEqual(self.names(), self.before)


class NoRowsTest(CliTest):
    def test_no_rows_are_said(self):
        schema = self.write("s.json", '{"features":[{"name":"x","kind":"dense"}]}')
        empty = self.write("e.jsonl", "")
        result = self.expect(OK, "convert", empty, self.path("e.dsi"), "--schema", schema, "-q",
                             warns=True)
        self.assertIn("e.jsonl: no rows", result.said)
        result = self.expect(OK, "convert", "-", self.path("f.dsi"), "--schema", schema, input=b"\n",
                             warns=True)
        self.assertIn("standard input: no rows", result.said)
        self.assertNotIn("smaller", result.stdout.decode())
        header = self.write("h.csv", "a,b\n")
        self.assertIn("no rows", self.expect(OK, "convert", header, self.path("h.dsi"), "--json",
                                             warns=True).said)
        # Without a schema there is nothing to write, so that an old file stays.
        self.write("old.dsi", "mine")
        self.expect(USAGE, "convert", empty, self.path("old.dsi"), "--force")
        self.assertEqual(self.path("old.dsi").read_text(), "mine")


if __name__ == "__main__":
    main()

"""Runs dsictl where things go wrong: exit codes, messages, and that nothing is left behind."""

import gzip
import json
import resource
import signal
import subprocess
import time

from cli_case import DAMAGED, DSICTL, INTERRUPTED, IO, OK, USAGE, CliTest, main, run


class BadInputTest(CliTest):
    GOOD = '{"session_id":1,"timestamp":1700000000,"x":1,"ids":[1,2]}\n'

    def refuse(self, text, *expected, options=(), code=USAGE):
        source = self.write("bad.jsonl", text)
        said = self.expect(code, "convert", source, self.path("bad.dsi"), *options).said
        for word in expected:
            self.assertIn(word, said)
        self.assertEqual(self.names(), ["bad.jsonl"] + (["s.json"] if options else []))

    def test_malformed_json_names_the_line(self):
        self.refuse(self.GOOD * 2 + '{"session_id":1,\n' + self.GOOD, "bad.jsonl", "3")
        self.refuse(self.GOOD + "[1,2]\n", "2")
        self.refuse(self.GOOD + '{"x":1} trailing\n', "2")

    def test_wrong_type(self):
        self.refuse(self.GOOD + '{"session_id":2,"timestamp":1700000000,"x":"text"}\n', "2", "x")
        self.refuse(self.GOOD + '{"session_id":2,"x":[1]}\n', "2", "x")

    def test_duplicate_key(self):
        self.refuse(self.GOOD + '{"session_id":2,"session_id":3}\n', "2", "session_id")

    def test_id_beyond_64_bits(self):
        self.refuse(self.GOOD + '{"session_id":1,"ids":[18446744073709551616]}\n', "bad.jsonl:2:",
                    "18446744073709551616")

    def test_largest_ids_are_kept(self):
        source = self.write("i.jsonl", '{"a":18446744073709551615,"b":[-9223372036854775808]}\n')
        self.expect(OK, "convert", source, self.path("i.dsi"), "--quiet", warns=True)
        self.assertEqual(json.loads(self.expect(OK, "cat", self.path("i.dsi")).stdout),
                         {"a": 18446744073709551615, "b": [-9223372036854775808]})

    def test_schema_that_does_not_fit(self):
        schema = self.write("s.json", '{"features":[{"name":"x","kind":"dense","type":"int8"}]}')
        self.refuse('{"x":1}\n{"x":300}\n', "2", "x", options=("--schema", schema))
        self.refuse('{"x":1}\n{"y":1}\n', "2", "y", options=("--schema", schema))
        source = self.write("bad.jsonl", '{"x":1}\n{"y":1}\n')
        said = self.expect(OK, "convert", source, self.path("u.dsi"), "--schema", schema,
                           "--ignore-unknown", "--quiet", warns=True).said
        self.assertIn('1 value of "y" left out, the first on line 2', said)
        self.write("s.json", '{"features":[{"name":"x","kind":"banana"}]}')
        self.assertIn("banana", self.expect(USAGE, "convert", source, self.path("v.dsi"),
                                            "--schema", schema).said)

    def test_few_rows_inferred(self):
        said = self.expect(USAGE, "convert", self.write("f.jsonl", '{"x":1}\n{"x":1.5}\n'),
                           self.path("f.dsi"), "--infer-rows", "1").said
        self.assertIn("--infer-rows", said)

    def test_error_on_standard_input_names_it(self):
        said = self.expect(USAGE, "convert", "-", self.path("x.dsi"), input=b"{\n").said
        self.assertIn("standard input", said)
        self.assertNotIn("/proc", said)
        self.assertEqual(self.names(), [])

    def test_keys_that_do_not_exist(self):
        source = self.write("k.jsonl", self.GOOD)
        self.expect(USAGE, "convert", source, self.path("k.dsi"), "--session-key", "nobody")
        self.expect(USAGE, "convert", source, self.path("k.dsi"), "--time", "ids")
        self.expect(USAGE, "convert", source, self.path("k.dsi"), "--keep-order",
                    "--session-key", "session_id")
        self.assertEqual(self.names(), ["k.jsonl"])


class FileErrorTest(CliTest):
    def test_missing_files_and_folders(self):
        source = self.table("p3")
        self.expect(IO, "convert", self.path("none.jsonl"), self.path("a.dsi"))
        self.expect(IO, "convert", source, self.path("no/folder/a.dsi"))
        for verb in ("inspect", "head", "cat", "verify", "schema"):
            self.expect(IO, verb, self.path("none.dsi"))
        self.assertEqual(self.names(), ["p3.jsonl"])

    def test_existing_output_needs_force(self):
        dsi = self.dsi("p3")
        before = dsi.read_bytes()
        self.assertIn("--force", self.expect(USAGE, "convert", self.path("p3.jsonl"), dsi).said)
        self.assertIn("--force", self.expect(USAGE, "convert", dsi, self.path("p3.jsonl")).said)
        self.assertEqual(dsi.read_bytes(), before)
        self.expect(OK, "convert", self.path("p3.jsonl"), dsi, "--force", "--quiet")

    def test_foreign_files(self):
        for name, data in (("parquet", b"PAR1" + bytes(200) + b"PAR1"),
                           ("gzip", gzip.compress(b"x" * 300)), ("zeros", bytes(4096)),
                           ("empty", b""), ("text", b"hello\n" * 50)):
            path = self.write(f"{name}.dsi", data)
            for verb in ("verify", "inspect", "head", "cat", "schema"):
                self.assertEqual(run(verb, path).returncode, DAMAGED, (verb, name))

    def test_truncated_at_many_places(self):
        data = self.dsi("p3").read_bytes()
        for size in {1, 8, 63, 64, 100, len(data) // 2, len(data) - 81, len(data) - 80, len(data) - 1}:
            path = self.write("cut.dsi", data[:size])
            self.assertEqual(run("verify", path).returncode, DAMAGED, size)
            self.assertEqual(run("cat", path).returncode, DAMAGED, size)

    def test_flipped_bytes_are_found(self):
        data = bytearray(self.dsi("p3").read_bytes())
        for at in range(0, len(data), max(1, len(data) // 60)):
            data[at] ^= 0x20
            path = self.write("flip.dsi", bytes(data))
            result = run("verify", path)
            self.assertEqual(result.returncode, DAMAGED, (at, result.stdout, result.stderr))
            data[at] ^= 0x20

    def test_verify_says_where(self):
        good = self.dsi("p3")
        data = bytearray(good.read_bytes())
        data[len(data) // 3] ^= 1
        bad = self.write("bad.dsi", bytes(data))
        result = self.expect(DAMAGED, "verify", good, bad)
        text = result.stdout.decode()
        self.assertIn("p3.dsi: sound", text)
        self.assertRegex(text, r"bad\.dsi: damaged.*\d")
        report = json.loads(run("verify", "--json", good, bad, self.path("none.dsi")).stdout)
        self.assertEqual([f["state"] for f in report["files"]], ["sound", "damaged", "unreadable"])
        self.assertEqual(run("verify", "--quiet", good).stdout, b"")

    def test_full_disk(self):
        dsi = self.dsi("p3")
        before = self.names()
        with open("/dev/full", "wb") as full:
            result = subprocess.run([DSICTL, "cat", dsi], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, IO, result.stderr)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        self.expect(IO, "convert", self.path("p3.jsonl"), self.path("f.dsi"), preexec_fn=limit)
        self.expect(IO, "convert", dsi, self.path("f.jsonl"), preexec_fn=limit)
        self.expect(IO, "convert", dsi, self.path("f.jsonl"), "--original-order", preexec_fn=limit)
        self.expect(IO, "generate", self.path("g.jsonl"), preexec_fn=limit)
        self.expect(IO, "convert", "-", self.path("f.dsi"), preexec_fn=limit,
                    input=self.path("p3.jsonl").read_bytes())
        self.assertEqual(self.names(), before)

    def test_closed_pipe_is_quiet(self):
        dsi = self.dsi()
        process = subprocess.Popen([DSICTL, "cat", dsi], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(), 141)


class InterruptTest(CliTest):
    def interrupt(self, arguments, feed=None, wait=0.5, signal_number=signal.SIGINT):
        # A shell starts what it puts in the background with Ctrl-C ignored, and so do its children.
        process = subprocess.Popen([DSICTL, *map(str, arguments)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        if feed:
            process.stdin.write(feed)
            process.stdin.flush()
        time.sleep(wait)
        self.assertIsNone(process.poll(), "it ended before the signal")
        process.send_signal(signal_number)
        # Standard input stays open: whoever waits for it must notice the signal all the same.
        code = process.wait(timeout=60)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        return code

    def test_generate_leaves_nothing(self):
        code = self.interrupt(["generate", "--rows", "1000M", self.path("big.jsonl")])
        self.assertEqual(code, INTERRUPTED)
        self.assertEqual(self.names(), [])

    def test_convert_waiting_for_input_leaves_nothing(self):
        table = self.table()
        schema = self.write("s.json", self.expect(OK, "schema", table).stdout)
        before = self.names()
        feed = table.read_bytes()
        for options in ([], ["--schema", schema]):
            arguments = ["convert", "-", self.path("c.dsi"), *options]
            self.assertEqual(self.interrupt(arguments, feed), INTERRUPTED)
            self.assertEqual(self.names(), before)
        arguments = ["convert", "-", self.path("c.dsi")]
        self.assertEqual(self.interrupt(arguments, feed, signal_number=signal.SIGTERM), 143)
        self.assertEqual(self.names(), before)

    def test_killed_process_leaves_no_named_spool(self):
        feed = self.table().read_bytes()
        self.interrupt(["convert", "-", self.path("c.dsi")], feed, signal_number=signal.SIGKILL)
        left = [n for n in self.names() if not n.startswith(".c.dsi.")]
        self.assertEqual(left, ["clicks.jsonl"])
        # The next writer of the same name clears up after the dead one.
        self.expect(OK, "convert", self.path("clicks.jsonl"), self.path("c.dsi"), "--quiet")
        self.assertEqual(self.names(), ["c.dsi", "clicks.jsonl"])


if __name__ == "__main__":
    main()

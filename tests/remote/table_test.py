"""Tables on S3: moto's server behind a proxy that does one write at a time, checks signatures and breaks
as it is told."""

import json
import os
import signal
import subprocess
import sys
import unittest

from moto_case import ProxiedMotoCase
from remote_case import SKIPPED

DSICTL = os.environ.get("DSICTL", "")
NOW = ("--keep", "1", "--younger-than", "0s", "--grace", "0s")


def answer_is_lost(handler, forward):
    forward()


def refuse(status):
    return lambda handler, forward: (status, [], b"<Error><Code>SlowDown</Code></Error>")


def overwrites(handler, forward):
    return forward(without=("if-none-match",))


class TableTest(ProxiedMotoCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scratch = cls.folder / "scratch"
        cls.scratch.mkdir()
        cls.environment["TMPDIR"] = str(cls.scratch)
        rows, cls.file = cls.folder / "a.jsonl", cls.folder / "a b.dsi"
        subprocess.run([DSICTL, "generate", "--profile", "sweep", "--rows", "500", "-q", rows], check=True)
        subprocess.run([DSICTL, "convert", rows, cls.file, "-q"], check=True)

    def setUp(self):
        super().setUp()
        self.prefix, self.table = f"lake/{self.name}/", f"s3://bucket/lake/{self.name}/"

    def tearDown(self):
        super().tearDown()
        self.assertEqual(list(self.scratch.iterdir()), [], "temporary files are left")

    def run_table(self, *arguments):
        return subprocess.run([DSICTL, "table", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=self.environment, timeout=300)

    def expect(self, code, *arguments, said=""):
        done = self.run_table(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(said, done.stderr)
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.expect(0, *arguments, "--json"))

    def stage(self, job):
        path = self.folder / f"{job}.messages"
        path.write_text(self.expect(0, "stage", self.table, self.file, "--job", job))
        return path

    def commit(self, job, *more):
        return self.json("commit", self.table, self.stage(job), "--job", job, *more)

    def keys(self, below=""):
        listed = self.s3.list_objects_v2(Bucket="bucket", Prefix=self.prefix + below).get("Contents", [])
        return [one["Key"].removeprefix(self.prefix) for one in listed]

    def test_rows_are_deleted(self):
        self.expect(0, "create", self.table)
        self.commit("a")
        delete = [DSICTL, "delete", self.table, "--where", "session_id < 2000000000000000000", "--json"]
        for erase, files in (([], 1), ([], 0), (["--erase"], 1), (["--erase"], 0)):
            done = subprocess.run(delete + erase, capture_output=True, text=True, env=self.environment, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(json.loads(done.stdout)["files"]), files)
        self.assertEqual(len(self.keys("data/")), 3)
        left = subprocess.run([DSICTL, "inspect", self.table, "--json"], capture_output=True, env=self.environment,
                              check=True, timeout=300).stdout
        self.assertLess(json.loads(left)["rows"], 500)

    def test_from_creation_to_garbage(self):
        self.expect(3, "log", self.table, said="no table is there")
        self.expect(0, "create", self.table.rstrip("/"))
        self.expect(2, "create", self.table, said="there already")
        self.assertEqual((self.commit("a")["number"], self.commit("b", "--overwrite", "--base", "2")["number"]), (2, 3))
        self.assertEqual(self.json("commit", self.table, self.folder / "a.messages", "--job", "a")["number"], 2)
        name = self.keys("data/a/")[0]
        stored = self.s3.get_object(Bucket="bucket", Key=self.prefix + name)["Body"].read()
        self.assertEqual(stored, self.file.read_bytes())
        self.stage("c")
        self.assertEqual(self.json("abort", self.table, "--job", "c"), {"files_removed": 1})
        for where, rows in ((self.table, 500), (self.table + "@2", 500)):
            done = subprocess.run([DSICTL, "shuffle", where, "--batches", "1", "--json"], env=self.environment,
                                  stdout=subprocess.PIPE, check=True)
            self.assertEqual(json.loads(done.stdout)["rows"], rows)
        self.assertEqual(self.json("gc", self.table, *NOW), {"snapshots": [1, 2], "files": [name]})
        self.assertEqual([s["operation"] for s in self.json("log", self.table)], ["gc", "abort", "overwrite"])
        self.assertEqual(self.json("gc", self.table, *NOW), {"snapshots": [4], "files": []})
        self.assertEqual(len(self.keys("_snapshots/")), 2)
        self.assertEqual(len(self.keys("data/")), 1)
        self.expect(2, "commit", self.table, self.folder / "c.messages", "--job", "c", said="was aborted")

    def test_concurrent_committers_lose_nothing(self):
        self.expect(0, "create", self.table)
        messages = {f"j{i}": self.stage(f"j{i}") for i in range(8)}
        running = [subprocess.Popen([DSICTL, "table", "commit", self.table, path, "--job", job], env=self.environment,
                                    stdout=subprocess.DEVNULL) for job, path in messages.items()]
        self.assertEqual([one.wait(300) for one in running], [0] * 8)
        log = self.json("log", self.table)
        self.assertEqual([s["number"] for s in log], list(range(9, 0, -1)))
        self.assertEqual({s["job"] for s in log[:-1]}, set(messages))
        self.assertEqual(log[0]["rows"], 4000)
        puts = [path for method, path in self.proxy.writes if method == "PUT" and "_snapshots/" in path]
        self.assertGreater(len(puts), 9, "nobody was second")

    def test_lost_answers_and_servers_that_are_busy(self):
        self.expect(0, "create", self.table)
        for number, faults in enumerate(([answer_is_lost], [refuse(503), refuse(500)], [refuse(409)],
                                         [refuse(503), answer_is_lost, refuse(500)]), 2):
            self.proxy.faults[:] = faults
            self.assertEqual(self.commit(f"j{number}")["number"], number)
            self.assertEqual(self.proxy.faults, [])
        self.assertEqual(self.json("log", self.table)[0]["rows"], 2000)
        self.proxy.faults[:] = [refuse(403)]
        self.expect(3, "commit", self.table, self.stage("k"), "--job", "k", said="answered 403 (SlowDown)")
        self.assertEqual(self.json("log", self.table)[0]["number"], 5)

    def test_a_server_that_overwrites_is_refused(self):
        self.proxy.faults[:] = [overwrites, overwrites]
        self.expect(2, "create", self.table, said="If-None-Match")
        self.assertEqual(self.keys(), [])

    def test_a_committer_that_dies(self):
        self.expect(0, "create", self.table)
        path = self.stage("j")
        for is_done in (False, True):
            def dies(handler, forward, is_done=is_done):
                if is_done:
                    forward()
                running.send_signal(signal.SIGKILL)
                running.wait(60)
            with self.subTest(is_done=is_done):
                self.proxy.faults[:] = [dies]
                running = subprocess.Popen([DSICTL, "table", "commit", self.table, path, "--job", "j"],
                                           env=self.environment, stdout=subprocess.DEVNULL)
                self.assertEqual(running.wait(300), -signal.SIGKILL)
                with self.proxy.lock:
                    pass
                self.assertEqual(self.json("log", self.table)[0]["number"], 2 if is_done else 1)
        self.assertEqual(self.json("commit", self.table, path, "--job", "j")["number"], 2)
        self.assertEqual(self.json("log", self.table)[0]["files"], 1)


if __name__ == "__main__":
    if not DSICTL:
        print("skipped: DSICTL does not name the program")
        sys.exit(SKIPPED)
    unittest.main()

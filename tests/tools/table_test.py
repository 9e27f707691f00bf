"""dsictl table: a table from its creation to its garbage, and jobs that are killed at every step."""

import json
import os
import re
import shutil
import signal
import subprocess
import unittest
from collections import Counter
from pathlib import Path

from cli_case import DSICTL, IO, OK, USAGE, CliTest, main, run

NOW = ("--keep", "1", "--younger-than", "0s", "--grace", "0s")
# What changes anything, or may fail before it does.
CALLS = ("openat", "write", "fsync", "close", "mkdir", "rename", "renameat2", "link", "linkat", "unlink", "unlinkat",
         "rmdir", "newfstatat", "getdents64", "pread64")


class TableTest(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.dsi("sweep")
        self.table = self.path("t")
        self.expect(OK, "table", "create", self.table, "-q")

    def stage(self, job, *more):
        return self.expect(OK, "table", "stage", self.table, self.file, "--job", job, *more).stdout

    def commit(self, job, *more, messages=None):
        return self.json("table", "commit", self.table, self.write("m", messages or self.stage(job)), "--job", job, *more)

    def test_delete(self):
        where = self.path("forget")
        self.expect(OK, "table", "create", where, "-q")
        self.assertNotIn("--force", self.expect(USAGE, "table", "create", where).said)
        for day in range(3):
            text = self.write("d.jsonl", "".join(json.dumps({"user": i, "day": day}) + "\n" for i in range(20)))
            self.expect(OK, "convert", text, self.path("d.dsi"), "-q", "--force")
            message = self.expect(OK, "table", "stage", where, self.path("d.dsi"), "--job", f"d{day}", "-q").stdout
            self.expect(OK, "table", "commit", where, self.write("m", message.decode()), "--job", f"d{day}", "-q")
        report = self.json("delete", where, "--where", "user = 3 or user = 5", "--where", "day > 0", "-n")
        self.assertEqual([report[key] for key in ("rows", "deleted", "snapshot")], [60, 4, 4])
        told = self.expect(OK, "delete", str(where) + "/", "--where", "user = 3", "--where", "day > 0", "--job", "x",
                           "--erase").stdout.decode()
        self.assertEqual([line.split() for line in told.splitlines()],
                         [["deleted", "2", "of", "60", "rows"], ["files", "replaced", "2"], ["snapshot", "5"]])
        self.assertEqual(self.json("inspect", where)["rows"], 58)
        self.assertEqual(self.json("delete", where, "--erase")["files"], [])
        report = self.json("table", "compact", where, "--file-size", "1M", "--dry-run")
        self.assertEqual([[len(run) for run in report["merged"]], report["snapshot"]], [[3], 5])
        self.expect(USAGE, "table", "compact", where, "--keep", "1")
        told = self.expect(OK, "table", "compact", where, "--message", "nightly").stdout.decode()
        self.assertRegex(told, r"^merged: 3 files into 1, .* into .* \(snapshot 6\)\n$")
        self.assertEqual(self.json("inspect", where)["rows"], 58)
        said = self.expect(USAGE, "delete", *sorted(where.rglob("*.dsi"))[:1], "--where", "day = 0").said
        self.assertIn("a file of the table", said)
        self.assertIn("no rows are chosen", self.expect(USAGE, "delete", where).said)
        self.assertIn("are of a table", self.expect(USAGE, "delete", self.path("d.dsi"), "--erase").said)

    def test_add_is_both_steps(self):
        made = self.json("table", "add", self.table, self.file, self.file, "--message", "twice")
        self.assertEqual([made[key] for key in ("number", "operation", "files", "rows", "message")],
                         [2, "append", 2, 1000, "twice"])
        once = self.json("table", "add", self.table, self.file, "--job", "day-1")
        self.assertEqual((once["job"], once["files"]), ("day-1", 3))
        self.assertEqual(self.json("table", "add", self.table, self.file, "--job", "day-1"), once)
        self.assertEqual(self.json("table", "add", self.table, self.file, "--overwrite", "--base", "3")["files"], 1)
        # What fails leaves no file of its own, and the table as it was.
        before = {path.name for path in self.path("t").rglob("*.dsi")}
        self.assertIn("none.dsi", self.expect(IO, "table", "add", self.table, self.file, self.path("none.dsi")).said)
        self.assertEqual({path.name for path in self.path("t").rglob("*.dsi")}, before)
        self.assertEqual(self.json("inspect", self.table)["rows"], 500)
        self.assertEqual(self.json("table", "log", self.table)[0]["operation"], "abort")

    def test_a_commit_of_no_message_is_refused(self):
        self.stage("a")
        said = self.expect(USAGE, "table", "commit", self.table, "--job", "a").said
        self.assertIn("FILE is required: what stage printed", said)
        self.expect(USAGE, "table", "commit", self.table, "--job", "a", "--overwrite")
        self.expect(USAGE, "table", "add", self.table)
        # A job that made nothing says so with an empty file.
        self.assertEqual(self.json("table", "commit", self.table, self.write("m", ""), "--job", "a")["files"], 0)

    def test_from_creation_to_garbage(self):
        first, second = self.stage("a"), self.stage("a", "--task", "other")
        self.assertEqual([json.loads(line)["task"] for line in (first, second)], ["task", "other"])
        made = self.commit("a", "--message", "one and two", messages=first + b"\n" + second)
        self.assertEqual((made["number"], made["files"], made["rows"]), (2, 2, 1000))
        self.assertEqual(self.commit("a", messages=first), made)
        self.assertEqual(self.commit("b", "--overwrite", "--base", "2")["files"], 1)
        self.stage("c")
        self.assertIn("job b has committed 3 (overwrite)", self.expect(
            USAGE, "table", "commit", self.table, self.write("m", self.stage("d")), "--job", "d", "--overwrite", "--base", "2").said)
        name = json.loads(self.path("t/_snapshots/00000000000000000003.json").read_text())["files"][0]["path"]
        self.assertEqual(self.commit("e", "--replace", name)["number"], 4)
        log = self.json("table", "log", self.table)
        self.assertEqual([(s["number"], s["operation"], s["job"]) for s in log][:3],
                         [(4, "replace", "e"), (3, "overwrite", "b"), (2, "append", "a")])
        self.assertEqual(log[2]["message"], "one and two")
        self.assertIn("one and two", self.expect(OK, "table", "log", self.table).stdout.decode())
        self.assertEqual(self.json("table", "abort", self.table, "--job", "c"), {"files_removed": 1})
        told = self.json("table", "gc", self.table, *NOW, "--dry-run")
        self.assertEqual(len(self.files()), 5)
        self.assertEqual(self.json("table", "gc", self.table, *NOW), told)
        self.assertEqual(len(told["files"]), 4)
        self.assertEqual(len(self.files()), 1)
        rows = self.json("shuffle", self.table, "--batches", "1")["rows"]
        self.assertEqual(rows, 500)
        self.expect(OK, "manifest", self.table, "-o", self.path("all.json"), "-q")

    def files(self):
        return sorted((self.table / "data").rglob("*.dsi"))

    def test_messages_come_through_a_pipe(self):
        done = subprocess.run([DSICTL, "table", "commit", self.table, "-", "--job", "a"], input=self.stage("a"),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout, b"snapshot 2 (append, job a): 1 file, 500 rows\n")

    def test_what_cannot_be(self):
        table = self.table
        for code, arguments, said in (
                (USAGE, ("create", table), "a table is there already"),
                (IO, ("log", self.path("none")), "no table is there"),
                (USAGE, ("stage", table, self.file), "--job is required"),
                (USAGE, ("stage", table, "--job", "a"), "FILE is required"),
                (USAGE, ("log", table, "--keep", "3"), "log takes no --keep"),
                (USAGE, ("commit", table, "--job", "a", "--base", "1"), "--base goes with --overwrite"),
                (USAGE, ("gc", table, "--grace", "5"), "expected a time such as 90s"),
                (USAGE, ("gc", table, "--keep", "0"), "the newest snapshot is kept"),
                (USAGE, ("commit", table, self.write("none", ""), "--job", "a/b"), "expected an id of a job"),
                (USAGE, ("commit", table, self.write("x", "{}\n"), "--job", "a"), "no message of a staged file"),
                (USAGE, ("create", "https://h/t/"), "s3://bucket"),
                (IO, ("stage", table, self.path("none.dsi"), "--job", "a"), "none.dsi")):
            self.assertIn(said, self.expect(code, "table", *arguments).said)
        damaged = bytearray(self.file.read_bytes())
        damaged[-20] ^= 1
        self.expect(1, "table", "stage", table, self.write("bad.dsi", damaged), "--job", "a")
        self.assertEqual(self.json("table", "log", table)[0]["number"], 1)


class KilledTest(CliTest):
    """Every system call of a verb is the last one of a process, once."""

    def setUp(self):
        super().setUp()
        program = Path(DSICTL).read_bytes()
        if b"__asan_init" in program or b"__tsan_init" in program:
            self.skipTest("a sanitizer makes system calls of its own")
        probe = ["strace", "-o", self.path("probe"), "-e", "inject=write:error=EIO:when=1", "echo"]
        if not shutil.which("strace") or subprocess.run(probe, capture_output=True).returncode != 1:
            self.skipTest("strace cannot inject here")
        self.file = self.dsi("sweep")
        self.template = self.path("template")
        self.expect(OK, "table", "create", self.template, "-q")
        message = self.expect(OK, "table", "stage", self.template, self.file, "--job", "old").stdout
        self.expect(OK, "table", "commit", self.template, self.write("m", message), "--job", "old", "-q")
        self.messages = self.write("new", self.expect(
            OK, "table", "stage", self.template, self.file, self.file, "--job", "new").stdout)
        self.table = self.path("t")

    def killed(self, arguments, number, name):
        """What a run leaves that is killed at the call of that name and number. The library reads
        files on threads of its own: those calls are not counted."""
        shutil.rmtree(self.table, ignore_errors=True)
        shutil.copytree(self.template, self.table)
        command = ["strace", "-qq", "-o", self.path("trace"), "-e", f"inject={name}:signal=SIGKILL:when={number}",
                   DSICTL, "table", *map(str, arguments)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode

    def everywhere(self, arguments, check):
        """Kills at each call after the table is first looked at, and checks what is left."""
        shutil.rmtree(self.table, ignore_errors=True)
        shutil.copytree(self.template, self.table)
        trace = self.path("trace")
        subprocess.run(["strace", "-qq", "-o", trace, DSICTL, "table", *map(str, arguments)], check=True,
                       stdout=subprocess.DEVNULL)
        seen, calls, has_begun = Counter(), [], False
        for line in trace.read_text(errors="replace").splitlines():
            found = re.match(r"(\w+)\(", line)
            if not found:
                continue
            seen[found[1]] += 1
            has_begun = has_begun or f'"{self.table}/' in line
            if has_begun and found[1] in CALLS:
                calls.append((found[1], seen[found[1]]))
        self.assertGreater(len(calls), 15)
        states = Counter()
        for name, number in calls:
            code = self.killed(arguments, number, name)
            self.assertIn(code, (-signal.SIGKILL, 128 + signal.SIGKILL), (name, number))
            with self.subTest(f"{name} {number}"):
                states[check()] += 1
        return states

    def whole(self):
        """The number of the newest snapshot, whose files are all there; so are those of all others."""
        log = self.json("table", "log", self.table)
        for snapshot in log:
            name = f"_snapshots/{snapshot['number']:020}.json"
            for file in json.loads((self.table / name).read_text())["files"]:
                self.assertTrue((self.table / file["path"]).is_file(), f"{name}: {file['path']}")
        return log[0]["number"]

    def steps(self, *arguments):
        """What a verb makes durable, in order: (call, path below the folder) of this run."""
        trace = self.path("trace")
        subprocess.run(["strace", "-qq", "-y", "-o", trace, "-e", "trace=mkdir,fsync,rename,renameat2,linkat,unlink",
                        DSICTL, "table", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
        steps = []
        for line in trace.read_text(errors="replace").splitlines():
            call = line.split("(")[0]
            path = re.findall(r'<([^>]*)>|"([^"]*)"', line)[-1]
            name = next(part for part in path if part).rstrip("/").removeprefix(f"{self.folder}/")
            steps.append((call, re.sub(r"[\d-]{13,}\S*", "NAME", name)))
        return steps

    def test_what_is_named_is_durable(self):
        self.table = self.path("deep/t")
        self.assertEqual(self.steps("create", self.table, "-q")[-3:],
                         [("fsync", "deep/t/_snapshots/.NAME"), ("renameat2", "NAME"), ("fsync", "deep/t/_snapshots")])
        made = self.steps("stage", self.table, self.file, "--job", "j")
        for folder, above in (("deep/t/data", "deep/t"), ("deep/t/data/j", "deep/t/data")):
            last = max(i for i, step in enumerate(made) if step == ("mkdir", folder))
            self.assertIn(("fsync", above), made[last:])
        self.assertEqual(made[-3:], [("fsync", "deep/t/data/j/.NAME"), ("renameat2", "NAME"), ("fsync", "deep/t/data/j")])

    def test_commit(self):
        def check():
            number = self.whole()
            # The driver comes back.
            made = self.json("table", "commit", self.table, self.messages, "--job", "new")
            self.assertEqual((made["number"], made["files"]), (3, 3))
            self.json("table", "gc", self.table, *NOW)
            self.json("table", "gc", self.table, *NOW)
            left = [p for p in self.table.rglob("*") if p.is_file()]
            self.assertEqual(len(left), 4, left)
            return number
        states = self.everywhere(["commit", self.table, self.messages, "--job", "new", "-q", "--threads", "1"], check)
        self.assertEqual(set(states), {2, 3})

    def test_stage(self):
        def check():
            self.assertEqual(self.whole(), 2)
            self.json("table", "abort", self.table, "--job", "another")
            self.assertFalse((self.table / "data" / "another").is_dir()
                             and list((self.table / "data" / "another").iterdir()))
            return 0
        self.everywhere(["stage", self.table, self.file, "--job", "another"], check)

    def test_gc_and_abort(self):
        for arguments in (["gc", self.table, *NOW], ["abort", self.table, "--job", "new"]):
            def check():
                number = self.whole()
                code = run("table", "commit", self.table, self.messages, "--job", "new").returncode
                # Either what it names is there, or it is refused.
                self.assertEqual(self.whole(), 3 if code == OK or number == 3 else 2)
                self.json("table", *arguments) if code != OK else None
                return (number, code)
            states = self.everywhere(arguments, check)
            self.assertIn((3, USAGE), states)
            self.assertIn((2, OK), states)


if __name__ == "__main__":
    main()

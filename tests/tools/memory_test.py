"""Runs dsictl with little memory: every verb ends with its exit code and a message, or does its work,
at any limit on the address space; and convert keeps within --memory."""

import json
import os
import resource
import subprocess

from cli_case import DSICTL, IO, OK, CliTest, main

KIB = 1 << 10
MIB = 1 << 20
# The allowance of --memory for what is there however few the rows are.
BESIDE = 64 * MIB


def run_within(limit, *arguments):
    """Runs dsictl with so many bytes of address space."""
    return subprocess.run([DSICTL, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


def peak_of(*arguments):
    """Exit code, messages and peak of resident bytes."""
    with subprocess.Popen([DSICTL, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, said, usage.ru_maxrss * KIB


class AddressSpaceTest(CliTest):
    def least(self):
        """The least limit, in MiB, at which the program starts at all."""
        for limit in range(4, 4096):
            if run_within(limit * MIB, "--version").returncode == OK:
                return limit
        self.skipTest("does not start below 4 GiB (a sanitized build)")

    def test_every_verb_ends_with_a_message(self):
        table = self.table("clicks")
        dsi = self.path("t.dsi")
        self.expect(OK, "convert", table, dsi, "--metadata", "why=memory", "--quiet")
        text = str(self.path("again.jsonl"))
        verbs = [
            ["convert", table, self.path("o.dsi"), "--force", "--metadata", "a=b", "--threads", "2"],
            ["convert", dsi, text, "--force"],
            ["inspect", dsi, "--features", "--json"],
            ["convert", dsi, self.path("o.dsi"), "--force", "--where", "label = 0", "--threads", "2"],
            ["inspect", dsi, "--stats"],
            ["cat", dsi, "--where", "label = 0", "--count"],
            ["cat", dsi, "--where", "label = 0", "--tail", "9"],
            ["completion", "zsh"],
            ["man"],
            ["inspect", dsi, "--plan", "session_id"],
            ["head", dsi, "--json"],
            ["cat", dsi],
            ["schema", table],
            ["schema", dsi],
            ["dedup", table, "--json"],
            ["verify", dsi, "--json"],
            ["bench", dsi, "--features", "label", "--json"],
            ["generate", "--rows", "200", self.path("g.jsonl"), "--force"],
        ]
        least = self.least()
        for verb in verbs:
            worked = 0
            limit = least
            while worked < 3 and limit < least + 1200:
                result = run_within(limit * MIB, *verb)
                said = result.stderr.decode(errors="replace")
                where = f"{verb} within {limit} MiB: {result.returncode} {said}"
                if result.returncode == OK:
                    worked += 1
                else:
                    worked = 0
                    self.assertEqual(result.returncode, IO, where)
                    self.assertTrue(said.startswith("dsictl: "), where)
                    self.assertRegex(said, "memory|Cannot allocate|no thread", where)
                # Finer where programs used to fail, coarser above.
                limit += 4 if limit < least + 60 else 24
            self.assertGreater(worked, 0, f"{verb} within {limit} MiB: {said}")


class BudgetTest(CliTest):
    def convert(self, table, schema, budget, *options):
        """The report and the file."""
        out = self.path("o.dsi")
        with subprocess.Popen([DSICTL, "convert", str(table), str(out), "--force", "--json", "--schema", str(schema),
                               "--memory", f"{budget}M", *options], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            report, said = process.communicate()
            self.assertEqual(process.returncode, OK, said.decode())
        return json.loads(report), out

    def test_convert_keeps_within_its_memory(self):
        tables = {
            "clicks": ["--rows", "200000"],
            "p3": ["--rows", "12000"],
            "wide": ["--rows", "5000", "--features", "3000"],
        }
        for profile, options in tables.items():
            table = self.path(f"{profile}.jsonl")
            self.expect(OK, "generate", "--profile", profile, *options, "--quiet", table)
            schema = self.path("schema.json")
            schema.write_bytes(self.expect(OK, "schema", table, "--infer-rows", "1000").stdout)
            for budget in (5, 20, 80, 400):
                code, said, peak = peak_of("convert", table, self.path("o.dsi"), "--force",
                                           "--quiet", "--memory", f"{budget}M", "--schema", schema)
                where = f"{profile} within {budget}M took {peak / MIB:.0f}M: {said}"
                print(f"{profile} --memory {budget}M: exit {code}, peak {peak / MIB:.0f} MiB")
                self.assertEqual(code, OK, where)
                self.assertLessEqual(peak, budget * MIB + BESIDE, where)
            table.unlink()

    def test_finding_the_schema_keeps_within_it_too(self):
        for profile, options in {"p3": ["--rows", "12000"],
                                 "wide": ["--rows", "5000", "--features", "3000"]}.items():
            table = self.path(f"{profile}.jsonl")
            self.expect(OK, "generate", "--profile", profile, *options, "--quiet", table)
            for budget, threads in ((20, 1), (80, 16), (200, 16)):
                code, said, peak = peak_of("convert", table, self.path("o.dsi"), "--force", "--quiet",
                                           "--memory", f"{budget}M", "--threads", threads)
                where = f"{profile}, no schema, within {budget}M took {peak / MIB:.0f}M: {said}"
                print(f"{profile}, no schema, {threads} threads, --memory {budget}M: "
                      f"peak {peak / MIB:.0f} MiB")
                self.assertEqual(code, OK, where)
                self.assertLessEqual(peak, budget * MIB + BESIDE, where)
            table.unlink()

    def test_lists_that_rows_share_count_once(self):
        # 24 sessions of 1,000 rows, each with two lists of 400 ids of its own.
        table = self.path("t.jsonl")
        with open(table, "w", encoding="utf-8") as out:
            for row in range(24_000):
                session = row % 24
                ids = [session * 1000 + i for i in range(400)]
                out.write(json.dumps({"session_id": session, "timestamp": 1_700_000_000 + row,
                                      "seen": ids, "liked": ids[::-1]}) + "\n")
        schema = self.path("schema.json")
        schema.write_bytes(self.expect(OK, "schema", table).stdout)
        # The lists of all rows would take 150 MB.
        report, _ = self.convert(table, schema, 60)
        self.assertEqual(report["spilled_bytes"], 0)
        # Of a group that is declared they may be there for each of its unique rows.
        declared = json.loads(schema.read_text(encoding="utf-8"))
        declared["groups"] = [{"name": "all", "features": ["seen", "liked"]}]
        schema.write_text(json.dumps(declared), encoding="utf-8")
        report, _ = self.convert(table, schema, 60)
        self.assertGreater(report["spilled_bytes"], 0)

    def test_many_threads_keep_within_it_too(self):
        table, schema = self.path("v.jsonl"), self.path("schema.json")
        self.expect(OK, "generate", "--profile", "visits", "--rows", "600000", "--quiet", table,
                    "--write-schema", schema)
        budget = 80
        code, said, peak = peak_of("convert", table, self.path("o.dsi"), "--force", "--quiet",
                                   "--memory", f"{budget}M", "--schema", schema, "--threads", "16")
        where = f"16 threads within {budget}M took {peak / MIB:.0f}M: {said}"
        print(f"16 threads --memory {budget}M: exit {code}, peak {peak / MIB:.0f} MiB")
        self.assertEqual(code, OK, where)
        self.assertLessEqual(peak, budget * MIB + BESIDE, where)

    def test_the_same_rows_give_the_same_bytes(self):
        table = self.table("clicks")
        schema = self.path("schema.json")
        schema.write_bytes(self.expect(OK, "schema", table).stdout)
        held, out = self.convert(table, schema, 1000, "--stripe-rows", "500")
        expected = out.read_bytes()
        spilled, out = self.convert(table, schema, 1, "--stripe-rows", "500", "--threads", "1")
        self.assertEqual(held["spilled_bytes"], 0)
        self.assertGreater(spilled["spilled_bytes"], 0)
        self.assertEqual(out.read_bytes(), expected)
        self.assertEqual([name for name in self.names() if name.startswith(".")], [])


if __name__ == "__main__":
    main()

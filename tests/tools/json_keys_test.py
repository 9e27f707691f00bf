"""docs/exit-codes-and-json.md against what dsictl prints: keys, exit codes, 64-bit numbers."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from cli_case import DSICTL, OK, CliTest, main, run

PAGE = Path(os.environ.get("DSI_SOURCE_DIR", ".")) / "docs" / "exit-codes-and-json.md"


def table_of(heading):
    """Rows of the first table after a heading, without its titles."""
    text = PAGE.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


class JsonKeysTest(CliTest):
    def test_every_stable_key_is_there(self):
        dsi = self.dsi()
        rows, new, text = self.path("clicks.jsonl"), self.path("new.dsi"), self.path("new.jsonl")
        pipeline = self.write("p.json", '{"version": 1, "steps": [{"output": "x", "op": "log1p", "inputs": ["label"]}]}')
        self.expect(OK, "rewrite", dsi, self.path("labels.dsi"), "--only", "label", "--keep-order",
                    warns=True)
        self.path("one").mkdir()
        shutil.copy(dsi, self.path("one"))
        commands = {
            "convert IN... OUT.dsi": ["convert", rows, new], "convert IN.dsi OUT.jsonl": ["convert", dsi, text],
            "convert IN.dsi OUT.dsi": ["convert", dsi, self.path("again.dsi"), "--keep-position"],
            "rewrite IN... OUT.dsi": ["rewrite", dsi, self.path("other.dsi"), "--keep-position"],
            "diff": ["diff", dsi, dsi],
            "recover": ["recover", dsi, self.path("sound.dsi")],
            "delete": ["delete", dsi, "--where", "label = 1", "--dry-run"],
            "overlay": ["overlay", dsi, self.path("labels.dsi"), "-o", self.path("over.dsi")],
            "overlay --bases": ["overlay", "--bases", dsi, self.path("labels.dsi"), "-o", "{}.more.dsi"],
            "inspect --overlays": ["inspect", dsi, "--overlays", self.path("over.dsi")],
            "rewrite IN... FOLDER": ["rewrite", dsi, self.path("shards"), "--shard-rows", "10",
                                     "--keep-position"],
            "cat --count`, `head --count": ["cat", dsi, "--count", "--where", "label = 1"],
            "inspect FILE": ["inspect", dsi], "verify": ["verify", dsi], "dedup": ["dedup", dsi],
            "inspect --plan": ["inspect", dsi, "--plan", "label"],
            "inspect WHERE...": ["inspect", dsi, self.path("other.dsi")],
            "inspect WHERE... --features": ["inspect", dsi, self.path("other.dsi"), "--features"],
            "inspect WHERE... --plan": ["inspect", dsi, self.path("other.dsi"), "--plan", "label"],
            "inspect --streams": ["inspect", dsi, "--streams", "label"],
            "bench": ["bench", dsi, "--features", "label"],
            "table create`, `table commit`, `table add": ["table", "create", self.path("t")],
            "table stage": ["table", "stage", self.path("t"), dsi, "--job", "staged"],
            "table log": ["table", "log", self.path("t")],
            "table abort": ["table", "abort", self.path("t"), "--job", "j"],
            "table gc": ["table", "gc", self.path("t")],
            "batch": ["batch", self.path("one"), "--state", self.state_of(self.path("one"))],
            "values": ["values", dsi, "--features", "label", "--quantiles", "2", "--top", "1"],
            "transform --explain": ["transform", pipeline, dsi, "--explain"],
            "transform --bench": ["transform", pipeline, dsi, "--bench", "--repeat", "1"],
        }
        seen = 0
        for command, document, keys in table_of("JSON"):
            command = command.strip("`")
            if command == "inspect --metadata":
                continue
            with self.subTest(command):
                verb, *options = command.split()
                found = self.json(*commands.get(command, [verb, dsi, *options]))
                self.assertIsInstance(found, dict if document == "object" else list)
                names = re.findall(r"`(\w+)`", keys)
                if command == "convert IN... OUT.dsi":
                    of_convert = names
                elif command in ("convert IN.dsi OUT.dsi", "rewrite IN... OUT.dsi"):
                    self.assertEqual(names, ["input"] if verb == "convert" else [])
                    names = [name for name in of_convert if name != "input"]
                    self.assertNotIn("input", found)
                elif command == "table create`, `table commit`, `table add":
                    of_table = names
                elif command == "table log":
                    names = of_table
                elif command == "verify":
                    self.assertIn(names.pop(0), found)
                    found = found["files"]
                for entry in [found] if isinstance(found, dict) else found:
                    wanted = self.of_column(keys, entry) if command == "inspect --stats" else names
                    self.assertEqual([n for n in wanted if n not in entry], [])
                seen += len(names)
        self.assertGreater(seen, 110)

    def of_column(self, keys, entry):
        """Those of a column of this kind; columns of other kinds lack them."""
        always, *parts = [re.findall(r"`(\w+)`", part) for part in keys.split("; ")]
        has_lengths = entry["kind"] in ("list", "string", "weighted") or entry["type"] == "bytes"
        here = [has_lengths, entry["type"] != "bytes", entry["type"].startswith("float"),
                entry["kind"] == "timestamp"]
        self.assertEqual(len(parts), len(here))
        for part, is_here in zip(parts, here):
            self.assertEqual([n for n in part if (n in entry) != is_here], [])
        return always

    def test_counts_are_one_document(self):
        dsi = self.dsi()
        for verb in ("cat", "head"):
            self.assertEqual(self.json(verb, dsi, "--count"), {"rows": 3000})

    def test_groups_are_counted_alike(self):
        rows, dsi = self.table(), self.path("c.dsi")
        of_convert = self.json("convert", rows, dsi)["groups"]
        self.assertGreater(of_convert, 3)
        self.assertEqual(self.json("inspect", dsi)["groups"], of_convert)
        self.assertEqual(len(self.json("inspect", dsi, "--groups")), of_convert + 1)
        for command in (["convert", rows, self.path("again.dsi")], ["inspect", dsi]):
            shown = self.expect(OK, *command).stdout.decode()
            self.assertRegex(shown, rf"(?m)^(dedup )?groups +{of_convert}  ")

    def test_wide_numbers_as_strings(self):
        wide = {"id": 2**53, "list": [2**53 - 1, -2**53, 2**63 - 1], "x": 1e300}
        rows, dsi = self.write("w.jsonl", json.dumps(wide) + "\n"), self.path("w.dsi")
        self.expect(OK, "convert", rows, dsi, "--quiet", warns=True)
        as_strings = {"id": str(2**53), "list": [2**53 - 1, str(-2**53), str(2**63 - 1)], "x": 1e300}
        for verb in ("cat", "head"):
            self.assertEqual(json.loads(self.expect(OK, verb, dsi).stdout), wide)
            self.assertEqual(json.loads(self.expect(OK, verb, dsi, "--ids-as-strings").stdout), as_strings)
        stats = {c["name"]: c for c in self.json("inspect", dsi, "--stats", "--ids-as-strings")}
        self.assertEqual((stats["id"]["min"], stats["list"]["max"]), (str(2**53), str(2**63 - 1)))
        self.assertEqual(stats["list"]["min"], str(-2**53))
        plain = self.json("inspect", dsi, "--features")
        quoted = self.json("inspect", dsi, "--features", "--ids-as-strings")
        self.assertTrue(any(c["id"] > 2**53 for c in plain))
        for before, after in zip(plain, quoted):
            self.assertEqual(after.pop("id"), str(before["id"]) if before["id"] >= 2**53 else before["id"])
            before.pop("id")
            self.assertEqual(before, after)


class ExitCodesTest(CliTest):
    def test_signals_end_as_the_page_says(self):
        codes = {int(row[0]): row[1] for row in table_of("Exit codes")}
        self.assertEqual(sorted(codes), [0, 1, 2, 3, 4, 5, 129, 130, 141, 143])
        for sent in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            self.assertIn(sent.name, codes[128 + sent])
            process = subprocess.Popen([DSICTL, "schema", "-"], stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            # Once it has opened what it reads, signals are caught.
            process.stdin.write(b'{"a": 1}\n' * 100000)
            process.stdin.flush()
            process.send_signal(sent)
            said = process.communicate(timeout=60)[1].decode()
            self.assertEqual((process.returncode, "stopped by a signal" in said), (128 + sent, True))


if __name__ == "__main__":
    main()

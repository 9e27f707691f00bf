"""The examples of spec/format.md, sections 10 and 11, as files: the reference decoder and dsictl
read them to what they say (D-001, D-005, D-006, D-013, D-014).

An example is a block of a line `rows: 0 0 1`, the unique row of each row, with times of rows `at`, or `lists: 6 7 | missing`,
and of streams: a line `windows: u32 2 3` with what it holds, and lines with the bytes of its node.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from example_files import FOLDER  # noqa: F401  First: may skip, and puts spec/reference on the path.
from build_example import Builder, Col, Grp, Rows
from dsi_nodes import node
from dsi_reference import File

ROOT = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
DSICTL = os.environ.get("DSICTL")
BLOCK = re.compile(r"^```stripe\n(.*?): (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STREAM = re.compile(r"^([a-z].*?): u(\d+) (.*)\n((?:[0-9A-F]{2} .*\n)+)", re.MULTILINE)


def numbers(text):
    found = []
    for word in text.split():
        first, _, last = word.partition("..")
        found += range(int(first), int(last or first) + 1)
    return found


def bytes_of(lines):
    return b"".join(bytes.fromhex(line.split("  ")[0].replace("|", ""))
                    for line in lines.splitlines())


def streams_of(text):
    """Name -> what a stream holds, and an encoder that gives the bytes that the example has."""
    found = {}
    for name, bits, values, lines in STREAM.findall(text):
        values, data = numbers(values), bytes_of(lines)
        decoded, _, end = node(data, 0, len(data), (int(bits) // 8,), len(values), name)
        assert (decoded, end) == (values, len(data)), name
        found[name] = values, lambda *_, data=data: data
    return found


def index_file(rows, times, streams):
    groups, nodes, parents = [], {}, [0, 0]
    for name, (values, encoder) in streams.items():
        _, group, _, form = name.split()
        num_unique = {"1": len(values), "2": sum(values), "3": max(values) + 1,
                      "6": len(values)}.get(form, max(rows) + 1)
        groups.append((int(form), num_unique, values))
        nodes["index", int(group)] = encoder
    columns = [Col(f"g{i}", "key", "int64", group=i) for i in range(1, len(groups) + 1)]
    values = {f"g{i}": list(range(g[1])) for i, g in enumerate(groups, 1)}
    if times:
        columns.append(Col("t", "timestamp", "int64", time_unit=1))
        values["t"] = times
    return Builder(columns, [Rows(len(rows), values, groups, nodes)],
                   [Grp("g", parent=p) for p in parents[:1] + [1] * (len(groups) - 1)],
                   cluster_keys=[len(columns) - 1] if times else ()).bytes()


def list_file(lists, tiers, streams):
    builder = Builder.__new__(Builder)
    keys = {("l", "shape"): "shape", ("l", "windows"): "windows", "l": "values",
            ("tier", "l", 1): "tier 1"}

    def parts(rows):
        for key, width, _, top, charge in Builder._streams(builder, rows):
            if key == ("l", "windows"):
                top = 7 if tiers else 0  # As the text says.
            yield key, width, streams[keys[key]][0], top, charge
    builder._streams = parts
    nodes = {key: streams[name][1] for key, name in keys.items() if name in streams}
    builder.__init__([Col("l", "list", "uint8", tiers=tiers)],
                     [Rows(len(lists), {"l": lists}, nodes=nodes)])
    return builder.bytes()


class SpecStripes(unittest.TestCase):
    def expect(self, data, name, column):
        file = File(data)
        file.verify()
        self.assertEqual([row[name] for row in file.rows()], column)
        if not DSICTL:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "example.dsi"
            path.write_bytes(data)
            subprocess.run([DSICTL, "verify", path, "--quiet"], check=True)
            lines = subprocess.run([DSICTL, "cat", path], check=True, stdout=subprocess.PIPE).stdout
            self.assertEqual([json.loads(line).get(name) for line in lines.splitlines()], column)

    def test_every_example(self):
        forms, lists = set(), 0
        for kind, title, text in BLOCK.findall((ROOT / "spec" / "format.md").read_text("utf-8")):
            streams = streams_of(text)
            with self.subTest(title):
                if kind.startswith("rows"):
                    names = list(streams)
                    forms |= {int(name[-1]) for name in names}
                    rows = numbers(title)
                    times = numbers(kind.partition(" at ")[2])
                    self.expect(index_file(rows, times, streams), f"g{len(names)}", rows)
                    continue
                lists += 1
                tiers = int(kind.split()[1]) if "tiers" in kind else 0
                found = [None if part.strip() == "missing" else numbers(part)
                         for part in title.split("|")]
                self.expect(list_file(found, tiers, streams), "l", found)
        self.assertEqual((forms, lists), ({1, 2, 3, 4, 5, 6}, 2))


if __name__ == "__main__":
    unittest.main()

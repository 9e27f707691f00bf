"""The wide table as files: with stripes of some size and features in some order."""
import json
import os
import subprocess
from dataclasses import dataclass

# A row has so much of the features, as in DSI's tables, and no session has two rows: what deduplication saves, it saves with or without
# order and stripes, and stripes must be larger than what a read's latency is worth to show anything.
WIDE = ("--coverage", 0.4, "--mean-session", 1, "--session-law", "constant")


@dataclass
class File:
    path: str
    bytes: int
    needed: dict  # Of each feature: bytes of its own streams …
    index: dict  # … and {group: bytes of its index} of the groups that it is in.

    def useful(self, names):
        groups = {}
        for name in names:
            groups.update(self.index[name])
        return sum(self.needed[name] for name in names) + sum(groups.values())


class Table:
    def __init__(self, dsictl, plans, folder, rows, features, seed):
        self.dsictl, self.plans, self.folder = dsictl, plans, folder
        self.text, schema = os.path.join(folder, "wide.jsonl"), os.path.join(folder, "wide.json")
        self.run("generate", self.text, "-q", "--profile", "wide", "--rows", rows, "--features", features, "--seed", seed,
                 "--write-schema", schema, *WIDE)
        with open(schema) as f:
            self.schema = json.load(f)

    def run(self, *args):
        return subprocess.run([self.dsictl, *map(str, args)], stdout=subprocess.PIPE, check=True).stdout

    def features(self):
        """[(name, is a list)], without keys and labels."""
        return [(f["name"], f["kind"] == "list") for f in self.schema["features"] if f["kind"] in ("list", "dense")]

    def write(self, name, order, *options):
        """The table with its features in this order, which a file has from its schema."""
        path, schema_path = (os.path.join(self.folder, name + ending) for ending in (".dsi", ".schema.json"))
        specs = {f["name"]: f for f in self.schema["features"]}
        keys = [f for f in self.schema["features"] if f["name"] not in set(order)]
        with open(schema_path, "w") as f:
            json.dump({**self.schema, "features": keys + [specs[n] for n in order]}, f)
        self.run("convert", self.text, path, "-q", "--schema", schema_path, *options)
        with open(path) as f:
            os.fsync(f.fileno())  # So that reads can be made to come from the disk.
        needed = {c["name"]: c["stored_bytes"] for c in json.loads(self.run("inspect", path, "--features", "--json"))}
        index = {name: {} for name in needed}
        for group in json.loads(self.run("inspect", path, "--dedup", "--json")):
            for column in group["columns"]:
                index[column][group["group"]] = group["index_bytes"]
        return File(path, os.path.getsize(path), needed, index)

    def plan(self, file, names, storage, gap=None, most=None):
        """[(offset, size)] of what the library would read; without a gap as it does by default."""
        choice = [] if gap is None else [gap, most]
        command = [self.plans, file.path, storage.latency, storage.bandwidth, *choice]
        out = subprocess.run(list(map(str, command)), input="\n".join(names) + "\n", stdout=subprocess.PIPE, check=True, text=True).stdout
        return [tuple(map(int, line.split())) for line in out.splitlines()]

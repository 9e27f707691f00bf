#!/usr/bin/env python3
"""Makes the seeds of fuzz_dataset and fuzz_overlay with dsictl: two files in one (file_pair.h), which the name says what they reach.

    fuzz/make_pairs.py DSICTL [FOLDER]
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = [{"name": "id", "kind": "key", "type": "int64"}, {"name": "time", "kind": "timestamp", "unit": "s"}]


def feature(name, kind="dense", type="int32", **more):
    return {"name": name, "kind": kind, "type": type, **more}


def text(name):
    return {"name": name, "kind": "string"}


def sequence(*columns):
    return {"name": "h", "kind": "sequence", "columns": [{"name": name, "type": type} for name, type in columns]}


NARROW = KEYS + [feature("x", type="int8", id=5), feature("l", "list"), feature("w", "weighted", "int64"),
                 sequence(("item", "int64"), ("n", "int16")), text("s")]
WIDE = KEYS + [feature("y", type="float32", id=5), feature("l", "list", "int64"), feature("v", "embedding", "float32", length=2),
               sequence(("item", "int64"), ("n", "int32"), ("t", "int32")), text("s")]
OVER = [feature("x", type="int32"), feature("l", "list", "int64"), feature("v", "embedding", "float32", length=2),
        sequence(("item", "int64"))]


def value(spec, i, rng):
    size = i // 4 % 4
    if spec["kind"] == "sequence":
        return {column["name"]: [i // 4 + k for k in range(size)] for column in spec["columns"]}
    return {"key": i // 4, "timestamp": 1000 + i, "list": list(range(size)), "string": "ab"[:size], "embedding": [0.5, i],
            "weighted": {"ids": [i] * size, "weights": [0.25] * size}}.get(spec["kind"], rng.randrange(100))


class Folder:
    def __init__(self, dsictl, path):
        self.dsictl, self.path = dsictl, path

    def at(self, name):
        return os.path.join(self.path, name)

    def run(self, verb, *arguments):
        subprocess.run([self.dsictl, verb, *arguments, "--quiet"], check=True, stdout=subprocess.DEVNULL)

    def write(self, name, features, rows, seed):
        """The names of a text and of its schema: some values are missing."""
        rng = random.Random(seed)
        with open(self.at(name + ".json"), "w") as file:
            json.dump({"features": features}, file)
        with open(self.at(name + ".jsonl"), "w") as file:
            for i in range(rows):
                row = {f["name"]: value(f, i, rng) for f in features if f in KEYS or rng.random() < 0.8}
                file.write(json.dumps(row) + "\n")
        return [self.at(name + ".jsonl"), "--schema", self.at(name + ".json")]

    def base(self, name, features, seed=1, rows=60, options=("--session-key", "id", "--time", "time")):
        rows_of, *schema = self.write(name, features, rows, seed)
        self.run("convert", rows_of, self.at(name + ".dsi"), *schema, "--stripe-rows", "20", *options)

    def overlay(self, base, name, features, *options, rows):
        self.run("overlay", self.at(base + ".dsi"), *self.write(name, features, rows, 3), "-o", self.at(name + ".dsi"), *options)

    def pair(self, first, second):
        files = [open(self.at(name + ".dsi"), "rb").read() for name in (first, second)]
        return b"DSI PAIR" + struct.pack("<Q", len(files[0])) + b"".join(files)


def main():
    dsictl, out = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "corpus")
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(dsictl, path)
        folder.base("narrow", NARROW)
        folder.base("wide", WIDE, seed=2, rows=30)
        folder.base("deleted", NARROW)
        folder.run("delete", folder.at("deleted.dsi"), "--where", "x < 50")
        folder.overlay("narrow", "all", OVER, rows=60)
        folder.overlay("narrow", "some", OVER, "--rows", "20:40", rows=20)
        folder.base("rows", KEYS + [feature("z", "list", "int64")], seed=4)
        folder.base("users", KEYS[:1] + [feature("age", type="float32")], seed=5, rows=1, options=[])
        seeds = {"dataset": {"reaches.widens.lacks": ("narrow", "wide"), "reaches.lacks.widens": ("wide", "narrow"),
                             "reaches.overlay.widens": ("narrow", "all"), "reaches.overlay.lacks": ("narrow", "some"),
                             "reaches.overlay.deleted": ("deleted", "some")},
                 "overlay": {"reaches.folded": ("deleted", "some"),
                             "reaches.written": ("narrow", "rows"), "reaches.broadcast.stripe": ("narrow", "users")}}
        for target, pairs in seeds.items():
            for name, files in pairs.items():
                with open(os.path.join(out, target, name), "wb") as file:
                    file.write(folder.pair(*files))


if __name__ == "__main__":
    main()

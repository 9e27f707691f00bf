"""dsictl as Python calls: every figure comes from what a user of the command line can see."""
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.json as pj

LISTS_OF_P = ["user_seq*", "user_set*", "item_list*"]
# Starts a program from a small process: what Linux reports as a child's peak memory has that of the process it was forked from.
LAUNCH = """import os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
open(sys.argv[1], "w").write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status) & 255)"""
TYPES = {"int8": pa.int8(), "int64": pa.int64(), "float32": pa.float32()}


@dataclass
class Run:
    json: dict
    seconds: float  # As dsictl measured it; of several rounds the fastest, which was disturbed least.
    cpu_seconds: float  # Of all its threads.
    peak_bytes: int = 0  # Resident, where it was asked for.


def log(text):
    print(text, file=sys.stderr, flush=True)


class Tool:
    def __init__(self, dsictl, folder, scale, seed):
        self.dsictl, self.folder, self.scale, self.seed = dsictl, folder, scale, seed
        self.made, self.num_made = {}, 0
        self.layouts = subprocess.run([dsictl, "bench", "--help"], capture_output=True, text=True, check=True).stdout

    def path(self, name):
        return os.path.join(self.folder, name)

    def rows(self, count, least=2000):
        return max(least, int(count * self.scale))

    def run(self, *args, memory=False):
        """Runs dsictl, which must succeed; for its JSON, its time and, where asked, its memory."""
        command, peak = [self.dsictl, *map(str, args)], self.path("peak")
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen([sys.executable, "-I", "-S", "-c", LAUNCH, peak, *command] if memory else command, stdout=out)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise SystemExit(f"{' '.join(command)}: exit {process.returncode}")
            out.seek(0)
            text = out.read()
        found = json.loads(text) if text else None
        seconds = found.get("seconds", 0) if isinstance(found, dict) else 0
        run = Run(found, min(seconds) if isinstance(seconds, list) else seconds, usage.ru_utime + usage.ru_stime)
        if memory:
            with open(peak) as f:
                run.peak_bytes = int(f.read()) * 1024
        return run

    # ---- data
    def generate(self, profile, rows, *options):
        """(JSON Lines, schema) of a generated table; made once."""
        key = (profile, rows, *options)
        if key not in self.made:
            self.num_made += 1
            name = self.path(f"table{self.num_made}")
            self.run("generate", name + ".jsonl", "-q", "--profile", profile, "--rows", rows, "--seed", self.seed, "--write-schema",
                     name + ".json", *options)
            with open(name + ".json") as f:
                self.made[key] = name + ".jsonl", json.load(f)
        return self.made[key]

    def forget(self, text):
        """Removes a generated text that no later experiment uses."""
        os.unlink(text)
        self.made = {k: v for k, v in self.made.items() if v[0] != text}

    def convert(self, text, schema, *options, name="table.dsi", ignore_unknown=False):
        """(path, Run): the file with default options, unless some are given."""
        path, schema_path = self.path(name), self.path(name + ".schema.json")
        with open(schema_path, "w") as f:
            json.dump(schema, f)
        more = ["--ignore-unknown"] if ignore_unknown else []
        return path, self.run("convert", text, path, "--schema", schema_path, "--force", "--json", "-q", *more, *options)

    def inspect(self, path, *view):
        return self.run("inspect", path, "--json", *view).json

    def bench(self, path, features, layout, *options, repeat=5, memory=False):
        return self.run("bench", path, "--features", ",".join(features), "--layout", layout, "--repeat", repeat, "--json", "-q", *options,
                        memory=memory)

    def table(self, path, schema, names=None):
        """The rows of a file, in its order, as an Arrow table of the features named."""
        fields = []
        for f in schema["features"]:
            if names is None or f["name"] in names:
                kind = TYPES[f.get("type", "int64")]
                fields.append(pa.field(f["name"], pa.list_(kind) if f["kind"] == "list" else kind))
        args = [self.dsictl, "cat", path, "--json", "-q"] + (["--features", ",".join(names)] if names else [])
        process = subprocess.Popen(args, stdout=subprocess.PIPE)
        options = pj.ParseOptions(explicit_schema=pa.schema(fields), unexpected_field_behavior="error")
        table = pj.read_json(process.stdout, read_options=pj.ReadOptions(block_size=64 << 20), parse_options=options)
        if process.wait() != 0:
            raise SystemExit(f"{' '.join(args)}: exit {process.returncode}")
        return table.combine_chunks()

    def group_of(self, path):
        """{column: its group, as inspect --dedup says}"""
        return {column: group for group in self.inspect(path, "--dedup") for column in group["columns"]}


def only(schema, keep, groups=None):
    """The schema with the features for which keep(name) holds, and the keys."""
    features = [f for f in schema["features"] if f["kind"] in ("key", "timestamp", "label") or keep(f["name"])]
    return {**schema, "features": features, **({"groups": groups} if groups else {})}


def lists_of(schema):
    return [f["name"] for f in schema["features"] if f["kind"] == "list"]

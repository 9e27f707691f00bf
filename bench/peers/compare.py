"""Compares dsi with Parquet and Feather on one table; see --help.

Every figure is a ratio within one run: sides alternate, medians are printed. Each peer has several
files: sizes are held against the smallest of them, speed against the fastest."""

import argparse
import ctypes
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import table as tables
from native import Native

ROW_GROUPS = (65536, 262144)
CODECS = {"zstd": 3, "snappy": None}  # Of Parquet, with the level.
FEATHER_CODECS = {"zstd": 3, "lz4": None, "uncompressed": None}
# Passes are repeated for as long: a pass of milliseconds after another side's tells of cold caches,
# a training job reads on.
SAMPLE_SECONDS = 0.25


@dataclass
class Wanted:
    name: str
    index: int  # Of the column in the projected table.
    length: int
    keep_first: int


def log(text):
    print(text, file=sys.stderr, flush=True)


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def parquet_writer(table, path, codec, dictionary, rows):
    return lambda: pq.write_table(
        table,
        path,
        row_group_size=rows,
        use_dictionary=dictionary,
        compression=codec,
        compression_level=CODECS[codec],
    )


def feather_writer(table, path, codec, threads):
    level = FEATHER_CODECS[codec]
    compression = None if codec == "uncompressed" else pa.Codec(codec, compression_level=level)
    options = pa.ipc.IpcWriteOptions(compression=compression, use_threads=threads != 1)

    def write():
        with (
            pa.OSFile(path, "wb") as sink,
            pa.ipc.new_file(sink, table.schema, options=options) as w,
        ):
            w.write_table(table, max_chunksize=ROW_GROUPS[0])

    return write


def peer_writers(table, folder, threads):
    """{name: (path, function that writes it)} of Parquet and Feather; rows are in order already."""
    made = {}
    for codec, dictionary, rows in itertools.product(CODECS, (True, False), ROW_GROUPS):
        name = f"parquet {codec} {'dictionary' if dictionary else 'plain'} {rows // 1024}Ki"
        path = os.path.join(folder, name.replace(" ", "_"))
        made[name] = (path, parquet_writer(table, path, codec, dictionary, rows))
    for codec in FEATHER_CODECS:
        path = os.path.join(folder, f"feather_{codec}")
        made[f"feather {codec}"] = (path, feather_writer(table, path, codec, threads))
    return made


def write_seconds(sides, repeat):
    """{name: sorted seconds}, the sides in turns. The first turn is not counted: memory is new."""
    found = {name: [] for name in sides}
    for turn in range(repeat + 1):
        for name, call in sides.items():
            seconds, _ = timed(call)
            if turn > 0:
                found[name].append(seconds)
    return {name: sorted(seconds) for name, seconds in found.items()}


def peer_batches(kind, path, names):
    """Record batches of the projection, read the quickest way one thread has."""
    if kind.startswith("feather"):
        source = pa.memory_map(path)
        fields = pa.ipc.open_file(source).schema.names
        options = pa.ipc.IpcReadOptions(
            included_fields=sorted(fields.index(n) for n in names), use_threads=False
        )
        reader = pa.ipc.open_file(source, options=options)
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)
    else:
        file = pq.ParquetFile(path, memory_map=True, pre_buffer=False)
        yield from file.iter_batches(batch_size=ROW_GROUPS[0], columns=names, use_threads=False)


class Runner:
    def __init__(self, native, wanted, batch_size):
        self.native, self.batch_size, self.wanted = native, batch_size, wanted

    def indexed(self, batch):
        names = batch.schema.names
        return [Wanted(w.name, names.index(w.name), w.length, w.keep_first) for w in self.wanted]

    def peer(self, kind, path, ikjt, hashes=None):
        names = [w.name for w in self.wanted]
        width = sum(w.length for w in self.wanted) * 8
        out = np.empty(self.batch_size * width, np.uint8)
        start = time.perf_counter()
        rows = 0
        for batch in peer_batches(kind, path, names):
            columns = self.native.list_columns(batch, self.indexed(batch))
            if ikjt:
                self.native.ikjt(columns, batch.num_rows, self.batch_size, hashes)
            else:
                self.native.pad(
                    columns,
                    batch.num_rows,
                    self.batch_size,
                    out.ctypes.data_as(ctypes.c_void_p),
                    hashes,
                )
            rows += batch.num_rows
        return rows, time.perf_counter() - start

    def dsi(self, path, ikjt, hashes=None):
        return self.native.read(path, self.wanted, self.batch_size, ikjt, hashes)

    def memcpy_rows(self, outcome):
        """Rows and seconds of copying finished batches between two buffers of a batch's size."""
        size = outcome.batch_bytes
        a, b = np.ones(size, np.uint8), np.empty(size, np.uint8)
        times = max(1, outcome.output_bytes // size)
        copy = lambda: self.native.copy(
            b.ctypes.data_as(ctypes.c_void_p), a.ctypes.data_as(ctypes.c_void_p), size, times
        )
        copy()
        seconds, _ = timed(copy)
        return outcome.rows * (size * times / outcome.output_bytes), seconds


def rate(one_pass):
    """Rows/s of passes that last SAMPLE_SECONDS or more together."""
    rows, seconds = 0, 0.0
    while seconds < SAMPLE_SECONDS:
        more_rows, more_seconds = one_pass()
        rows, seconds = rows + more_rows, seconds + more_seconds
    return rows / seconds


def projections(args, table, spec):
    lists = [n for n in table.column_names if tables.is_list(table, n)]
    if args.features:
        names = args.features.split(",")
    elif args.share:
        names = lists[: max(1, round(len(lists) * args.share))]
    else:
        names = lists
    newest_first = {
        f["name"] for f in (spec or {}).get("features", []) if f.get("newest") == "first"
    }
    wanted = []
    for name in names:
        if name not in lists:
            raise SystemExit(
                f"{name} is not a list feature; there are {', '.join(lists) or 'none'}"
            )
        length = int(min(128, max(1, np.percentile(tables.lengths_of(table, name), 99))))
        wanted.append(Wanted(name, 0, length, int(name in newest_first)))
    return wanted


def check_equal(native, runner, dsi_path, peers):
    for ikjt in (False, True):
        want = None
        for kind, path in [("dsi", dsi_path)] + peers:
            hashes = (ctypes.c_uint64 * len(runner.wanted))()
            runner.dsi(path, ikjt, hashes) if kind == "dsi" else runner.peer(
                kind, path, ikjt, hashes
            )
            got = list(hashes)
            want = want or got
            if got != want:
                bad = [w.name for w, a, b in zip(runner.wanted, got, want) if a != b]
                raise SystemExit(
                    f"{kind} gives other {'IKJT' if ikjt else 'padded'} arrays than dsi: "
                    f"{', '.join(bad)}"
                )
    log("all formats give equal padded and deduplicated arrays")


def column_bytes(native, dsi_path, parquet_path, table):
    sizes = {}
    meta = pq.ParquetFile(parquet_path).metadata
    for g in range(meta.num_row_groups):
        group = meta.row_group(g)
        for c in range(group.num_columns):
            name = group.column(c).path_in_schema.removesuffix(".list.element")
            sizes.setdefault(name, [0, 0])[0] += group.column(c).total_compressed_size
    for name in table.column_names:
        sizes.setdefault(name, [0, 0])[1] = native.stored_bytes(dsi_path, name)
    return sizes


def measure(args):
    native = Native(args.build)
    dsictl = os.path.join(args.build, "bin", "dsictl")
    spec = json.load(open(args.schema)) if args.schema else None
    if args.profile:
        command = [
            dsictl,
            "generate",
            "--profile",
            args.profile,
            "--rows",
            str(args.rows),
            "--seed",
            str(args.seed),
            "--quiet",
        ]
        if spec is None:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "schema.json")
                subprocess.run(
                    command[:4] + ["--rows", "1", "--quiet", "--write-schema", path, "-"],
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
                spec = json.load(open(path))
        source = command + ["-"]
        args.session_key, args.time = args.session_key or "session_id", args.time or "timestamp"
    else:
        source = args.jsonl
    if not args.session_key:
        raise SystemExit("--session-key is needed")
    log("loading")
    table = tables.load(source, spec)
    if spec is None:
        spec = tables.found_schema(dsictl, args.jsonl)
        args.time = args.time or tables.time_of(spec)
    for option, name in (("--session-key", args.session_key), ("--time", args.time)):
        if name and name not in table.column_names:
            there = ", ".join(n for n in table.column_names if not tables.is_list(table, n))
            raise SystemExit(f"{option} {name}: no such column of numbers; there are {there}")
    log(
        f"{table.num_rows} rows, {table.num_columns} columns, {table.nbytes / 1e6:.1f} MB in memory"
    )
    schema_json = tables.dsi_schema(table, spec, args.session_key, args.time)
    order = tables.clustered_order(table, args.session_key, args.time)
    result = {"rows": table.num_rows, "arrow_bytes": table.nbytes}
    pa.set_cpu_count(args.threads or os.cpu_count())

    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        log(f"writing dsi, Parquet and Feather, {args.write_repeat + 1} times each")
        writers = peer_writers(table.take(pa.array(order)), folder, args.threads)
        files = {name: path for name, (path, _) in writers.items()}
        dsi_path = os.path.join(folder, "table.dsi")
        keys = [(k, "ascending") for k in (args.session_key, args.time) if k]
        write = None

        def sort():
            return table.take(pc.sort_indices(table.select([k for k, _ in keys]), sort_keys=keys))

        def write_dsi():
            nonlocal write
            write = native.write(dsi_path, schema_json, table, args.threads)

        sides = {"sort": sort, "dsi": write_dsi, **{n: call for n, (_, call) in writers.items()}}
        seconds = write_seconds(sides, args.write_repeat)
        took = {name: statistics.median(s) for name, s in seconds.items()}
        wanted = projections(args, table, spec)
        sizes = {name: os.path.getsize(path) for name, path in files.items()}
        parquets = [n for n in files if n.startswith("parquet")]
        feathers = [n for n in files if n.startswith("feather")]
        smallest = min(parquets, key=sizes.get)
        quickest = min(parquets, key=took.get)
        result["write"] = {
            "threads": args.threads or os.cpu_count(),
            "seconds": took,
            "spread": {name: [s[0], s[-1]] for name, s in seconds.items()},
            "encode_s": write.encode_seconds,
            "choose_s": write.choose_seconds,
            "quickest_parquet": quickest,
            "ratio": took["dsi"] / (took["sort"] + took[quickest]),
            "ratio_smallest": took["dsi"] / (took["sort"] + took[smallest]),
        }
        result["bytes"] = {
            "dsi": write.file_bytes,
            **sizes,
            "ratio": write.file_bytes / sizes[smallest],
            "smallest_parquet": smallest,
        }
        result["values"] = {
            "in": write.values_in,
            "stored": write.values_stored,
            "index_bytes": write.index_bytes,
            "groups": write.num_groups,
        }
        result["columns"] = column_bytes(native, dsi_path, files[smallest], table)

        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
        runner = Runner(native, wanted, args.batch_size)
        peers = list(files.items())
        check_equal(native, runner, dsi_path, peers)
        result["read"] = {
            "features": [w.name for w in wanted],
            "length": [w.length for w in wanted],
        }
        for mode, ikjt in (("padded", False), ("ikjt", True)):
            rates = {"dsi": [], "memcpy": []}
            for _ in range(args.repeat):
                outcome = runner.dsi(dsi_path, ikjt)

                def scan():
                    again = runner.dsi(dsi_path, ikjt)
                    return again.rows, again.seconds

                rates["dsi"].append(rate(scan))
                rates["memcpy"].append(rate(lambda: runner.memcpy_rows(outcome)))
                for kind, path in peers:
                    rates.setdefault(kind, []).append(rate(lambda: runner.peer(kind, path, ikjt)))
            medians = {k: statistics.median(v) for k, v in rates.items()}
            best_parquet = max(parquets, key=medians.get)
            best_feather = max(feathers, key=medians.get)
            result["read"][mode] = {
                "rows_per_s": medians,
                "spread": {k: [min(v), max(v)] for k, v in rates.items()},
                "fastest_parquet": best_parquet,
                "fastest_feather": best_feather,
                "vs_parquet": medians["dsi"] / medians[best_parquet],
                "vs_feather": medians["dsi"] / medians[best_feather],
                "vs_memcpy": medians["dsi"] / medians["memcpy"],
                "bytes_per_row": outcome.bytes_read / outcome.rows,
                "values_decoded_per_row": outcome.values_decoded / outcome.rows,
                "values_per_row": outcome.values_expanded / outcome.rows,
            }
    return result


def show_write(r):
    w, b = r["write"], r["bytes"]
    smallest, quickest = b["smallest_parquet"], w["quickest_parquet"]
    print(f"\n{r['rows']} rows, {r['arrow_bytes'] / 1e6:.1f} MB in Arrow\n")
    print(f"{'format':<32}{'MB':>10}{'of smallest':>13}{'write s':>10}")
    for name, seconds in w["seconds"].items():
        low, high = w["spread"][name]
        size = f"{b[name] / 1e6:>10.2f}{b[name] / b[smallest]:>13.3f}" if name in b else f"{'':>23}"
        print(f"{name:<32}{size}{seconds:>10.2f}   ({low:.2f} to {high:.2f})")
    print(
        f"dsi is {b['ratio']:.2f} of the smallest Parquet, {smallest}\n"
        f"writing dsi ({w['threads']} threads, sort included) takes {w['ratio']:.2f}x of pyarrow's "
        f"sort + write of\nthe quickest Parquet, {quickest}; {w['ratio_smallest']:.2f}x with the "
        f"smallest\nencoding takes {w['encode_s']:.2f} s of all threads, "
        f"{100 * w['choose_s'] / max(w['encode_s'], 1e-9):.1f} % of it for choices\n"
        f"values {r['values']['in']} in, {r['values']['stored']} stored; "
        f"indexes {r['values']['index_bytes']} bytes; {r['values']['groups']} dedup groups\n"
    )


def show_read(mode, m, lists):
    print(
        f"{mode}, one thread, {lists} lists: {m['values_decoded_per_row']:.2f} values decoded per "
        f"row of {m['values_per_row']:.2f}, {m['bytes_per_row']:.1f} bytes read per row"
    )
    for name, rows in sorted(m["rows_per_s"].items(), key=lambda kv: -kv[1]):
        low, high = m["spread"][name]
        print(f"  {name:<32}{rows / 1e6:>8.2f} M rows/s   ({low / 1e6:.2f} to {high / 1e6:.2f})")
    print(
        f"  dsi is {m['vs_parquet']:.1f}x the fastest Parquet ({m['fastest_parquet']}), "
        f"{m['vs_feather']:.1f}x the fastest Feather\n  ({m['fastest_feather']}), "
        f"{m['vs_memcpy']:.2f} of memcpy of its output\n"
    )


def show(r):
    show_write(r)
    for mode in ("padded", "ikjt"):
        show_read(mode, r["read"][mode], len(r["read"]["features"]))
    print(
        f"{'column':<32}{'Parquet':>12}{'dsi':>12}{'ratio':>8}   "
        f"(Parquet: the smallest, {r['bytes']['smallest_parquet'].removeprefix('parquet ')})"
    )
    ordered = sorted(r["columns"].items(), key=lambda kv: -max(kv[1]))
    for name, (parquet, dsi) in ordered[:40]:
        larger = "  larger than Parquet" if dsi > parquet else ""
        print(f"{name:<32}{parquet:>12}{dsi:>12}{dsi / max(parquet, 1):>8.2f}{larger}")
    if len(ordered) > 40:
        print(f"… {len(ordered) - 40} more columns: --json lists them all")


def main():
    p = argparse.ArgumentParser(prog="bench/compare", description=__doc__)
    p.add_argument("--jsonl", help="the table, JSON Lines")
    p.add_argument("--profile", help="a generated profile in its place (p3, clicks, …)")
    p.add_argument("--rows", type=int, default=200000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--schema", help="dsi schema (JSON): types, groups, id spaces")
    p.add_argument("--session-key")
    p.add_argument(
        "--time", help="rows of a session are sorted by it; default: the table's only timestamp"
    )
    p.add_argument("--features", help="list features to read, comma separated; default: all lists")
    p.add_argument("--share", type=float, help="read the first SHARE of the list features")
    p.add_argument("--batch-size", type=int, default=4096)
    p.add_argument("--repeat", type=int, default=5)
    p.add_argument(
        "--write-repeat",
        type=int,
        default=3,
        help="writes of each format after a first, which is not counted; medians are told",
    )
    p.add_argument(
        "--threads",
        type=int,
        default=1,
        help="of the writers of dsi and of Feather (pyarrow's of Parquet has one); 0: all cores",
    )
    p.add_argument("--work", help="folder for the files; default: the system's temporary folder")
    p.add_argument("--json", action="store_true")
    p.add_argument("--build", required=True, help=argparse.SUPPRESS)
    args = p.parse_args()
    if bool(args.jsonl) == bool(args.profile):
        p.error("--jsonl or --profile")
    if args.repeat < 1 or args.write_repeat < 1:
        p.error("--repeat and --write-repeat are at least 1")
    result = measure(args)
    print(json.dumps(result, indent=1)) if args.json else show(result)


if __name__ == "__main__":
    main()

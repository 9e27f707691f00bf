"""One process, one loader, one thing to do: write its files, digest its batches, or read for some seconds and say what that took."""
import argparse
import hashlib
import importlib
import inspect
import json
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
import torch

from batches import Columns


def status(field):
    """A size that Linux tells of this process, in bytes."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field + ":"))


def write(peer, args, columns):
    import pyarrow as pa
    with pa.memory_map(str(args.table / "table.arrow")) as source:
        table = pa.ipc.open_file(source).read_all()
        start = time.perf_counter()
        parts = (table, args.folder, columns)
        peer.write(*parts[:len(inspect.signature(peer.write).parameters)])
    stored = sum(f.stat().st_size for f in args.folder.rglob("*") if f.is_file())
    return {"seconds": time.perf_counter() - start, "bytes": stored or (args.table / "table.dsi").stat().st_size}


def digest(peer, args, columns):
    """Of each batch a hash of what it says, lists expanded: the same for every loader and form."""
    found = []
    for batch in peer.loader(args.folder, columns, args.form, args.batch_size):
        values, lengths = batch.expanded()
        arrays = (batch.dense, batch.labels, values.long(), lengths.long())
        of = hashlib.blake2b(digest_size=8)
        for array in arrays:
            of.update(np.ascontiguousarray(array.numpy()).tobytes())
        found.append(of.hexdigest())
        if len(found) == args.batches:
            break
    return {"batches": found}


def read(peer, args, columns):
    """Whole epochs for so many seconds, after one that brings the file into the page cache; of an
    epoch that takes five times as long a part."""
    open("/proc/self/clear_refs", "w").write("5")  # The peak begins here.
    before = status("VmRSS")
    start = time.perf_counter()
    batches = peer.loader(args.folder, columns, args.form, args.batch_size)
    source = iter(batches)
    next(source)
    first = time.perf_counter() - start
    for _ in source:
        if time.perf_counter() - start > 5 * args.seconds:
            break
    source = None  # An epoch that was left ends before the next begins.
    spent = getattr(peer, "seconds", {})
    before_it = dict(spent)
    rows, begun, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < args.seconds:
        for batch in batches:
            rows += len(batch)
            if time.perf_counter() - begun > 5 * args.seconds:
                break
    wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
    made = {"samples_per_second": rows / wall, "cpu_us_per_sample": cpu / rows * 1e6, "first_batch_ms": first * 1e3,
            "resident_mb": (status("VmHWM") - before) / 1e6, "rows": rows}
    if spent:
        made["share_in_python"] = 1 - (spent["inside"] - before_it["inside"]) / (spent["all"] - before_it["all"])
    return made


def overlap(peer, args, columns):
    """Share of loading that a model hides which computes with one thread as long as loading takes: 1 where only the longer is felt."""
    torch.set_num_threads(1)
    matrix = torch.ones(256, 256)
    batches = peer.loader(args.folder, columns, args.form, args.batch_size)

    def load(compute):
        count = 0
        start = time.perf_counter()
        for _ in range(args.epochs):
            for _ in batches:
                count += 1
                for _ in range(compute):
                    matrix @ matrix
        return time.perf_counter() - start, count

    def compute_alone(count, compute):
        start = time.perf_counter()
        for _ in range(count * compute):
            matrix @ matrix
        return time.perf_counter() - start

    load(0)
    loading, count = load(0)
    once = compute_alone(1, 500) / 500
    compute = max(1, round(loading / count / once))
    # Each is taken before and after what it is compared with.
    computing = compute_alone(count, compute)
    both, _ = load(compute)
    computing = (computing + compute_alone(count, compute)) / 2
    loading = (loading + load(0)[0]) / 2
    longer, shorter = max(loading, computing), min(loading, computing)
    return {"loading_s": loading, "computing_s": computing, "together_s": both, "hidden": (loading + computing - both) / shorter,
            "ideal_over_measured": longer / both}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("do", choices=["write", "digest", "read", "overlap"])
    p.add_argument("peer")
    p.add_argument("--table", type=Path, required=True)
    p.add_argument("--form", default="full")
    p.add_argument("--batch-size", type=int, default=4096)
    p.add_argument("--batches", type=int, default=12)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--seconds", type=float, default=2)
    args = p.parse_args()
    args.folder = args.table / args.peer
    args.folder.mkdir(exist_ok=True)
    columns = Columns(**json.loads((args.table / "columns.json").read_text()))
    peer = importlib.import_module("peer_" + args.peer)
    made = {"write": write, "digest": digest, "read": read, "overlap": overlap}[args.do](peer, args, columns)
    made["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps(made), flush=True)
    sys.stdout.flush()
    os._exit(0)  # Some leave threads behind that end late.


if __name__ == "__main__":
    main()

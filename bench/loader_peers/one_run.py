"""One process, one loader, one thing to do: write its files, digest its batches, or read for some
seconds and say what that took."""

import argparse
import collections
import hashlib
import importlib
import inspect
import itertools
import json
import multiprocessing
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


def cpu_seconds():
    """CPU time of this process and of the workers that it has or had."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = 0
    for worker in multiprocessing.active_children():
        fields = Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    running = ticks / os.sysconf("SC_CLK_TCK")
    return time.process_time() + ended.ru_utime + ended.ru_stime + running


def batches_of(peer, args, columns, **keywords):
    return peer.loader(args.folder, columns, args.form, args.batch_size, args.threads, **keywords)


def write(peer, args, columns):
    import pyarrow as pa

    with pa.memory_map(str(args.table / "table.arrow")) as source:
        table = pa.ipc.open_file(source).read_all()
        start = time.perf_counter()
        parts = (table, args.folder, columns)
        peer.write(*parts[: len(inspect.signature(peer.write).parameters)])
    stored = sum(f.stat().st_size for f in args.folder.rglob("*") if f.is_file())
    return {
        "seconds": time.perf_counter() - start,
        "bytes": stored or (args.table / "table.dsi").stat().st_size,
    }


def digest(peer, args, columns):
    """Of each batch a hash of what it says, lists expanded: the same for every loader and form."""
    found = []
    for batch in batches_of(peer, args, columns):
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
    batches = batches_of(peer, args, columns)
    source = iter(batches)
    next(source)
    first = time.perf_counter() - start
    for _ in source:
        if time.perf_counter() - start > 5 * args.seconds:
            break
    source = None  # An epoch that was left ends before the next begins.
    spent = getattr(peer, "seconds", {})
    before_it = dict(spent)
    rows, begun, cpu = 0, time.perf_counter(), cpu_seconds()
    while time.perf_counter() - begun < args.seconds:
        for batch in batches:
            rows += len(batch)
            if time.perf_counter() - begun > 5 * args.seconds:
                break
    wall, cpu = time.perf_counter() - begun, cpu_seconds() - cpu
    made = {
        "samples_per_second": rows / wall,
        "cpu_us_per_sample": cpu / rows * 1e6,
        "first_batch_ms": first * 1e3,
        "resident_mb": (status("VmHWM") - before) / 1e6,
        "rows": rows,
    }
    if spent:
        made["share_in_python"] = 1 - (spent["inside"] - before_it["inside"]) / (
            spent["all"] - before_it["all"]
        )
    return made


class Model:
    """Products of matrices. A GPU's are queued: at most two steps are, as where a loss is looked at
    now and then."""

    def __init__(self, device):
        torch.set_num_threads(1)
        self.on_gpu = device != "cpu"
        self.device = device
        size = 2048 if self.on_gpu else 256
        self.matrix = torch.ones(size, size, device=device)
        self.queued = collections.deque()

    def step(self, products):
        for _ in range(products):
            self.matrix @ self.matrix
        if self.on_gpu:
            self.queued.append(torch.cuda.Event())
            self.queued[-1].record()
            if len(self.queued) > 2:
                self.queued.popleft().synchronize()

    def seconds(self, batches, products):
        """A step for each; and how many they were."""
        count = 0
        start = time.perf_counter()
        for batch in batches:
            if self.on_gpu and batch is not None:
                batch = batch.to(self.device)
            count += 1
            self.step(products)
        if self.on_gpu:
            torch.cuda.synchronize()
        return time.perf_counter() - start, count


def overlap(peer, args, columns):
    """Share of loading that a model hides which computes as long as loading takes, with one thread
    or on a GPU, to which batches are copied: 1 where only the longer is felt."""
    model = Model(args.device)
    pinned = {"pin_memory": True} if args.peer == "dsi" and model.on_gpu else {}
    batches = batches_of(peer, args, columns, **pinned)
    epochs = lambda: itertools.chain.from_iterable(itertools.repeat(batches, args.epochs))

    model.seconds(epochs(), 0)
    loading, count = model.seconds(epochs(), 0)
    model.seconds([None] * 100, 5)
    once = model.seconds([None] * 100, 5)[0] / 500
    products = max(1, round(loading / count / once))
    # Each is taken before and after what it is compared with.
    computing, _ = model.seconds([None] * count, products)
    both, _ = model.seconds(epochs(), products)
    computing = (computing + model.seconds([None] * count, products)[0]) / 2
    loading = (loading + model.seconds(epochs(), 0)[0]) / 2
    longer, shorter = max(loading, computing), min(loading, computing)
    return {
        "loading_s": loading,
        "computing_s": computing,
        "together_s": both,
        "hidden": (loading + computing - both) / shorter,
        "ideal_over_measured": longer / both,
    }


def main():
    p = argparse.ArgumentParser()
    p.add_argument("do", choices=["write", "digest", "read", "overlap"])
    p.add_argument("peer")
    p.add_argument("--table", type=Path, required=True)
    p.add_argument("--form", default="full")
    p.add_argument("--batch-size", type=int, default=4096)
    p.add_argument("--batches", type=int, default=12)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--device", default="cpu")
    p.add_argument("--seconds", type=float, default=2)
    p.add_argument("--threads", type=int, default=0, help="1: one; 0: of all cores")
    args = p.parse_args()
    args.folder = args.table / args.peer
    args.folder.mkdir(exist_ok=True)
    columns = Columns(**json.loads((args.table / "columns.json").read_text()))
    peer = importlib.import_module("peer_" + args.peer)
    made = {"write": write, "digest": digest, "read": read, "overlap": overlap}[args.do](
        peer, args, columns
    )
    made["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps(made), flush=True)
    sys.stdout.flush()
    os._exit(0)  # Some leave threads behind that end late.


if __name__ == "__main__":
    main()

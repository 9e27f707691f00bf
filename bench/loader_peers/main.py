"""Loaders of training data side by side: the same table, the same batches of torch tensors, the
same machine, one process each.

Samples/s, CPU time per sample, time from opening to the first batch, resident memory. Files are in
the page cache; runs of loaders take turns, medians are printed. Before that, batches of all are
compared bit for bit. See --help."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import report
import tables
from environments import IMPORTS, interpreter

HERE = Path(__file__).resolve().parent


class Runner:
    def __init__(self, args, pythons):
        self.args, self.pythons = args, pythons

    def __call__(self, do, peer, table, *options):
        """What one process says; None, and why on stderr: it failed."""
        command = [self.pythons[peer], HERE / "one_run.py", do, peer, "--table", table]
        command += ["--batch-size", self.args.batch_size, *options]
        if self.args.cores == "one" and do != "write":
            core = max(os.sched_getaffinity(0))
            command = ["taskset", "--cpu-list", core, *command, "--threads", 1]
        environment = {**os.environ, "PYTHONPATH": str(self.args.build / "python")}
        done = subprocess.run(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        if done.returncode != 0 or not done.stdout.strip():
            why = (done.stderr.strip() or "no reason given").splitlines()[-1]
            print(f"{peer} cannot {do}: {why}", file=sys.stderr, flush=True)
            return None
        return json.loads(done.stdout.splitlines()[-1])


def written(run, peers, table):
    """Bytes and seconds of the files of each loader, made unless they are there; without those who
    could not."""
    found = {}
    for peer in peers:
        note = table / f"{peer}.json"
        if not note.exists():
            print(f"{table.name}: {peer} writes its files", file=sys.stderr, flush=True)
            shutil.rmtree(table / peer, ignore_errors=True)
            made = run("write", peer, table)
            if made is None:
                continue
            note.write_text(json.dumps(made))
        found[peer] = json.loads(note.read_text())
    return found


def check_equal(run, peers, table, forms, batches):
    """All loaders, in all forms, give the same batches; else there is nothing to compare."""
    want = None
    for form in forms:
        for peer in peers:
            made = run("digest", peer, table, "--form", form, "--batches", batches)
            if made is None:
                raise SystemExit(f"{peer} gives no batches to compare")
            want = want or made["batches"]
            if made["batches"] != want:
                at = next(
                    (i for i, (a, b) in enumerate(zip(made["batches"], want)) if a != b),
                    min(len(want), len(made["batches"])),
                )
                raise SystemExit(
                    f"{peer}, form {form}: batch {at} of {table.name} is not that of {peers[0]}"
                )
    return len(want)


def median_of(runs):
    made = {key: statistics.median(r[key] for r in runs) for key in runs[0]}
    rates = [r["samples_per_second"] for r in runs]
    return {**made, "least": min(rates), "most": max(rates)}


def measure(args, run, name):
    table = tables.prepared(name, args.rows, args.work, args.build / "bin" / "dsictl")
    if table is None:
        print(f"{name} is left out: {tables.RETAIL} is not there", file=sys.stderr)
        return None
    files = written(run, [p for p in args.peers if p in run.pythons], table)
    peers = list(files)
    columns = json.loads((table / "columns.json").read_text())
    result = {
        "lists": len(columns["lists"]),
        "dense": len(columns["dense"]),
        "files": files,
        "cores": args.cores,
        "forms": {},
    }
    if args.overlap:
        options = ("--device", args.device)
        result["overlap"] = {
            form: {p: run("overlap", p, table, "--form", form, *options) for p in peers}
            for form in args.forms
        }
        return result
    result["equal_batches"] = check_equal(run, peers, table, args.forms, args.check)
    for form in args.forms:
        runs = {p: [] for p in peers}
        for _ in range(args.repeat):
            for peer in peers:
                made = run("read", peer, table, "--form", form, "--seconds", args.seconds)
                if made is not None:
                    runs[peer].append(made)
        result["forms"][form] = {p: median_of(r) for p, r in runs.items() if r}
    return result


def first_batches(args):
    """Of a table of 20,000 features: time to open it, and from there to the first batch of a share
    of its lists."""
    table = tables.wide(args.rows or 20_000, args.work, args.build / "bin" / "dsictl")
    found = []
    for share in (0.01, 0.1):
        command = [
            interpreter("dsi", args.environments),
            HERE / "first_batch.py",
            table,
            share,
            args.batch_size,
        ]
        environment = {**os.environ, "PYTHONPATH": str(args.build / "python")}
        runs = [
            json.loads(
                subprocess.run(
                    list(map(str, command)), stdout=subprocess.PIPE, check=True, env=environment
                ).stdout
            )
            for _ in range(args.repeat)
        ]
        found.append({key: statistics.median(run[key] for run in runs) for key in runs[0]})
    return found


def arguments():
    p = argparse.ArgumentParser(
        prog="bench/loaders",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    listed = lambda text: text.split(",")
    p.add_argument(
        "--peers",
        type=listed,
        default=list(IMPORTS),
        help=f"by commas; default: {','.join(IMPORTS)}",
    )
    p.add_argument(
        "--tables",
        type=listed,
        default=["p3", "retail"],
        help="retail, or profiles of dsictl generate",
    )
    p.add_argument(
        "--forms",
        type=listed,
        default=["full", "vbe"],
        help="full: lists of every row; vbe: unique rows and who uses them",
    )
    p.add_argument(
        "--cores",
        choices=["one", "all"],
        default="all",
        help="one: every loader has one core and one thread; all: threads or workers as each "
        "loader's documentation advises",
    )
    p.add_argument(
        "--rows",
        type=int,
        default=0,
        help="of a table; default 200,000 of p3, 541,909 of retail, else 100,000",
    )
    p.add_argument("--batch-size", type=int, default=4096)
    p.add_argument("--repeat", type=int, default=5)
    p.add_argument("--seconds", type=float, default=2, help="of a run")
    p.add_argument("--check", type=int, default=12, help="batches that are compared")
    p.add_argument(
        "--overlap",
        action="store_true",
        help="instead: how much of loading a model hides that computes as long",
    )
    p.add_argument(
        "--device",
        default="cpu",
        help="of that model; cuda: batches are copied there, of dsi from pinned memory",
    )
    p.add_argument(
        "--first-batch",
        action="store_true",
        help="instead: dsi's first batch of a table of 20,000 features",
    )
    p.add_argument(
        "--quick", action="store_true", help="a small table, short runs: to see that it works"
    )
    p.add_argument(
        "--work", type=Path, help="where tables are kept; default: build/bench-peers/tables"
    )
    p.add_argument(
        "--environments",
        type=Path,
        help="where virtual environments are kept; default: build/bench-peers",
    )
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--json", action="store_true")
    args = p.parse_args()
    if args.quick:
        args.tables, args.rows, args.repeat, args.seconds = ["clicks"], args.rows or 6000, 1, 0.05
    for peer in set(args.peers) - set(IMPORTS):
        p.error(f"no loader {peer}; there are {', '.join(IMPORTS)}")
    kept = args.build.parent / "bench-peers"
    args.environments, args.work = args.environments or kept, args.work or kept / "tables"
    args.build = args.build.resolve()
    if not (args.build / "python" / "dsi").is_dir():
        p.error(
            f"{args.build} has no Python package: cmake --preset release -DDSI_BUILD_PYTHON=ON && "
            "cmake --build --preset release"
        )
    sys.path.insert(0, str(args.build / "python"))
    return args


def main():
    args = arguments()
    python = interpreter("dsi", args.environments)  # Which makes the tables, too.
    if python is None:
        raise SystemExit("tables cannot be made without what dsi needs")
    if str(python) != sys.executable:
        os.execv(python, [str(python), *sys.argv])
    if args.first_batch:
        made = first_batches(args)
        print(json.dumps(made, indent=1)) if args.json else report.tell_first(made)
        return
    pythons = {p: interpreter(p, args.environments) for p in args.peers}
    run = Runner(args, {p: python for p, python in pythons.items() if python is not None})
    results = {name: measure(args, run, name) for name in args.tables}
    results = {name: made for name, made in results.items() if made is not None}
    print(json.dumps(results, indent=1)) if args.json else report.tell(results)


if __name__ == "__main__":
    main()

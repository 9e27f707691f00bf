"""Features apart, reads joined, features in order, large stripes (DSI's steps): what each makes of a job that reads a tenth of the features; see --help."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "dedup_figures"))

from jobs import Jobs  # noqa: E402
from report import Report  # noqa: E402
from storages import STORAGES, replay  # noqa: E402
from table import Table  # noqa: E402

ROWS, FEATURES, SHARE = 49_152, 1_000, 0.1
STRIPES = {"small": ROWS // 32, "large": 262_144}  # Rows; large is the default of the writer.
LONG_READ = 8 << 20
GAPS = (0, 64 << 10, 512 << 10, 1 << 20, 5 << 18)
PERCENTILES = (5, 25, 50, 75, 95)


@dataclass
class Step:
    name: str
    order: str
    stripes: str
    reads: str  # "apart", "joined" (over what the latency is worth) or "default".


STEPS = (Step("features apart", "ids", "small", "apart"),
         Step("+ reads joined", "ids", "small", "joined"),
         Step("+ by popularity", "popularity", "small", "joined"),
         Step("+ large stripes", "popularity", "large", "joined"),
         Step("or by co-read", "co-read", "large", "joined"),
         Step("dsi by default", "ids", "large", "default"),
         Step("its schema by popularity", "popularity", "large", "default"))


def log(text):
    print(text, file=sys.stderr, flush=True)


def whole(file):
    """The reads of who cannot leave out features: as if they were one map."""
    return [(at, min(LONG_READ, file.bytes - at)) for at in range(0, file.bytes, LONG_READ)]


def joining(reads, storage):
    return {"apart": (0, 1), "joined": (storage.bytes_of_latency, LONG_READ), "default": (None, None)}[reads]


class Experiment:
    def __init__(self, args, folder):
        self.args = args
        rows = max(2_000, int(ROWS * args.scale))
        log(f"generating {rows:,} rows of {args.features:,} features")
        self.table = Table(args.dsictl, args.plans, folder, rows, args.features, args.seed)
        self.jobs = Jobs(self.table.features(), SHARE, past=30, present=args.jobs, seed=args.seed)
        self.files = {}
        for order, stripes in sorted({(s.order, s.stripes) for s in STEPS}):
            log(f"writing {stripes} stripes, features by {order}")
            size = max(256, int(STRIPES[stripes] * (args.scale if stripes == "small" else 1)))
            self.files[order, stripes] = self.table.write(f"{order}-{stripes}", self.jobs.order(order), "--stripe-rows", size)
        self.whole = self.files["ids", "large"]

    def measure(self, order, stripes, storage, gap, most, pread=False):
        """Sums over the jobs, beside reading the whole file in each."""
        file, reads, useful, seconds, here = self.files[order, stripes], [], 0, 0.0, 0.0
        for job in self.jobs.present:
            names = self.jobs.names(job)
            plan = self.table.plan(file, names, storage, gap, most)
            reads += plan
            useful += file.useful(names)
            seconds += storage.seconds(plan)
            here += replay(file.path, plan, self.args.repeat) if pread else 0
        sizes, jobs = sorted(size for _, size in reads), len(self.jobs.present)
        measured = {"rows": storage.seconds(whole(self.whole)) * jobs / seconds, "useful_mb_per_s": useful / seconds / 1e6,
                    "reads": len(reads) // jobs, "over": sum(sizes) / useful - 1, "useful": useful // jobs,
                    **{f"p{p}": sizes[p * len(sizes) // 100] for p in PERCENTILES}}
        if pread:
            measured["pread"] = replay(self.whole.path, whole(self.whole), self.args.repeat) * jobs / here
        return measured

    def steps(self, report):
        rows = []
        for name in self.args.only:
            storage, reads = STORAGES[name], whole(self.whole)
            rows.append([name, "whole file", 1.0, None, len(reads), None] + [LONG_READ] * len(PERCENTILES) + [1.0 if name == "disk" else None])
            for step in STEPS:
                m = self.measure(step.order, step.stripes, storage, *joining(step.reads, storage), pread=name == "disk")
                rows.append([name, step.name, m["rows"], m["useful_mb_per_s"], m["reads"], f"{100 * m['over']:.0f}%"] +
                            [m[f"p{p}"] for p in PERCENTILES] + [m.get("pread")])
        head = ["storage", "", "rows/s", "useful MB/s", "reads", "over-read"] + [f"p{p}" for p in PERCENTILES] + ["pread here"]
        report.table("rows/s over reading the whole file; sizes of reads in bytes", head, rows)

    def gaps(self, report):
        rows = []
        for name in self.args.only:
            for order, stripes in (("ids", "small"), ("popularity", "large")):
                found = [self.measure(order, stripes, STORAGES[name], gap, LONG_READ) for gap in GAPS]
                rows.append([name, f"by {order}, {stripes} stripes"] + [f"{m['rows']:.2f} ({100 * m['over']:.0f}%)" for m in found])
        report.table("rows/s over the whole file (over-read) by the gap read over, in KiB", ["storage", "file"] + [str(g >> 10) for g in GAPS], rows)


def main():
    p = argparse.ArgumentParser(prog="bench/storage", description=__doc__)
    p.add_argument("--only", default=",".join(STORAGES), help=f"some of {','.join(STORAGES)}")
    p.add_argument("--scale", type=float, default=1, help="of the number of rows")
    p.add_argument("--features", type=int, default=FEATURES, help=f"of the table; default {FEATURES}")
    p.add_argument("--jobs", type=int, default=3, help="read plans of so many jobs are summed; default 3")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--repeat", type=int, default=3, help="of reads on this machine; medians are printed")
    p.add_argument("--work", help="folder for the files (3 GB); default: the system's temporary folder")
    p.add_argument("--json", action="store_true")
    p.add_argument("--dsictl", required=True, help=argparse.SUPPRESS)
    p.add_argument("--plans", required=True, help=argparse.SUPPRESS)
    args = p.parse_args()
    args.only = args.only.split(",")
    unknown = [name for name in args.only if name not in STORAGES]
    if unknown:
        p.error(f"--only: no storage {', '.join(unknown)}; there are {', '.join(STORAGES)}")
    version = subprocess.run([args.dsictl, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        e = Experiment(args, folder)
        report = Report(f"E10: jobs that read {SHARE:.0%} of {args.features:,} features")
        e.steps(report)
        e.gaps(report)
        useful = sum(e.whole.useful(e.jobs.names(j)) for j in e.jobs.present) / len(e.jobs.present)
        report.note(f"A job needs {useful / e.whole.bytes:.0%} of the file's {e.whole.bytes / 1e6:.0f} MB; {e.jobs.most_read():.0%} of the features "
                    "get 80% of what is read.")
        for s in (STORAGES[name] for name in args.only):
            report.note(f"{s.name}: {s.latency * 1e3:.0f} ms, {s.bandwidth / 1e6:.0f} MB/s, {s.connections} at a time" +
                        ("; no wait where a read goes on where the last one ended." if s.seeks else "; all busy all the time."))
        report.note("By default dsi joins reads and has large stripes; features stand in the order of the schema, so popularity is up to it.")
    if args.json:
        print(json.dumps({"dsictl": version, "scale": args.scale, "seed": args.seed, "experiments": {"E10": report.as_json()}}, indent=1))
    else:
        report.show()


if __name__ == "__main__":
    main()

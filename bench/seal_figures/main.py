"""The share of the time of a batch that goes into checking the seals of pages: all lists of a table are read with it and without, in turns; see --help."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "dedup_figures"))

from report import Report  # noqa: E402

TABLES = {"clicks": 100_000, "visits": 100_000, "p3": 10_000}  # Profile and rows.
LAYOUTS = ("padded", "ikjt")
MOST = 0.03  # Of the time of a batch.
SWITCH = "DSI_BENCH_NO_SEALS"


def call(*command, checks=True):
    environment = {name: value for name, value in os.environ.items() if name != SWITCH} | ({} if checks else {SWITCH: "1"})
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout


def generated(args, folder):
    """[(name, path)] of the tables that anyone can make."""
    for profile, rows in TABLES.items():
        print(f"generating {profile}", file=sys.stderr, flush=True)
        text, schema, path = (os.path.join(folder, profile + ending) for ending in (".jsonl", ".json", ".dsi"))
        call(args.dsictl, "generate", text, "-q", "--profile", profile, "--rows", max(2_000, int(rows * args.scale)), "--write-schema", schema)
        call(args.dsictl, "convert", text, path, "-q", "--schema", schema)
        os.unlink(text)
        yield profile, path


def lists_of(args, path):
    columns = json.loads(call(args.dsictl, "inspect", path, "--features", "--json"))
    return [c["name"] for c in columns if c["kind"] in ("list", "sequence") and c["type"] != "bytes"]


def seconds(args, path, lists, layout, checks):
    """Of the fastest of a few readings, which was disturbed least; and the bytes read and handed out."""
    found = json.loads(call(args.dsictl, "bench", path, "--features", ",".join(lists), "--layout", layout, "--repeat", args.repeat, "--json",
                            "-q", checks=checks))
    return min(found["seconds"]), found


def measure(args, path, layout):
    lists, times = lists_of(args, path), {True: [], False: []}
    for number in range(args.rounds):
        for checks in (True, False) if number % 2 == 0 else (False, True):
            time, found = seconds(args, path, lists, layout, checks)
            times[checks].append(time)
    with_seals, without = times[True], times[False]
    shares = [1 - b / a for a, b in zip(with_seals, without)]
    quarters = statistics.quantiles(shares, n=4) if len(shares) > 1 else shares * 3
    return {"ms": 1e3 * statistics.median(with_seals), "read": found["bytes_read"], "out": found["output_bytes"],
            "share": 1 - statistics.median(without) / statistics.median(with_seals), "low": quarters[0], "high": quarters[2]}


def main():
    p = argparse.ArgumentParser(prog="bench/seals", description=__doc__)
    p.add_argument("files", nargs="*", help="tables; default: generated ones")
    p.add_argument("--scale", type=float, default=1, help="of the numbers of rows of generated tables")
    p.add_argument("--rounds", type=int, default=11, help="each reads with and without; default 11")
    p.add_argument("--repeat", type=int, default=3, help="readings of a run, of which the fastest counts; default 3")
    p.add_argument("--work", help="folder for the files; default: the system's temporary folder")
    p.add_argument("--json", action="store_true")
    p.add_argument("--dsictl", required=True, help=argparse.SUPPRESS)
    args = p.parse_args()
    if SWITCH not in call(args.dsictl, "--version"):
        p.error("dsictl must be built with DSI_BENCH_WITHOUT_SEALS")
    report, rows = Report("seals: what checking pages costs"), []
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        tables = [(os.path.basename(f), f) for f in args.files] or generated(args, folder)
        for name, path in tables:
            for layout in LAYOUTS:
                print(f"reading {name}, {layout}", file=sys.stderr, flush=True)
                m = measure(args, path, layout)
                rows.append([name, layout, m["ms"], m["read"], m["out"], f"{m['share']:.1%}", f"{m['low']:.1%}..{m['high']:.1%}"])
                report.target(f"{name}, {layout}: at most {MOST:.0%}", f"{m['share']:.1%}", m["share"] <= MOST)
    report.table("all lists, one thread: share of the time (medians), and the middle half of the rounds",
                 ["table", "layout", "ms", "bytes read", "bytes out", "share", "rounds"], rows)
    if args.json:
        print(json.dumps(report.as_json(), indent=1))
    else:
        report.show()


if __name__ == "__main__":
    main()

"""The encodings that a file was written with beside the best that a patient search finds, or beside the entropy of what they hold; see --help."""
import argparse
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "dedup_figures"))

from report import Report  # noqa: E402

MOST_EXCESS = 0.03  # Of the cost, over the best that was found.
FIGURES = ("chosen", "best", "smallest")


def run(args, path):
    command = [args.program, path, args.tuning, str(args.pages), str(args.stripes), str(args.threads)]
    return [json.loads(line) for line in subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()]


def judge(lines):
    """One record per stream: sums over stripes and searched pages, and the page that lost most."""
    streams = collections.defaultdict(lambda: collections.defaultdict(float))
    for line in lines:
        s = streams[line.get("stream") or line["searched"]]
        if "stream" in line:
            for key in ("values", "pages", "bytes", "entropy", "distinct", "steps_entropy", "distinct_steps"):
                s[key] += line[key]
            # Whoever decodes codes has to be told what they stand for.
            s["told"] += min(line["entropy"] + line["distinct"] * line["width"], line["steps_entropy"] + line["distinct_steps"] * line["width"])
            continue
        s["searched"] += 1
        costs = {}
        for name in FIGURES:
            f = line[name]
            costs[name] = f["bytes"] * line["price"] + f["ns"]
            s[name + "_bytes"] += f["bytes"]
            s[name + "_ns"] += f["ns"]
            s[name + "_cost"] += costs[name]
        lost = costs["chosen"] - costs["best"]
        if "plan" not in s or lost > s["lost"]:
            s.update(lost=lost, plan=line["plan"], best_plan=line["best_plan"], smallest_plan=line["smallest_plan"])
    return {name: dict(s) for name, s in streams.items()}


def totals(streams):
    total = collections.defaultdict(float)
    for s in streams.values():
        for key, value in s.items():
            if not isinstance(value, str) and key != "lost":
                total[key] += value
    return dict(total)


def over(s, figure, unit):
    return s[f"chosen_{unit}"] / s[f"{figure}_{unit}"] - 1 if s.get(f"{figure}_{unit}") else 0.0


def percent(x):
    return f"{100 * x:.1f} %"


def where(args, path, streams, total):
    size = os.path.getsize(path)
    r = Report(f"{os.path.basename(path)}: {size:,} bytes, {total['bytes']:,.0f} of them in {len(streams)} streams")
    largest = sorted(streams.items(), key=lambda i: -i[1]["bytes"])
    r.table("Where the bytes are, and the entropy (order zero) of values and of differences of neighbours; `least` is the lesser one with its symbols",
            ["stream", "values", "bytes", "% of file", "bits/value", "distinct", "entropy", "differences", "their entropy", "least", "bytes over least"],
            [[name, int(s["values"]), int(s["bytes"]), 100 * s["bytes"] / size, 8 * s["bytes"] / s["values"], int(s["distinct"]), int(s["entropy"]),
              int(s["distinct_steps"]), int(s["steps_entropy"]), int(s["told"]), f"{s['bytes'] - s['told']:+,.0f}"] for name, s in largest[:args.rows]])
    return r


def report(args, path, streams, total):
    r = Report(f"{os.path.basename(path)}, {args.tuning}: {len(streams)} streams, {total['pages']:.0f} pages, {total.get('searched', 0):.0f} searched")
    worst = sorted((i for i in streams.items() if i[1].get("searched")), key=lambda i: i[1]["best_cost"] - i[1]["chosen_cost"])
    r.table("Searched pages, what loses most first; `best` by cost, `smallest` by bytes",
            ["stream", "values", "bytes", "best", "smallest", "bytes over best", "cost over best", "over smallest", "chosen | best | smallest, worst page"],
            [[name, int(s["values"]), int(s["chosen_bytes"]), int(s["best_bytes"]), int(s["smallest_bytes"]), percent(over(s, "best", "bytes")),
              percent(over(s, "best", "cost")), percent(over(s, "smallest", "bytes")), " | ".join((s["plan"], s["best_plan"] or "=", s["smallest_plan"] or "="))]
             for name, s in worst[:args.rows]])
    r.note(f"all searched: {total['chosen_bytes']:,.0f} bytes chosen, {total['best_bytes']:,.0f} best by cost, {total['smallest_bytes']:,.0f} smallest")
    r.target("bytes over the best by cost, %", 100 * over(total, "best", "bytes"), over(total, "best", "bytes") <= MOST_EXCESS)
    r.target("cost over the best by cost, %", 100 * over(total, "best", "cost"), over(total, "best", "cost") <= MOST_EXCESS)
    return r


def main():
    p = argparse.ArgumentParser(prog="bench/choices", description=__doc__)
    p.add_argument("files", nargs="+", metavar="FILE.dsi")
    p.add_argument("--tuning", choices=("nvme", "network", "archive"), default="nvme", help="what the file was written with")
    p.add_argument("--pages", type=int, default=2, help="pages of each stream and stripe that are searched: first, last, evenly between; 0: none, print where the bytes are")
    p.add_argument("--stripes", type=int, default=1 << 30, help="look at the first so many")
    p.add_argument("--threads", type=int, default=os.cpu_count(), help="of the search")
    p.add_argument("--rows", type=int, default=12, help="of each printed table")
    p.add_argument("--json", action="store_true")
    p.add_argument("--program", required=True, help=argparse.SUPPRESS)
    args = p.parse_args()
    if args.pages < 0:
        p.error("--pages: at least 0")
    results = {}
    for path in args.files:
        streams = judge(run(args, path))
        if not streams:
            sys.exit(f"{path}: no stream has pages; there is nothing to choose")
        total = totals(streams)
        results[path] = {"streams": streams, "total": total}
        if not args.json:
            (report if args.pages else where)(args, path, streams, total).show()
    if args.json:
        print(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Figures of deduplication; see --help. Data is generated, files have default options, ratios are measured within one run."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import batches  # noqa: E402
import formula  # noqa: E402
import groups  # noqa: E402
import windows  # noqa: E402
from tool import Tool, log  # noqa: E402

# Last those that share the large tables.
EXPERIMENTS = {
    "E3": lambda tool, repeat: formula.e3(tool),
    "E5": lambda tool, repeat: groups.e5(tool),
    "E6": lambda tool, repeat: windows.e6(tool),
    "E7": batches.e7,
    "E18": windows.e18,
    "E4": lambda tool, repeat: formula.e4(tool),
    "E20": batches.e20,
    "FOUND": groups.found,
}


def cpu_seconds():
    """Of this process and of all that it waited for."""
    return sum(os.times()[:4])


def main():
    p = argparse.ArgumentParser(prog="bench/dedup", description=__doc__)
    p.add_argument("--only", help=f"some of {','.join(EXPERIMENTS)}")
    p.add_argument("--scale", type=float, default=1, help="of the numbers of rows")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--repeat", type=int, default=3, help="runs of what is timed; medians of them are printed")
    p.add_argument("--work", help="folder for the files (2 GB); default: the system's temporary folder")
    p.add_argument("--json", action="store_true")
    p.add_argument("--dsictl", required=True, help=argparse.SUPPRESS)
    args = p.parse_args()
    chosen = args.only.split(",") if args.only else list(EXPERIMENTS)
    unknown = [name for name in chosen if name not in EXPERIMENTS]
    if unknown:
        p.error(f"--only: no experiment {', '.join(unknown)}; there are {', '.join(EXPERIMENTS)}")
    version = subprocess.run([args.dsictl, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    results = {}
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        tool = Tool(args.dsictl, folder, args.scale, args.seed)
        for name in [n for n in EXPERIMENTS if n in chosen]:
            start, cpu = time.perf_counter(), cpu_seconds()
            report = EXPERIMENTS[name](tool, args.repeat)
            log(f"{name}: {time.perf_counter() - start:.1f} s, of CPU {cpu_seconds() - cpu:.1f} s")
            results[name] = report.as_json()
            if not args.json:
                report.show()
    if args.json:
        print(json.dumps({"dsictl": version, "cores": os.cpu_count(), "scale": args.scale, "seed": args.seed, "experiments": results}, indent=1))


if __name__ == "__main__":
    main()

"""Speed of the codecs; see --help. Every figure is the median of repetitions, every ratio is within one run."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import peers  # noqa: E402
import picture  # noqa: E402
import targets  # noqa: E402


def run(program, expression, repeat, min_time, env=None):
    """Medians of codecs_bench by name: {case: {variant: figures}}."""
    out = subprocess.run([program, f"--benchmark_filter={expression}", f"--benchmark_repetitions={repeat}", "--benchmark_format=json",
                          f"--benchmark_min_time={min_time}", "--benchmark_report_aggregates_only", "--benchmark_enable_random_interleaving"],
                         stdout=subprocess.PIPE, check=True, env={**os.environ, **(env or {})}).stdout
    cases = {}
    for b in json.loads(out)["benchmarks"]:
        if b["aggregate_name"] == "median":
            case, variant = b["run_name"].split("/repeats:")[0].rsplit("/", 1)
            cases.setdefault(case, {})[variant] = {"gb_s": b["bytes_per_second"] / 1e9, "gv_s": b["values_per_second"] / 1e9,
                                                   "stored": b["stored_per_byte"], "plan": b.get("label", ""),
                                                   **({"entropy_bits": b["entropy_bits"]} if "entropy_bits" in b else {})}
    return dict(sorted(cases.items(), key=lambda case: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", case[0])]))


def show(cases, residents):
    for resident in residents:
        rows = {k: v for k, v in cases.items() if k.endswith("/" + resident) and "dsi" in v}
        if not rows:
            continue
        print(f"\n{resident}-resident, GB/s of values that come out\n"
              f"{'':26} {'stored':>7} {'Gval/s':>7} {'dsi':>7} {'memcpy':>7} {'ratio':>6} {'no SIMD':>8} {'zstd':>6} {'pyarrow':>8} {'pcodec':>7}")
        for name, v in rows.items():
            cell = lambda variant, width: f"{v[variant]['gb_s']:{width}.2f}" if variant in v else " " * width  # noqa: E731
            dsi = v["dsi"]
            ratio = dsi["gb_s"] / v["memcpy"]["gb_s"]
            print(f"{name.rsplit('/', 1)[0]:26} {dsi['stored']:7.3f} {dsi['gv_s']:7.2f} {cell('dsi', 7)} {cell('memcpy', 7)} {ratio:6.2f} "
                  f"{cell('scalar', 8)} {cell('zstd', 6)} {cell('pyarrow', 8)} {cell('pcodec', 7)}")
    show_entropy(cases)
    encode = {k: v for k, v in cases.items() if k.startswith("encode/")}
    if encode:
        print(f"\nEncoding a page of 65,536 values, MB/s of values that go in\n{'':26} {'stored':>7} {'choice+encode':>14} {'encode':>7}  chosen")
    for name, v in encode.items():
        print(f"{name.rsplit('/', 1)[0]:26} {v['dsi']['stored']:7.3f} {v['dsi']['gb_s'] * 1e3:14.0f} {v['planned']['gb_s'] * 1e3:7.0f}  {v['dsi']['plan']}")


def show_entropy(cases):
    """Skewed codes beside coders that come nearer the entropy of the values, or might."""
    rows = {k: v for k, v in cases.items() if "huffman" in v and "dsi" in v}
    coders = {"dsi": "skewed", "huffman": "Huffman", "zstd": "zstd", "pcodec": "pcodec"}
    if rows:
        print("\nSkewed codes, bits stored for a value and 10^9 values/s decoded; Huffman: Zstandard's codes of each byte, no matches\n"
              f"{'':26} {'entropy':>7}  " + "  ".join(f"{name:>14}" for name in coders.values()))
    for name, v in rows.items():
        cell = lambda x: f"{8 * x['stored'] * x['gb_s'] / x['gv_s']:6.2f} at {x['gv_s']:4.2f}"  # noqa: E731
        print(f"{name:26} {v['huffman']['entropy_bits']:7.2f}  " + "  ".join(cell(v[c]) if c in v else " " * 14 for c in coders))


def main():
    p = argparse.ArgumentParser(prog="bench/codecs", description=__doc__)
    p.add_argument("--only", default="", help="encodings, such as delta,dictionary; `encode` is one; default: all")
    p.add_argument("--resident", default="L1,L2,DRAM", help="where the output of one iteration fits: L1 (16 KiB), L2 (512 KiB; 1 MiB of 64 Ki ids), DRAM (256 MiB)")
    p.add_argument("--repeat", type=int, default=5, help="at least 2; default 5")
    p.add_argument("--min-time", type=float, default=0.05, help="seconds per repetition")
    p.add_argument("--no-peers", action="store_true", help="without pyarrow and pcodec")
    p.add_argument("--picture", metavar="SVG", help="instead draw size against decode speed on columns of a table")
    p.add_argument("--table", help="JSON Lines for --picture; default: a shop's log where it is at hand, else generated columns")
    p.add_argument("--json", action="store_true")
    p.add_argument("--program", required=True, help=argparse.SUPPRESS)
    args = p.parse_args()
    args.repeat = max(args.repeat, 2)  # A median of one is not printed.
    if args.picture:
        with tempfile.TemporaryDirectory() as folder:
            source = picture.write_columns(folder, args.table)
            cases = run(args.program, ".", args.repeat, args.min_time, {"DSI_BENCH_COLUMNS": folder})
        picture.draw(cases, source, args.picture)
        return print(json.dumps(cases, indent=1)) if args.json else 0
    residents = args.resident.split(",")
    only = f"^({'|'.join(args.only.split(','))})/" if args.only else "^"
    cases = run(args.program, f"{only}.*/({'|'.join(residents + ['page'])})/", args.repeat, args.min_time)
    if "L2" in residents and not args.no_peers:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([args.program], env={**os.environ, "DSI_BENCH_VALUES": folder}, check=True)
            peers.add(cases, folder, args.repeat)
    verdicts = targets.judge(cases)
    if args.json:
        print(json.dumps({"cases": cases, "targets": verdicts}, indent=1))
    else:
        show(cases, residents)
        targets.show(verdicts)
    return 0


if __name__ == "__main__":
    sys.exit(main())

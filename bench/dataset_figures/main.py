"""Rows per second of scans of a table as a dataset: in several orders, against that of the file; and with hashes of lists, buckets and
logarithms of numbers made once per unique row, against the same steps on every row. See --help."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

TABLES = {"clicks": 200_000, "visits": 200_000, "p3": 20_000}  # Profile and rows.
NUMBERS = 20  # So many dense columns are transformed.


def call(*command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True, text=True).stdout


def generated(args, folder):
    """[(name, path)] of the tables that anyone can make."""
    dsictl = os.path.join(args.bin, "dsictl")
    for profile, rows in TABLES.items():
        print(f"generating {profile}", file=sys.stderr, flush=True)
        text, schema, path = (os.path.join(folder, profile + ending) for ending in (".jsonl", ".json", ".dsi"))
        call(dsictl, "generate", text, "-q", "--profile", profile, "--rows", max(2_000, int(rows * args.scale)), "--write-schema", schema)
        call(dsictl, "convert", text, path, "-q", "--schema", schema)
        os.unlink(text)
        yield profile, path


def cases(args, path, *rest):
    lines = call(os.path.join(args.bin, "dataset_scans"), path, *rest, args.rounds).splitlines()
    return {c["case"]: statistics.median(c["rows_per_second"]) for c in map(json.loads, lines)}


def measure(args, path):
    columns = json.loads(call(os.path.join(args.bin, "dsictl"), "inspect", path, "--features", "--json"))
    lists = [c["name"] for c in columns if c["kind"] in ("list", "sequence") and c["type"] == "int64"]
    if args.features:
        lists = args.features.split(",")
    numbers = [c["name"] for c in columns if c["kind"] == "dense" and c["type"] == "float64"][:NUMBERS]
    orders = cases(args, path, ",".join(lists))
    return orders, cases(args, path, ",".join(lists), ",".join(numbers))


def tell(name, orders, transforms):
    print(f"\n{name}")
    for case, rate in orders.items():
        plain = orders[case.split(";")[0] + "; file order"]
        print(f"  {case:<52} {rate / 1e6:7.2f} M rows/s  {rate / plain:5.2f} of file order")
    for case, rate in transforms.items():
        print(f"  transforms {case:<41} {rate / 1e6:7.2f} M rows/s")
    unique, every = transforms["on unique rows"], transforms["on expanded rows"]
    added = 1 / every - 1 / transforms["without transforms, expanded"]
    added_unique = 1 / unique - 1 / transforms["without transforms, IKJT"]
    alone = f"{added / added_unique:.1f}x" if added_unique > 0 else "not measurable"
    print(f"  scan on unique rows over scan on every row {unique / every:.1f}x; transforms alone {alone}")
    in_blocks = transforms["on unique rows, in blocks"] / transforms["without transforms, in blocks"]
    print(f"  in shuffled blocks {in_blocks:.2f} of the rows/s that there are without transforms")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help="tables to scan; without: generated ones")
    parser.add_argument("--features", help="lists, by commas; default: all of whole numbers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1, help="of the generated tables")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--bin", required=True, help=argparse.SUPPRESS)
    args = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        tables = [(os.path.basename(t), t) for t in args.tables] or generated(args, folder)
        for name, path in tables:
            orders, transforms = measure(args, path)
            found[name] = {"orders": orders, "transforms": transforms}
            if not args.json:
                tell(name, orders, transforms)
    if args.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()

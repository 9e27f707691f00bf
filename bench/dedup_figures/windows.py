"""E6 and E18: lists as windows into a pool, and reading only their newest ends."""
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lists import Lists
from report import Report
from tool import only

SEQUENCES = ["user_seq0", "user_seq1"]
# Ids in a list, shift, rows that equal the row before, rows of the table.
CASES = [(64, 1, .86, 20000), (64, 8, .86, 20000), (512, 1, .86, 5000), (512, 2, .86, 5000), (512, 4, .86, 5000), (512, 8, .86, 5000),
         (512, 1, .5, 5000), (512, 1, 0, 5000), (512, 8, 0, 5000), (4096, 1, .86, 1000), (4096, 8, .86, 1000), (4096, 1, 0, 1000)]


def parquet_bytes(tool, table):
    """Of the rows in the order of the file, so clustered; zstd-3, the better of dictionary and plain."""
    path, sizes = tool.path("table.parquet"), []
    for dictionary in (True, False):
        pq.write_table(table, path, use_dictionary=dictionary, compression="zstd", compression_level=3)
        sizes.append(os.path.getsize(path))
    return min(sizes)


def write_unique(tool, table, same):
    """The rows that differ from the row before, as JSON Lines."""
    path = tool.path("unique.jsonl")
    columns = [table[n].take(pa.array(np.flatnonzero(~same))).combine_chunks() for n in SEQUENCES]
    with open(path, "w") as out:
        for lists in zip(*columns):
            out.write("{" + ",".join(f'"{n}":{l.as_py()}' for n, l in zip(SEQUENCES, lists)) + "}\n")
    return path


def column_bytes(tool, path):
    """Stored bytes of the sequences and of the index they share."""
    groups = {g["group"]: g["index_bytes"] for c, g in tool.group_of(path).items() if c in SEQUENCES and g["group"] != 0}
    return sum(c["stored_bytes"] for c in tool.inspect(path, "--features") if c["name"] in SEQUENCES) + sum(groups.values())


def e6(tool):
    report = Report("E6: shifting sequences, windows against exact duplicates only")
    lines = []
    for length, shift, rate, rows in CASES:
        rows = tool.rows(rows, 500)
        text, schema = tool.generate("p2", rows, "--sequence-length", length, "--sequence-shift", shift, "--sequence-duplicate", rate)
        schema = only(schema, lambda n: n in SEQUENCES)
        path, run = tool.convert(text, schema, ignore_unknown=True)
        _, plain = tool.convert(text, schema, "--no-dedup", name="plain.dsi", ignore_unknown=True)
        tool.forget(text)
        table = tool.table(path, schema)
        lists = [Lists(table[n]) for n in SEQUENCES]
        same = lists[0].same_as_before() & lists[1].same_as_before()
        exact = sum(int(l.length[~same].sum()) for l in lists)
        sequences = {"features": [f for f in schema["features"] if f["name"] in SEQUENCES]}
        exact_path, _ = tool.convert(write_unique(tool, table, same), sequences, "--no-dedup", "--keep-order", name="exact.dsi")
        index = sum({g["group"]: g["index_bytes"] for c, g in tool.group_of(path).items() if c in SEQUENCES}.values())
        windowed, exact_bytes = column_bytes(tool, path), column_bytes(tool, exact_path) + index
        read = tool.bench(path, SEQUENCES, "ikjt", repeat=3).json
        lines.append([length, shift, rate, rows, read["values_expanded"], exact, read["values_decoded"], exact / read["values_decoded"],
                      windowed, exact_bytes, windowed / exact_bytes, run.json["bytes_out"], plain.json["bytes_out"], parquet_bytes(tool, table)])
    report.table("two sequences, sessions of 16.5 rows; of the changes 92 % shift, 8 % redraw the whole list",
                 ["ids", "shift", "d", "rows", "values of rows", "exact only", "windows", "divided by", "column B", "exact-only B", "ratio", "file B",
                  "--no-dedup B", "Parquet B"], lines)
    report.note("'exact only' bytes: the unique rows alone written with --no-dedup, and the group's index. Parquet: clustered, zstd-3, the better of")
    report.note("dictionary and plain. A redraw costs a whole list with windows too: with u unique lists a session, u / (1 + .08 (u-1)) is the most")
    report.note("that windows can divide by, whatever the format: 2.7 at d = .86 (u = 3.2), 5.4 at .5, 7.4 at 0.")
    long = [l for l in lines if l[0] == 512]
    worst = min(l[7] for l in long if l[2] == .86)
    report.target("512 ids, d = .86: decoded values divided by (at least 5)", worst, worst >= 5)
    most = min(l[7] for l in long if l[2] == 0)
    report.target("512 ids, a change every row: decoded values divided by (at least 5)", most, most >= 5)
    ratio = max(l[10] for l in lines)
    report.target("column bytes with windows over exact only, worst (at most 1)", ratio, ratio <= 1)
    other = max(l[11] / min(l[12], l[13]) for l in lines)
    report.target("file bytes over the smaller of --no-dedup and Parquet, worst (at most 1)", other, other <= 1)
    return report


def newest_last(tool, text):
    """The table with its lists turned round: dsictl bench keeps the last entries of a list, the generator puts the newest first."""
    path = tool.path("newest_last.jsonl")
    with open(text) as lines, open(path, "w") as out:
        for line in lines:
            row = json.loads(line)
            kept = {k: row[k] for k in ("session_id", "timestamp", "label")}
            out.write(json.dumps(kept | {n: row[n][::-1] for n in SEQUENCES}) + "\n")
    return path


def e18(tool, repeat):
    report = Report("E18: the newest X of lists of 512")
    for session, rows in ((1, tool.rows(8000)), (16.5, tool.rows(8000))):
        text, schema = tool.generate("p2", rows, "--sequence-length", 512, "--mean-session", session, "--session-law", "constant")
        schema = only(schema, lambda n: n in SEQUENCES)
        for feature in schema["features"]:
            feature.pop("newest", None)
        path, _ = tool.convert(newest_last(tool, text), schema)
        tool.forget(text)
        widths, runs = (8, 32, 128, 512), {w: [] for w in (8, 32, 128, 512)}
        for _ in range(repeat):
            for w in widths:
                runs[w].append(tool.bench(path, SEQUENCES, "padded", "--width", w, repeat=5))
        seconds = {w: float(np.median([r.seconds for r in runs[w]])) for w in widths}
        cpu = {w: float(np.median([r.cpu_seconds for r in runs[w]])) for w in widths}
        whole = runs[512][0].json
        lines = []
        for w in widths:
            j = runs[w][0].json
            lines.append([w, j["values_decoded"], j["values_decoded"] / whole["values_decoded"], j["bytes_read"],
                          j["bytes_read"] / whole["bytes_read"],
                          rows / seconds[w], seconds[512] / seconds[w], cpu[512] / cpu[w], j["output_bytes"] / rows])
        # Lists without an id space have a dictionary each.
        dictionary = sum(s["bytes"] for n in SEQUENCES for s in tool.inspect(path, "--streams", n) if s["role"] == "dictionary")
        title = "one row per owner" if session == 1 else f"sessions of {session} rows that shift by one"
        report.table(f"{title}, {rows:,} rows of two lists", ["X", "values decoded", "of 512", "bytes read", "of 512", "rows/s", "times 512's",
                                                                            "by CPU", "output B/row"], lines)
        report.note(f"{title}: {dictionary:,} bytes of what is read are dictionaries, read whole whatever X is")
        if session == 1:
            report.target("values decoded for X = 32, share of 512's (1/16 = .0625)", lines[1][2], lines[1][2] <= .08)
            report.target("values decoded for X = 128, share of 512's (1/4)", lines[2][2], lines[2][2] <= .3)
            report.target("bytes read for X = 32, share of 512's (at most 1/4)", lines[1][4], lines[1][4] <= .25)
            report.target("rows/s at X = 32 over reading 512, cutting not counted (at least 4)", lines[1][6], lines[1][6] >= 4)
            report.target("the same by CPU time (at least 4)", lines[1][7], lines[1][7] >= 4)
    report.note("Tiers begin at 32 ids: 8 costs what 32 does, but for the output. 'By CPU': of the whole process, its copy of the batches in it.")
    return report

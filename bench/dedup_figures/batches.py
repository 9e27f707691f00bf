"""E7 and E20: deduplicated batches against expanded ones."""
import statistics

import numpy as np

from report import Report
from tool import LISTS_OF_P

LENGTH = 20
SIZES = (256, 1024, 4096, 8192, 16384)


def distinct_per_row(rows_of_batch, keys):
    """Distinct lists a row, batch by batch; `keys` numbers the distinct lists."""
    return float(sum(len(np.unique(keys[i:i + rows_of_batch])) for i in range(0, len(keys), rows_of_batch)) / len(keys))


def unique_per_row(output_bytes, rows, size):
    """Unique rows a row from the bytes of IKJT batches of one list feature: per unique row its values, an offset and a presence
    byte; per row an inverse; tensors start at multiples of 64, which costs what it does on average."""
    batches = -(-rows // size)
    waste = 28 + 31.5 + 16
    return (output_bytes - 4 * rows - batches * (8 + waste)) / (8 * LENGTH + 9) / rows


def e7(tool, repeat):
    report = Report("E7: larger batches")
    rows = tool.rows(212000, 20000)
    text, schema = tool.generate("sweep", rows, "--session-law", "constant", "--list-length", LENGTH, "--duplicate-rates", "0.985")
    saturation = 16.5 / (1 + 15.5 * .015)
    for order, options in (("clustered", []), ("as logged", ["--keep-order"])):
        path, _ = tool.convert(text, schema, *options)
        lists = numbers_of_lists(tool, path, schema)
        group = tool.group_of(path)["list0"]
        lines = []
        for size in SIZES:
            runs = [tool.bench(path, ["list0"], "ikjt", "--batch-size", size, repeat=3, memory=True) for _ in range(repeat)]
            j = runs[0].json
            jagged = tool.bench(path, ["list0"], "jagged", "--batch-size", size, repeat=1).json
            unique = unique_per_row(j["output_bytes"], rows, size)
            lines.append([size, unique, distinct_per_row(size, lists), 1 / unique, j["output_bytes"] / j["batches"],
                          jagged["output_bytes"] / j["output_bytes"],
                          float(np.median([r.peak_bytes for r in runs])) / 1e6, rows / float(np.median([r.seconds for r in runs])) / 1e6])
        report.table(f"{order}: {rows:,} rows, S = 16.5, d = .985, one list of {LENGTH} ids; stored unique rows {group['unique_rows']:,}",
                     ["batch", "unique/row", "distinct/row", "factor", "IKJT bytes", "KJT over it", "peak RSS MB", "M rows/s"], lines)
        if order == "clustered":
            best = lines[-1][3]
            report.target(f"clustered, batch 16384: factor of the formula's {saturation:.2f} (at least .98)", best / saturation,
                          best >= .98 * saturation)
        else:
            report.target("as logged, batch 4096: factor (published: at most 1.15)", lines[2][3], lines[2][3] <= 1.16)
    report.note("unique/row is from the bytes of the batches, distinct/row from the data. Peak RSS is of dsictl bench, a copy of the batch in it.")
    tool.forget(text)
    return report


def numbers_of_lists(tool, path, schema):
    """A number for each distinct list, row by row."""
    values = tool.table(path, schema, ["list0"])["list0"].combine_chunks()
    values = (values.chunk(0) if hasattr(values, "chunks") else values).values.to_numpy().reshape(-1, LENGTH).astype(np.uint64)
    mixed = np.zeros(len(values), np.uint64)
    for k in range(LENGTH):
        mixed = (mixed ^ values[:, k]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(31)
    return np.unique(mixed, return_inverse=True)[1]


def e20(tool, repeat):
    report = Report("E20: bytes of a batch of 4096, deduplicated against expanded")
    lines = []
    for profile, rows, features in (("clicks", tool.rows(100000), ["user.*", "item.*", "context.*"]), ("p3", tool.rows(20000), LISTS_OF_P)):
        text, schema = tool.generate(profile, rows)
        path, _ = tool.convert(text, schema)
        sides = [("all lists", features)] + ([("user lists", ["user.*"]), ("item lists", ["item.*"])] if profile == "clicks"
                                             else [("histories", ["user_seq*"]), ("user sets", ["user_set*"])])
        for side, names in sides:
            runs = [(tool.bench(path, names, "jagged"), tool.bench(path, names, "ikjt")) for _ in range(repeat)]
            kjt, ikjt = runs[0]
            vbe = tool.bench(path, names, "vbe", repeat=3).json["output_bytes"] if "vbe" in tool.layouts else None
            k, i = kjt.json["output_bytes"], ikjt.json["output_bytes"]
            lines.append([profile, side, kjt.json["columns"], k / rows, i / rows, vbe / rows if vbe else None, k / i, k / vbe if vbe else None,
                          statistics.median(a.seconds for a, _ in runs) / statistics.median(b.seconds for _, b in runs)])
    if "vbe" not in tool.layouts:
        report.note("VBE: this dsictl bench has no layout vbe.")
    report.table("bytes a row; a KJT with int64 offsets, IKJT with one int32 inverse a group, VBE with an int64 inverse a feature",
                 ["table", "columns", "number", "KJT", "IKJT", "VBE", "KJT/IKJT", "KJT/VBE", "time KJT/IKJT"], lines)
    return report

"""Size against decode speed of every encoding, on one page of each of some columns."""
import itertools
import os
import subprocess
import sys
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

SHARED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/data/make_table.py")
PAGE_VALUES = 65_536
# Name in the picture, path in the table, type, its mark in the file's name (f: float, s: ids of the shared dictionary).
COLUMNS = [("session ids", "session_id", np.int64, "8"), ("timestamps", "timestamp", np.int64, "8"), ("labels", "label", np.uint8, "1"),
           ("item ids", "item.id", np.int64, "8s"), ("history lists", "user.hist_item", np.int64, "8s"), ("history lengths", "user.hist_item", np.uint32, "4"),
           ("item list lengths", "item.id", np.uint32, "4"), ("prices", "dense.price", np.float32, "4f"), ("made-up UUIDs", None, np.uint8, "1")]
# How a plan starts when the encoding that was asked for took the column.
STARTS = {"zstd": "compressed:zstd", "lz4": "compressed:lz4", "chosen": ""}
MARKS = dict(zip(["raw", "constant", "packed", "delta", "runs", "dictionary", "shared dictionary", "sparse", "split", "skewed",
                  "decimal", "zstd", "lz4"], "osD^v<>hdpHXx"))


def uuids(rng):
    """Text: no table here has strings, and requests are often told apart by such."""
    text = "".join(str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(PAGE_VALUES // 36 + 1))
    return np.frombuffer(text.encode(), np.uint8)


def shop_rows():
    if not os.path.exists(SHARED):
        return None
    command = [sys.executable, SHARED, "--preset", "retail", "--max-rows", str(PAGE_VALUES), "--hash-ids", "--out", "-"]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def generated(rng):
    n = PAGE_VALUES
    ids = rng.integers(0, 2**63, 4096)
    return {"session ids": np.repeat(rng.permutation(n // 16), 16), "timestamps": 1_700_000_000_000 + np.cumsum(rng.integers(0, 5000, n)),
            "labels": rng.random(n) < 0.1, "item ids": ids[(rng.pareto(1.05, n) * 8).astype(np.int64) % 4096],
            "history lists": np.resize(rng.choice(ids, (n // 512, 32)).repeat(16, 0), n), "history lengths": rng.integers(0, 51, n // 16).repeat(16),
            "item list lengths": np.ones(n), "prices": np.round(rng.lognormal(1, 1, n), 2)}


def first_rows(table):
    with open(table, "rb") as lines:
        return b"".join(itertools.islice(lines, PAGE_VALUES))


def write_columns(folder, table):
    data = first_rows(table) if table else shop_rows()
    rng = np.random.default_rng(1)
    if data is None:
        print("no shop's log beside the repository: columns are generated", file=sys.stderr)
        columns = generated(rng)
    else:
        rows = pj.read_json(pa.BufferReader(data), read_options=pj.ReadOptions(block_size=64 << 20))
        while any(pa.types.is_struct(f.type) for f in rows.schema):
            rows = rows.flatten()
        columns = {}
        for name, path, dtype, _ in COLUMNS[:-1]:
            column = rows[path]
            if pa.types.is_list(column.type):
                column = pc.list_value_length(column) if dtype == np.uint32 else pc.list_flatten(column)
            columns[name] = column.to_numpy()
    columns["made-up UUIDs"] = uuids(rng)
    for name, _, dtype, mark in COLUMNS:
        columns[name][:PAGE_VALUES].astype(dtype).tofile(os.path.join(folder, f"{name}.{mark}"))
    return "generated columns" if data is None else "columns of a shop's log" if not table else os.path.basename(table)


def draw(cases, source, path):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"svg.hashsalt": "codecs", "svg.fonttype": "none", "font.size": 9})
    figure, panels = plt.subplots(3, 3, figsize=(11, 10), sharex=True, sharey=True)
    colors = plt.get_cmap("tab20").colors
    for panel, (name, *_) in zip(panels.flat, COLUMNS):
        variants = cases[name]
        for i, (encoding, mark) in enumerate(MARKS.items()):
            v = variants.get(encoding)
            if v and v["plan"].startswith(STARTS.get(encoding, encoding)):
                panel.scatter(v["stored"], v["gb_s"], marker=mark, color=colors[(2 * i + i // 10) % 20], s=45, label=encoding)
        chosen = variants["chosen"]
        panel.scatter(chosen["stored"], chosen["gb_s"], s=190, facecolors="none", edgecolors="black", label="chosen")
        panel.set_title(f"{name}: {chosen['plan'].split('(')[0].split(' u')[0]} chosen")
        panel.set(xscale="log", yscale="log", xlim=(3e-5, 1.5))
        panel.minorticks_off()
        panel.set_yticks([0.5, 1, 2, 5, 10, 20, 50], ["0.5", "1", "2", "5", "10", "20", "50"])
        panel.grid(alpha=0.3)
    for panel in panels[-1]:
        panel.set_xlabel("bytes stored per byte of values")
    for panel in panels[:, 0]:
        panel.set_ylabel("decoding, GB/s of values")
    handles = {label: handle for panel in panels.flat for handle, label in zip(*panel.get_legend_handles_labels())}
    order = [name for name in [*MARKS, "chosen"] if name in handles]
    figure.legend([handles[name] for name in order], order, loc="lower center", ncol=9, frameon=False)
    figure.suptitle(f"Size and decode speed of the encodings: {source}, 65,536 values each, one core")
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, metadata={"Date": None})

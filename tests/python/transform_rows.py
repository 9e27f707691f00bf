"""Rows for tests of pipelines, the hashes of spec/transforms.md in plain Python, and a pipeline."""

import random

import dsi
import numpy as np

ROWS = 500
MASK = 2**64 - 1
SCHEMA = {
    "features": [
        {"name": "session", "kind": "key", "type": "int64"},
        {"name": "label", "kind": "label", "type": "int8"},
        {"name": "price", "kind": "dense", "type": "float32"},
        {"name": "share", "kind": "dense", "type": "float32"},
        {"name": "time", "kind": "timestamp", "unit": "ms"},
        {"name": "clicks", "kind": "list", "type": "int64"},
        {"name": "views", "kind": "list", "type": "int64"},
        {"name": "city", "kind": "string"},
        {"name": "topics", "kind": "weighted", "type": "int64", "weight_type": "float32"},
    ]
}


def f32(x):
    return float(np.float32(x))


def row_of(draw):
    topics = [draw.randrange(1000) for _ in range(draw.randrange(5))]
    row = {
        "session": draw.randrange(-50, 50),
        "label": draw.randrange(2),
        "price": f32(draw.choice([0, 1, 2, 2.5, 5, 10, 99])),
        "share": f32(draw.random() * 1.2 - 0.1),
        "time": 1_700_000_000_000 + draw.randrange(10**9),
        "clicks": [draw.randrange(-100, 100) for _ in range(draw.randrange(8))],
        "views": [draw.randrange(-100, 100) for _ in range(draw.randrange(8))],
        "city": draw.choice(["", "Bern", "Zürich", "a much longer name of a city"]),
        "topics": {"ids": topics, "weights": [f32(draw.random()) for _ in topics]},
    }
    for name in ("price", "clicks", "views", "city", "topics"):
        if draw.random() < 0.1:
            del row[name]
    return row


def write_table(folder):
    """The rows as Python has them, each twice, and a dataset that has them in the same order."""
    draw = random.Random(11)
    rows = [row for _ in range(ROWS // 2) for row in [row_of(draw)] * 2]
    file = folder / "rows.dsi"
    dsi.write(rows, file, SCHEMA, keep_order=True, stripe_rows=200)
    return rows, dsi.open(file)


def entries(arrays, rows):
    """Lists of a jagged column, None where one is missing."""
    ends, values = arrays.offsets.tolist(), arrays.values.tolist()
    return [values[ends[i] : ends[i + 1]] if arrays.present[i] else None for i in range(rows)]


def made(ds, pipeline, name="x", **keywords):
    """What a pipeline makes, row by row."""
    rows = []
    for batch in ds.scan([dsi.Jagged(name)], transforms=pipeline, batch_size=64, **keywords):
        rows += entries(batch.jagged(name), batch.num_rows)
    return rows


def fold(k, h):
    factor = 0x9DDFEA08EB382D69
    a = (k ^ h) * factor & MASK
    a ^= a >> 47
    b = (h ^ a) * factor & MASK
    b ^= b >> 47
    return b * factor & MASK


def mix(k):
    k &= MASK
    k = (~k + (k << 21)) & MASK
    k ^= k >> 24
    k = (k + (k << 3) + (k << 8)) & MASK
    k ^= k >> 14
    k = (k + (k << 2) + (k << 4)) & MASK
    k ^= k >> 28
    return (k + (k << 31)) & MASK


def hashed(ids, salt, most):
    h = salt & MASK
    for x in ids:
        h = fold(mix(x), h)
    return (h - 2**64 if h >= 2**63 else h) % most


def everywhere():
    return (
        dsi.Pipeline()
        .lastx("recent", "clicks", n=4)
        .sigrid_hash("recent_hashed", "recent", max=1000, salt=1)
        .sigrid_hash("session_hashed", "session", max=1000)
        .bucketize("price_bucket", "price", borders=[1, 3], side="left")
        .log1p("price_log", "price")
        .score_multiply("loud", "topics", value=2)
        .onehot("label_onehot", "label", n=2)
        .local_hour("hour", "time", unit="ms")
    )

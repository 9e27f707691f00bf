"""What the tests of the reference decoder share: its modules, and files that use all of the format.

Leaves the process with 77, which ctest reports as skipped, where a package is absent.
"""

import random
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "spec" / "reference"
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True
try:
    import encode_nodes as en
    from build_example import Builder, Col, Grp, Ids, Rows
    from dsi_nodes import DsiError
    from dsi_reference import File
except ImportError as missing:
    if missing.name not in ("zstandard", "lz4", "lz4.block", "xxhash"):
        raise
    print(f"skipped: {missing}")
    sys.exit(77)

NAN = 0x7FA00001  # A signalling NaN with a payload.


def everything(**more):
    """All kinds, all index forms, most encodings, pages of both forms, two stripes."""
    rng, n = random.Random(1), 1500
    ids = sorted(rng.sample(range(1 << 40), 300))
    columns = [
        Col("price", "dense", "float32"), Col("count", "dense", "int64", group=2),
        Col("flag", "label", "bool"), Col("clicks", "list", "uint64", group=1, id_space=0),
        Col("cart.ids", "weighted", "int64", group=1, feature="cart"),
        Col("cart.weights", "weighted", "float32", group=1, feature="cart"),
        Col("hist.item", "sequence", "int64", group=3, feature="hist", id_space=0, flags=1),
        Col("hist.time", "sequence", "int32", group=3, feature="hist", flags=1),
        Col("vector", "embedding", "float64", fixed_length=3, group=3),
        Col("session", "key", "bytes"), Col("time", "timestamp", "int64", time_unit=2),
        Col("query", "string", "bytes", group=3),
        Col("tiny", "dense", "int8", flags=4, default=0xFF)]
    lists = [rng.choices(ids, k=rng.randrange(4)) if rng.random() < 0.9 else None
             for _ in range(700)]
    index, used = [], 0
    for _ in range(n):
        v = rng.randrange(min(used, 39) + 1) if len(index) < n - 40 else min(used, 39)
        index.append(v)
        used = max(used, v + 1)
    bits = [1] + sorted([0] * (n - 600) + [1] * 599, key=lambda _: rng.random())
    histories = [rng.choices(ids, k=50) for _ in range(39)] + [[]]
    values = {
        "price": [rng.choice([None, NAN, 1 << 31, 0]) for _ in range(n)],
        "count": [rng.randrange(1 << 64) if i % 9 else None for i in range(600)],
        "flag": [rng.randrange(2) for _ in range(n)], "clicks": lists,
        "cart.ids": [x and [v & 255 for v in x] for x in lists],
        "cart.weights": [x and [v & 0x7FFFFF for v in x] for x in lists],
        "hist.item": histories, "hist.time": [list(range(len(h))) for h in histories],
        "vector": [[rng.randrange(1 << 64) for _ in range(3)] for _ in range(40)],
        "session": [b"s%d" % (i // 7) for i in range(n)],
        "time": [(1 << 60) - i * 1000 for i in range(n)],
        "query": [b"" if i % 3 else b"\xff\0" for i in range(40)],
        "tiny": [i % 256 for i in range(n)]}
    lengths = [3] * 100 + [2] * 600
    kept = ids[:-2]  # Of a dictionary; the others are literals.
    nodes = {
        "price": en.dictionary, "count": en.compressed(1), "flag": en.packed, "time": en.delta,
        "clicks": en.shared(kept), "cart.ids": en.packed, "session": en.runs,
        ("cart", "shape"): en.sparse, "hist.item": en.shared(kept, en.packed),
        "hist.time": en.compressed(2), "vector": (en.split(20, 0), "paged"),
        ("ids", 0): en.split(12, 0), ("index", 3): en.packed,
        ("index", 1): en.runs, ("index", 2): en.packed, "tiny": en.packed}
    second = {name: [None if v is None else v for v in column[:2]]
              for name, column in values.items()}
    second["clicks"] = [[], []]
    stripes = [
        Rows(n, values, [(1, 700, lengths), (2, 600, bits), (3, 40, index)], nodes, {0: kept}, 9),
        Rows(2, second, [(0, 2, ()), (0, 2, ()), (0, 2, ())], {"hist.item": en.shared(ids)},
             {0: ids}, 0, 1)]
    groups = [Grp("a"), Grp("b"), Grp("c", 2, 9)]
    return Builder(columns, stripes, groups, [Ids("item", 8)], {"k": "v"}, cluster_keys=[9],
                   sections=[(77, 0, b"abc")], tuning=2, **more), columns, stripes


def expected_rows(columns, stripes):
    for rows in stripes:
        for row in range(rows.num_rows):
            unique = {}
            for g, (form, _, index) in enumerate(((0, 0, ()),) + tuple(rows.groups)):
                if form == 1:
                    at = [k for k, length in enumerate(index) for _ in range(length)]
                unique[g] = (row if form == 0 else at[row] if form == 1 else
                             sum(index[:row + 1]) - 1 if form == 2 else index[row])
            yield {c.name: rows.columns[c.name][unique[c.group]] for c in columns}


def outcome(data):
    """The rule that refuses the bytes, or None."""
    try:
        File(data).verify()
    except DsiError as error:
        return type(error).__name__, error.rule
    return None


def editor(part, ordinal, change):
    what, _, inner = part.partition(".")

    def edit(name, value):
        if name == what:
            target = value[inner] if inner else value
            (target if ordinal is None else target[ordinal]).update(change)
        return value
    return edit

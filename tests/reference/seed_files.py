"""Small files that use, between them, all of the format: what random edits start from."""

import random
import struct
import sys
from pathlib import Path

from example_files import NAN  # First: may skip, and puts spec/reference on the path.
import encode_nodes as en
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))
import make_rules
from build_example import Alias, Builder, Col, Grp, Ids, Rows, smallest, three


def bits(number, form="<f"):
    return int.from_bytes(struct.pack(form, number), "little")


def parents():
    """Index forms 3, 4 and 5, and a group of one whose parent is of another kind."""
    groups = [(3, 3, [0, 1, 0, 1, 2, 2]), (5, 4, [0, 0, 2, 0, 0, 0]), (4, 2, [0, 1, 0]),
              (2, 3, [1, 0, 1, 0, 1, 0]), (1, 2, [4, 2])]
    columns = [Col("a", "list", "int64", group=2), Col("b", "dense", "int16", group=3),
               Col("c", "string", "bytes", group=1), Col("d", "list", "uint8", group=4),
               Col("e", "embedding", "float32", group=5, fixed_length=2)]
    rows = Rows(6, {"a": [[k, k + 1] for k in range(4)], "b": [3, None], "c": [b"x", b"", b"yz"],
                    "d": [[1, 2], [], None], "e": [[1, 2], [3, 4]]},
                groups=groups, nodes={("index", 2): en.packed, ("index", 4): en.packed})
    return Builder(columns, [rows], [Grp("g"), Grp("h", 2, 2, 1), Grp("i", 1, None, 1),
                                     Grp("", 2), Grp("j")]).bytes()


def told_by_time():
    """Index form 6 beside form 5, a time that is missing, form 4 but for a row."""
    groups = [(3, 3, [0, 1, 0, 1, 2, 0]), (6, 5, [1, 2, 1, 1, 1]), (5, 4, [0, 0, 2, 0, 0, 0]),
              (4, 2, [0, 1, 0, 4, 1])]
    columns = [Col("s", "key", "int64"), Col("t", "timestamp", "int64", time_unit=3),
               Col("a", "list", "int32", group=2), Col("b", "dense", "int16", group=3),
               Col("c", "dense", "float32", group=2), Col("d", "key", "int64", group=4),
               Col("o", "key", "int64", group=1)]
    values = {"o": [1, 2, 3], "s": [1, 1, 1, 2, 2, 3], "t": [7, 7, None, 5, 5, 2**64 - 1],
              "a": [[k, k + 1] for k in range(5)], "b": [1, 2, 3, 4], "c": [1, 2, 3, None, 5],
              "d": [8, 9]}
    rows = Rows(6, values, groups=groups, nodes={("index", 2): en.packed, "t": en.delta},
                num_sessions=3)
    return Builder(columns, [rows], [Grp("g"), Grp("h", 2, None, 1), Grp("i", 2, None, 1),
                                     Grp("j", 2, None, 1)], cluster_keys=[0, 1]).bytes()


def compressed():
    """Compressed tables, of one block and of two, and a compressed page; nodes in it and a page beside it."""
    columns = [Col(f"f{i:02}", "list", "int64") for i in range(50)] + [Col("p", "dense", "int16")]
    values = {c.name: [[i, 7], None, [i + 1]] for i, c in enumerate(columns[:-1])}
    rows = Rows(3, {**values, "p": [1, 2, 3]}, nodes={"f07": en.packed, "p": (en.raw, "paged")})
    return Builder(columns, [rows], compress=en.compressed(2)).bytes()


def windows():
    lists = [[6, 7], [5, 6, 7], None, [7, 8], [], [1, 2], [6, 7]]
    starts = [1, 0, 0, 2, 0, 4, 1]
    columns = [Col("l.i", "weighted", "int64", feature="l"),
               Col("l.w", "weighted", "float32", feature="l"),
               Col("s", "string", "bytes")]
    words = [b"abc", b"bcd", None, b"cd", b"", b"zz", b"z"]
    rows = Rows(7, {"l.i": lists, "l.w": lists, "s": words},
                windows={"l": starts, "s": [0, 1, 0, 2, 0, 4, 5]})
    return Builder(columns, [rows]).bytes()


def tiers(newest_first):
    a = list(range(1000, 1090))
    lists = [a[:70], a[3:73], None, [], [5], a[20:], a[80:]]
    starts = [0, 3, 0, 0, 73, 74, 134]
    columns = [Col(name, "sequence", kind, feature="h", tiers=3, flags=newest_first)
               for name, kind in (("h.a", "int32"), ("h.b", "int64"))]
    columns.append(Col("k", "list", "uint16", tiers=2, flags=1 - newest_first))
    rows = Rows(7, {"h.a": lists, "h.b": lists, "k": lists}, windows={"h": starts, "k": starts},
                nodes={"h.a": en.packed, "h.b": en.delta, ("tier", "h.a", 1): en.packed,
                       ("tier", "h.b", 1): en.delta, "k": en.packed, ("tier", "k", 1): en.packed})
    return Builder(columns, [rows]).bytes()


def aliases():
    columns = [Col(name, "dense", "int64", id_space=i) for i, name in enumerate("ab")]
    columns += [Col("c", "list", "int64", id_space=0), Col("d", "list", "int64", id_space=0)]
    lists = [[5, 6], [6], []]
    nodes = {"a": en.shared([5, 6]), "b": Alias("a"), ("b", "shape"): Alias(("a", "shape")),
             ("a", "shape"): en.raw, ("ids", 0): en.raw, ("ids", 1): en.raw,
             "c": (en.shared([5, 6]), "paged"), "d": Alias("c"), ("c", "shape"): en.packed,
             ("d", "shape"): Alias(("c", "shape"))}
    values = {"a": [5, 6, 9], "b": [7, 8, 9], "c": lists, "d": lists}
    return Builder(columns, [Rows(3, values, nodes=nodes, ids={0: [5, 6], 1: [7, 8]})],
                   (), [Ids("i", 8), Ids("", 8)]).bytes()


def integers():
    """Every encoding of integers, those inside of others as well."""
    rng = random.Random(5)
    values = [rng.choice([0, 1, 2, 700, 70000, 1 << 30]) + (i % 3) for i in range(20)]
    small = [v % 5 for v in values]
    columns, data, nodes = [], {}, {}

    def add(name, kind, encoder, numbers=None):
        columns.append(Col(name, "dense", kind))
        data[name], nodes[name] = numbers or values, encoder
    add("packed", "int64", en.packed)
    add("linear", "uint32", lambda v, w: en.packed(v, w, bases=False))
    add("delta", "uint32", en.delta)
    add("runs", "int8", lambda v, w: en.runs(v, w, en.packed), sorted(small))
    add("dict", "uint32", lambda v, w: en.dictionary(v, w, en.delta))
    add("sparse", "uint16", en.sparse, [7] * 17 + [1, 2, 3])
    add("split", "int64", lambda v, w: en.split(9, 0, high_width=4)(v, w))
    add("signed", "int32", en.signed_split(9, 0))
    add("halves", "uint32", en.split(16, 0))
    add("skewed", "int64", en.skewed)
    add("zstd", "uint16", en.compressed(1, en.packed), small)
    add("lz4", "uint32", en.compressed(2, en.delta))
    add("stored zstd", "uint16", en.stored(1, en.packed), small)
    add("stored lz4", "uint32", en.stored(2, en.delta))
    add("bits", "bool", en.packed, [v % 2 for v in values])
    add("constant", "uint16", lambda v, w: en.constant(v, w), [9] * 20)
    nodes["constant"] = en.constant
    return Builder(columns, [Rows(20, data, nodes=nodes)]).bytes()


def texts():
    """Floats, bytes, and dictionaries of id spaces."""
    words = [b"shoe", b"shoes", None, b"", b"the shoe", b"red shoes"] * 2
    prices = [bits(n / 4) for n in (1, 2, 3, 99, 5, 6, 7)] + [NAN, 1 << 31, bits(0.5), 0, bits(8)]
    doubles = [bits(n / 10, "<d") for n in range(11)] + [bits(1e300, "<d")]
    ids = [3, 5, 8, 13]
    lists = [[3, 5], [8], None, [], [13, 13], [3], [5], [99], [3, 8, 5], [], [5], [8]]
    columns = [Col("word", "string", "bytes"), Col("price", "dense", "float32"),
               Col("double", "label", "float64"), Col("clicks", "list", "uint64", id_space=0),
               Col("user", "key", "bytes"), Col("narrow", "list", "int32", id_space=1)]
    nodes = {"word": en.compressed(1), "price": en.decimal(2),
             "double": en.decimal(1), "clicks": en.shared(ids), ("clicks", "shape"): en.runs,
             "user": en.compressed(1), ("ids", 0): en.delta, "narrow": en.shared([1, 2], en.packed)}
    values = {"word": words, "price": prices, "double": doubles, "clicks": lists,
              "user": [b"u%d" % (i // 4) for i in range(12)], "narrow": [[1, 2]] * 12}
    rows = Rows(12, values, nodes=nodes, ids={0: ids, 1: [1, 2]})
    return Builder(columns, [rows], (), [Ids("item", 8), Ids("n", 4)]).bytes()


def kinds():
    """All kinds in two stripes, sections of all kinds, cluster keys."""
    columns = [
        Col("price", "dense", "float32"), Col("on", "label", "bool", group=1),
        Col("cart.ids", "weighted", "int64", group=1, feature="cart"),
        Col("cart.weights", "weighted", "float32", group=1, feature="cart"),
        Col("hist.item", "sequence", "int64", feature="hist", id_space=0, flags=9),
        Col("hist.time", "sequence", "int64", feature="hist", flags=1, time_unit=2),
        Col("vector", "embedding", "float64", fixed_length=3), Col("session", "key", "bytes"),
        Col("time", "timestamp", "int64", time_unit=2), Col("user.query", "string", "bytes", flags=2),
        Col("tiny", "dense", "int8", flags=4, default=0xFF), Col("one.x", "sequence", "int16",
                                                                 feature="one")]

    def rows(n, form, unique, index, **more):
        carts = [[i, i + 1] if i % 2 == 0 else None for i in range(unique)]
        histories = [list(range(i % 4)) if i % 5 else None for i in range(n)]
        values = {
            "price": [None if i % 3 == 0 else bits(i / 2) for i in range(n)],
            "on": [i % 2 for i in range(unique)], "cart.ids": carts, "cart.weights": carts,
            "hist.item": histories, "hist.time": histories,
            "vector": [[i, i + 1, i + 2] if i != 1 else None for i in range(n)],
            "session": [b"s%d" % (i // 3) for i in range(n)],
            "time": [10**12 + 1000 * i for i in range(n)],
            "user.query": [b"" if i % 2 else b"\xff\0" for i in range(n)],
            "tiny": [i for i in range(n)], "one.x": [[i] for i in range(n)]}
        return Rows(n, values, [(form, unique, index)], {"time": en.delta, "hist.item": en.shared(
            [0, 1])}, {0: [0, 1]}, **more)
    precisions = struct.pack("<IIdIId", 0, 1, 0.25, 6, 3, 0.0)
    return Builder(
        columns, [rows(6, 1, 2, [4, 2], num_sessions=2), rows(3, 2, 2, [1, 0, 1], num_sessions=0,
                                                             flags=1)],
        [Grp("cart", 1, 7)], [Ids("item", 8)], {"k": "v", "ü": "\u4e2d"}, cluster_keys=[7, 8],
        sections=[(77, 0, b"abc"), (2, 0, precisions)], tuning=2).bytes()


def paged():
    """Streams of more than one page, blocks of 1024 in lanes."""
    n = 1030
    columns = [Col("a", "dense", "uint8"), Col("b", "dense", "int16", group=1)]
    rows = Rows(n, {"a": [i % 7 for i in range(n)], "b": [1, 2]}, [(3, 2, [i // 4 % 2 for i in range(n)])],
                {"a": en.packed, ("index", 1): en.packed})
    return Builder(columns, [rows], [Grp("g")]).bytes()


def no_rows():
    return Builder([Col("x", "dense", "int64"), Col("y.z", "sequence", "int8", feature="y")],
                   []).bytes()


# Name, bytes, and how often of the whole.
def seeds():
    return [("smallest", smallest().bytes(), 2), ("three", three().bytes(), 4),
            ("no_rows", no_rows(), 1), ("parents", parents(), 8),
            ("compressed", compressed(), 4), ("told_by_time", told_by_time(), 8), ("windows", windows(), 8),
            ("tiers", tiers(0), 5), ("tiers_newest_first", tiers(1), 5), ("aliases", aliases(), 6),
            ("integers", integers(), 8), ("texts", texts(), 8), ("kinds", kinds(), 8),
            ("paged", paged(), 1), ("statistics", make_rules.statistics(), 6),
            ("string_statistics", make_rules.strings(), 4),
            ("deleted", make_rules.deleted((2, [0, 1, 0, 0, 1]), (3, None)), 3),
            ("appended", make_rules.grown(), 5),
            ("sources", make_rules.sources(spaces=(0, 1), seen=en.shared([10, 60, 90])), 6)]

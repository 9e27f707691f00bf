#!/usr/bin/env python3
"""Makes the golden files of tests/golden/valid with dsictl: one JSON Lines input, schema and .dsi each. Deterministic.

    tests/golden/make_golden.py DSICTL [FOLDER]

Before version 1.0 the files are made anew in the commit that changes the bytes, and that commit says why; afterwards files are only added.
"""
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def feature(name, kind, **more):
    return {"name": name, "kind": kind, **more}


SESSION = [feature("session_id", "key", type="int64"), feature("timestamp", "timestamp", unit="s")]
CLUSTER = ["session_id", "timestamp"]


def smallest():
    """One row, one dense feature: the file of spec/smallest.md in the writer's hand."""
    return [feature("x", "dense", type="int64")], [], [{"x": 7}], []


def no_rows():
    """A schema and no row at all."""
    return SESSION + [feature("clicks", "list", type="int64")], CLUSTER, [], []


def all_kinds():
    """Every kind, missing and empty told apart, special floats."""
    features = SESSION + [
        feature("label", "label", type="int8"), feature("price", "dense", type="float32", default=1.5),
        feature("weight", "dense", type="float64"), feature("adult", "dense", type="bool"),
        feature("clicks", "list", type="int64", id_space="item", newest="first", max_length=50), feature("scores", "list", type="float32"),
        feature("tags", "weighted", type="int64"),
        feature("history", "sequence", columns=[{"name": "item", "type": "int64", "id_space": "item"}, {"name": "time", "type": "int32"}]),
        feature("vector", "embedding", type="float32", length=4), feature("query", "string"), feature("user", "key", type="bytes")]
    rng = random.Random(1)
    rows = []
    for i in range(60):
        row = {"session_id": i // 5, "timestamp": 1000 + i * 7, "label": i % 2}
        row["price"] = rng.choice([0.5, -0.0, 1e-45, "NaN", "Infinity"])
        if i % 3:
            row["weight"] = rng.choice([0.1, -0.0, 5e-324, 1.7976931348623157e308, "-Infinity"])
        row["adult"] = i % 7 == 0
        row["clicks"] = [1 << 40] * (i // 5 % 4)
        if i % 4:
            row["scores"] = [rng.random() // 0.125 / 8 for _ in range(i % 3)]
        if i % 5:
            row["tags"] = {"ids": [9, -9], "weights": [0.25, 0.75]}
        if i % 6:
            row["history"] = {"item": list(range(i % 4)), "time": [i] * (i % 4)}
        if i % 2:
            row["vector"] = [1.0, 2.0, 3.0, float(i)]
        row["query"] = ["", "shoes", "größe \u4e2d", 'a"b\\c\n'][i % 4]
        if i % 9:
            row["user"] = f"u{i % 3}"
        rows.append(row)
    return features, CLUSTER, rows, []


def index_forms():
    """Groups in identity, run lengths, new-row bits and general form; declared groups."""
    features = SESSION + [feature("user.likes", "list", type="int64"), feature("user.age", "dense", type="int32"),
                          feature("item.id", "list", type="int64"), feature("item.words", "list", type="int32"), feature("noise", "dense", type="float64")]
    rng = random.Random(2)
    items = [(rng.getrandbits(62), [rng.randrange(500) for _ in range(6)]) for _ in range(20)]
    rows = []
    for i in range(400):
        session = i // 16
        if i % 16 == 0:
            likes = [rng.getrandbits(40) for _ in range(12)]
        item = items[min(int(rng.paretovariate(0.8)) - 1, 19)]
        rows.append({"session_id": session, "timestamp": i, "user": {"likes": likes, "age": 20 + session}, "item": {"id": [item[0]], "words": item[1]},
                     "noise": rng.random()})
    return features, CLUSTER, rows, [{"name": "user", "owner": "session_id", "features": ["user.likes", "user.age"]}]


def stripes():
    """Several stripes; a session longer than a stripe is split."""
    rows = [{"session_id": 0 if i < 90 else i // 10, "timestamp": i, "clicks": [i // 4, i // 8]} for i in range(150)]
    return SESSION + [feature("clicks", "list", type="int64")], CLUSTER, rows, []


def encodings():
    """Streams that end in many encodings: constant, packed, delta, runs, dictionary, sparse, split, compressed."""
    rng = random.Random(3)
    wide = [rng.getrandbits(64) for _ in range(12)]
    features = SESSION[1:] + [feature("constant", "dense", type="int64"), feature("small", "dense", type="int32"), feature("sorted", "dense", type="int64"),
                              feature("runs", "dense", type="int64"), feature("few", "dense", type="uint64"), feature("bit", "dense", type="bool"),
                              feature("rare", "dense", type="int64"), feature("normal", "dense", type="float32"), feature("text", "string"),
                              feature("edges", "dense", type="int64")]
    rows = []
    for i in range(300):
        rows.append({"timestamp": 1_700_000_000 + i * 3 + i % 2, "constant": -5, "small": rng.randrange(-40, 60), "sorted": i * i * 1000, "runs": (i // 50) << 40,
                     "few": rng.choice(wide), "bit": rng.random() < 0.5, "rare": 1 << 50 if i % 77 == 0 else 3, "normal": float(int(rng.gauss(0, 1) * 1024)) / 1024,
                     "text": "the same words again and again " * (i % 3), "edges": rng.choice([-(1 << 63), (1 << 63) - 1, 0])})
    return features, ["timestamp"], rows, []


def mostly_missing():
    """Many features, most rows without them."""
    rng = random.Random(4)
    features = SESSION + [feature(f"f{k:02}", "dense" if k % 2 else "list", type="int64") for k in range(40)]
    rows = []
    for i in range(80):
        row = {"session_id": i // 8, "timestamp": i}
        for k in range(40):
            if rng.random() < 0.04:
                row[f"f{k:02}"] = rng.randrange(1000) if k % 2 else [rng.randrange(1000)] * rng.randrange(3)
        rows.append(row)
    return features, CLUSTER, rows, []


def windows():
    """Users and items that come back with lists that shift: versions of owners (D-005), windows into pools (D-013),
    a list that equals another (F-061, alias), missing and empty lists between."""
    columns = [{"name": "item", "type": "int64"}, {"name": "time", "type": "int32"}]
    features = SESSION + [
        feature("user.id", "key", type="int64"), feature("user.history", "sequence", columns=columns), feature("user.seen", "list", type="int64"),
        feature("item.id", "key", type="int64"), feature("item.views", "dense", type="int64"),
        feature("item.viewers", "list", type="int32", newest="first"), feature("item.buyers", "list", type="int32", newest="last"),
        feature("item.scores", "weighted", type="int64")]
    rng = random.Random(5)
    history = {100 + u: [] for u in range(3)}
    items = [{"id": rng.getrandbits(16), "views": 0, "viewers": None, "buyers": [], "scores": []} for _ in range(16)]
    rows = []
    for i in range(1000):
        if i % 14 == 0:
            user = rng.choice(list(history))
        item = rng.choice(items)
        row = {"session_id": i // 14, "timestamp": 1000 + i * 3, "user": {"id": user}, "item": {"id": item["id"], "views": item["views"], "buyers": item["buyers"]}}
        if i % 31:
            row["user"]["history"] = {name: [event[k] for event in history[user]] for k, name in enumerate(("item", "time"))}
            row["user"]["seen"] = row["user"]["history"]["item"]
        if item["viewers"] is not None:
            row["item"]["viewers"] = item["viewers"]
        if i % 53:
            row["item"]["scores"] = {"ids": [event[0] for event in item["scores"]], "weights": [event[1] for event in item["scores"]]}
        rows.append(row)
        history[user] = (history[user] + [(item["id"], i * 3)])[-8:]
        item["views"] += 1
        item["viewers"] = ([rng.randrange(4096)] + (item["viewers"] or []))[:8]
        item["buyers"] = [] if i % 97 == 5 else (item["buyers"] + [rng.randrange(4096)])[-9:]
        item["scores"] = (item["scores"] + [(rng.randrange(4096), rng.randrange(64) / 64)])[-8:]
    return features, CLUSTER, rows, []


def tiers():
    """Long lists, whose older entries stand in tiers (D-014): one row each, and one that shifts, newest first."""
    rng = random.Random(14)
    features = [feature("id", "key"), feature("long", "list"),
                feature("seq", "sequence", newest="first", columns=[{"name": "a", "type": "int32"}, {"name": "b", "type": "uint8"}])]
    rows, seq = [], [(rng.randrange(500), rng.randrange(3)) for _ in range(200)]
    for i in range(60):
        rows.append({"id": i, "long": [] if i % 9 == 4 else [rng.randrange(100) for _ in range(rng.choice([5, 40, 260]))],
                     "seq": {"a": [a for a, b in seq], "b": [b for a, b in seq]}})
        seq = [(rng.randrange(500), rng.randrange(3)) for _ in range(i % 4)] + seq[:200 - i % 4]
        if i == 30:
            seq = [(rng.randrange(500), rng.randrange(3)) for _ in range(250)]
    return features, [], rows, []


def decimals():
    """Floats that are decimals (E-120), with exceptions among them, and random identifiers as text."""
    rng = random.Random(15)
    features = [feature("id", "key"), feature("price", "dense", type="float64"), feature("rate", "dense", type="float32"),
                feature("scores", "list", type="float32"), feature("token", "string")]
    rows = []
    for i in range(400):
        rows.append({"id": i, "price": rng.randrange(-500, 90000) / 100, "rate": "NaN" if i % 41 == 7 else -0.0 if i % 67 == 9 else rng.randrange(100000) / 10000,
                     "scores": [rng.randrange(3000) / 8 if i % 50 else 1e-30 for _ in range(i % 4)],
                     "token": "tok_" + "".join(rng.choice("0123456789abcdef") for _ in range(32))})
    return features, [], rows, []


def rounded():
    """Floats rounded as declared (S-014): fp16, bf16 and int8, with NaN, infinities and both zeros among them."""
    rng = random.Random(16)
    special = ["NaN", "Infinity", "-Infinity", -0.0, 0.0, 65504, 5.9604644775390625e-08]
    features = [feature("id", "key"), feature("half", "dense", type="float32", precision="fp16"),
                feature("vector", "embedding", type="float32", length=6, precision="bf16"),
                feature("scores", "list", type="float64", precision="int8"), feature("tags", "weighted", precision="fp16"),
                feature("history", "sequence", columns=[{"name": "item", "type": "int64"}, {"name": "dwell", "type": "float32", "precision": "int8"}])]
    rows = []
    for i in range(120):
        items = [rng.randrange(50) for _ in range(i % 4)]
        rows.append({"id": i, "half": rng.choice(special) if i % 9 == 0 else rng.gauss(0, 100), "vector": [rng.gauss(0, 1) for _ in range(6)],
                     "scores": [rng.random() * 4 - 2 for _ in range(i % 3)], "tags": {"ids": items, "weights": [rng.random() for _ in items]},
                     "history": {"item": items, "dwell": [rng.expovariate(0.1) for _ in items]}})
    return features, [], rows, []


def skewed():
    """Ids by frequency, a few of which are most of all: classes of their own bit widths (E-110)."""
    rng = random.Random(17)
    features = [feature("id", "key"), feature("item", "dense", type="int64"), feature("words", "list", type="int32"), feature("code", "dense", type="uint16")]
    rows = []
    for i in range(700):
        ids = [min(int(rng.paretovariate(0.7)), 60000) for _ in range(2 + i % 3)]
        rows.append({"id": i, "item": ids[0], "words": ids[2:], "code": ids[1]})
    return features, [], rows, []


def sources():
    """Lists of which one is part of another (F-066): stored as places in its values, with an id space and without."""
    rng = random.Random(18)
    features = [feature("id", "key"), feature("seen", "list", type="int64"), feature("liked", "list", type="int64"), feature("bought", "list", type="int64"),
                feature("words", "list", type="int32", id_space="word"), feature("title", "list", type="int32", id_space="word")]
    rows = []
    for i in range(700):
        seen, words = [rng.getrandbits(50) | 1 for _ in range(i % 9)], [rng.randrange(3000) for _ in range(i % 7)]
        row = {"id": i, "seen": seen, "liked": [v for v in seen if rng.random() < 0.95] if i % 50 else [2], "bought": seen[1:] if i % 11 else [], "words": words}
        if i % 8:
            row["title"] = words if i % 6 else words[:-1]
        rows.append(row)
    return features, [], rows, []


def hashed():
    """Texts that are stored as ids (S-015), in each kind and type that may be hashed, and ids that are given as numbers."""
    rng = random.Random(19)
    words = ["", "a", "Zürich", "a word of more than sixteen bytes", "x" * 300] + [f"item-{k:05}" for k in range(40)]
    features = [feature("id", "key"), feature("tags", "list", type="int64", hashed=True), feature("one", "list", type="uint32", hashed=True),
                feature("topics", "weighted", type="uint64", hashed=True), feature("country", "list", type="int32", hashed=True, max_length=1),
                feature("history", "sequence", columns=[{"name": "item", "type": "int64", "hashed": True, "id_space": "item"}, {"name": "time", "type": "int32"}])]
    rows = []
    for i in range(300):
        items = [rng.choice(words) for _ in range(i % 4)]
        row = {"id": i, "tags": [rng.choice(words) for _ in range(i % 3)], "one": rng.choice(words), "topics": {"ids": items, "weights": [0.5] * len(items)},
               "history": {"item": items, "time": [i + k for k in range(len(items))]}}
        if i % 5:
            row["country"] = rng.choice(["CH", "DE", "FR"]) if i % 7 else [17]
        if i % 11 == 3:
            row["tags"] = [4, 5, 6]
        rows.append(row)
    return features, [], rows, []


FILES = {"smallest": (smallest, []), "no_rows": (no_rows, []), "all_kinds": (all_kinds, ["--keep-position"]), "index_forms": (index_forms, []),
         "stripes": (stripes, ["--stripe-rows", "40"]), "encodings": (encodings, []), "mostly_missing": (mostly_missing, []),
         "windows": (windows, ["--stripe-rows", "700"]), "tiers": (tiers, []),
         "decimals": (decimals, []), "rounded": (rounded, []), "skewed": (skewed, []), "sources": (sources, []), "hashed": (hashed, [])}


def main():
    dsictl, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "valid")
    os.makedirs(folder, exist_ok=True)
    for name, (make, options) in FILES.items():
        features, cluster, rows, groups = make()
        base = os.path.join(folder, name)
        with open(base + ".schema.json", "w") as f:
            json.dump({"features": features, "cluster_by": cluster, "groups": groups, "metadata": {"why": make.__doc__}}, f, indent=1)
        with open(base + ".input.jsonl", "w") as f:
            for row in rows:
                f.write(json.dumps(row, ensure_ascii=False) + "\n")
        subprocess.run([dsictl, "convert", base + ".input.jsonl", base + ".dsi", "--schema", base + ".schema.json", "--force", "--quiet", *options], check=True)
        subprocess.run([dsictl, "convert", base + ".dsi", base + ".rows.jsonl", "--force", "--quiet"], check=True)


if __name__ == "__main__":
    main()

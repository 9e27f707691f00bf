"""Tables of every kind and type, made up: the schema, rows as dicts, and what columns they are."""

import math
import random
import struct

INTEGERS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 2**8 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
NUMBERS = [*INTEGERS, "float32", "float64", "bool"]


def number(rng, kind):
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "float32":
        return struct.unpack("f", struct.pack("f", rng.gauss(0, 100)))[0]
    if kind == "float64":
        return rng.choice([rng.gauss(0, 1), math.inf, -0.0, 5e-324, 1e308])
    low, high = INTEGERS[kind]
    return rng.choice([low, high, 0, 1, rng.randint(low, high), rng.randint(low, high)])


def text(rng):
    return "".join(rng.choices('abcäöü€😀 \n"\\', k=rng.choice([0, 1, 3, 12, 40])))


def all_features():
    """One feature of each kind and type that there is."""
    made = []
    for kind in NUMBERS:
        made.append({"name": f"dense.{kind}", "kind": "dense", "type": kind})
        made.append({"name": f"label_{kind}", "kind": "label", "type": kind})
        if kind != "bool":
            made.append({"name": f"list.{kind}", "kind": "list", "type": kind})
        if kind in INTEGERS:
            made.append({"name": f"key_{kind}", "kind": "key", "type": kind})
    made.append({"name": "key_bytes", "kind": "key", "type": "bytes"})
    made.append({"name": "text", "kind": "string"})
    for unit in ("s", "ms", "us", "ns"):
        made.append({"name": f"time_{unit}", "kind": "timestamp", "unit": unit})
    made.append({"name": "topics", "kind": "weighted", "type": "int64"})
    made.append({"name": "deep.topics", "kind": "weighted", "type": "uint32"})
    made.append(
        {
            "name": "user.history",
            "kind": "sequence",
            "columns": [
                {"name": "item", "type": "int64"},
                {"name": "time", "type": "int32"},
                {"name": "price", "type": "float32"},
            ],
        }
    )
    for kind in ("float32", "float64"):
        made.append({"name": f"vector_{kind}", "kind": "embedding", "type": kind, "length": 3})
    return made


def value(rng, feature):
    """A value as a row has it: a number, a text, a list, or a dict of lists."""
    kind = feature["kind"]
    if kind == "timestamp":
        return rng.randint(-(10**9), 2 * 10**9)
    if kind == "string" or feature.get("type") == "bytes":
        return text(rng)
    if kind == "embedding":
        return [number(rng, feature["type"]) for _ in range(feature["length"])]
    if kind in ("dense", "label", "key"):
        return number(rng, feature["type"])
    length = rng.choice([0, 0, 1, 2, 3, 7, 30])
    if kind == "list":
        return [number(rng, feature["type"]) for _ in range(length)]
    if kind == "weighted":
        return {
            "ids": [number(rng, feature["type"]) for _ in range(length)],
            "weights": [number(rng, "float32") for _ in range(length)],
        }
    return {
        column["name"]: [number(rng, column["type"]) for _ in range(length)]
        for column in feature["columns"]
    }


def make(seed, rows, features=None):
    """A schema and rows by dotted name: {"user.history.item": [...], "dense.int8": 3}."""
    rng = random.Random(seed)
    features = features or all_features()
    missing = {feature["name"]: rng.choice([0, 0.1, 0.7, 1]) for feature in features}
    repeats = {feature["name"]: rng.choice([0, 0.8]) for feature in features}
    last = {}
    table = []
    for _ in range(rows):
        row = {}
        for feature in features:
            name = feature["name"]
            if rng.random() < missing[name]:
                continue
            if name not in last or rng.random() >= repeats[name]:
                last[name] = value(rng, feature)
            if isinstance(last[name], dict):
                row |= {f"{name}.{column}": items for column, items in last[name].items()}
            else:
                row[name] = last[name]
        table.append(row)
    return {"features": features}, table


def columns_of(schema):
    """Names of all columns, and their types."""
    made = {}
    for feature in schema["features"]:
        name = feature["name"]
        if feature["kind"] == "weighted":
            made[f"{name}.ids"], made[f"{name}.weights"] = feature["type"], "float32"
        elif feature["kind"] == "sequence":
            made |= {f"{name}.{c['name']}": c["type"] for c in feature["columns"]}
        else:
            made[name] = feature.get("type", "int64")
    return made


def nested(row):
    """The row with dicts in dicts instead of dotted names."""
    made = {}
    for name, item in row.items():
        *path, last = name.split(".")
        inner = made
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = item
    return made

"""Loads JSON Lines into one Arrow table with flat dotted names; all formats get its types."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

ARROW_TYPES = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
}
DSI_TYPES = {str(v): k for k, v in ARROW_TYPES.items()} | {"float": "float32", "double": "float64"}


def explicit_schema(spec):
    """Arrow schema of flat, one-column features of a dsi schema; None where there are others."""
    fields = []
    for f in spec["features"]:
        if (
            "." in f["name"]
            or f["kind"] not in ("dense", "list", "label", "key", "timestamp")
            or f.get("type", "int64") not in ARROW_TYPES
        ):
            return None
        t = ARROW_TYPES[f.get("type", "int64")]
        fields.append(pa.field(f["name"], pa.list_(t) if f["kind"] == "list" else t))
    return pa.schema(fields)


def flatten(table):
    while any(pa.types.is_struct(f.type) for f in table.schema):
        table = table.flatten()
    return table


def without_others(table):
    """The table without the columns that this comparison does not know, which are told."""
    left_out = []
    for field in table.schema:
        values = field.type.value_type if pa.types.is_list(field.type) else field.type
        # Arrow packs bools to bits; a list of them would begin within a byte.
        if str(values) not in DSI_TYPES or (
            values is not field.type and pa.types.is_boolean(values)
        ):
            left_out.append(f"{field.name} ({field.type})")
            table = table.drop_columns(field.name)
    if left_out:
        print(f"left out, no numbers or lists of them: {', '.join(left_out)}", file=sys.stderr)
    return table


def load(source, spec):
    """source: a path, or a command whose standard output is JSON Lines."""
    options = pj.ParseOptions(
        explicit_schema=explicit_schema(spec) if spec else None, unexpected_field_behavior="infer"
    )
    read = pj.ReadOptions(block_size=64 << 20, use_threads=True)
    if isinstance(source, list):
        process = subprocess.Popen(source, stdout=subprocess.PIPE)
        table = pj.read_json(process.stdout, read_options=read, parse_options=options)
        if process.wait() != 0:
            raise SystemExit(f"{source[0]} failed")
    else:
        table = pj.read_json(source, read_options=read, parse_options=options)
    table = flatten(table)
    for i, field in enumerate(table.schema):  # A list that was always empty has no type of its own.
        if pa.types.is_list(field.type) and pa.types.is_null(field.type.value_type):
            table = table.set_column(i, field.name, table.column(i).cast(pa.list_(pa.int64())))
    return without_others(table).combine_chunks()


def found_schema(dsictl, path):
    """What dsictl finds in a text: which columns are keys, labels, the time."""
    return json.loads(
        subprocess.run(
            [dsictl, "schema", path, "--infer-rows", "10000", "--quiet"],
            capture_output=True,
            check=True,
        ).stdout
    )


def time_of(spec):
    """The only timestamp, if there is one."""
    times = [f["name"] for f in spec["features"] if f["kind"] == "timestamp"]
    return times[0] if len(times) == 1 else None


def dsi_schema(table, spec, session, time):
    """The schema dsi writes with: as given or found, with the Arrow types; clustering as asked."""
    known = {f["name"]: f for f in spec["features"]}
    if explicit_schema(spec) is not None:
        features = [known[name] for name in table.column_names]
    else:
        features = []
        for field in table.schema:
            kind = known.get(field.name, {}).get("kind")
            if pa.types.is_list(field.type):
                features.append(
                    {
                        "name": field.name,
                        "kind": "list",
                        "type": DSI_TYPES[str(field.type.value_type)],
                    }
                )
            elif field.name == time:
                features.append(
                    {
                        "name": field.name,
                        "kind": "timestamp",
                        "type": "int64",
                        "unit": known.get(field.name, {}).get("unit", "s"),
                    }
                )
            elif field.name == session:
                features.append(
                    {"name": field.name, "kind": "key", "type": DSI_TYPES[str(field.type)]}
                )
            else:
                features.append(
                    {
                        "name": field.name,
                        "kind": kind if kind in ("key", "label") else "dense",
                        "type": DSI_TYPES[str(field.type)],
                    }
                )
    out = {"features": features, "cluster_by": [k for k in (session, time) if k]}
    if "groups" in spec:
        there = set(table.column_names)
        out["groups"] = [g for g in spec["groups"] if there.issuperset(g["features"])]
    if "metadata" in spec:
        out["metadata"] = spec["metadata"]
    return json.dumps(out)


def clustered_order(table, session, time):
    """The order dsi gives rows: sessions by first time, rows by time; then both by position."""
    sessions = table.column(session).to_numpy()
    n = len(sessions)
    times = table.column(time).to_numpy() if time else np.zeros(n, np.int64)
    _, group = np.unique(sessions, return_inverse=True)
    first_time = np.full(group.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(first_time, group, times)
    first_row = np.full(group.max() + 1, n)
    np.minimum.at(first_row, group, np.arange(n))
    return np.lexsort((np.arange(n), times, first_row[group], first_time[group]))


def lengths_of(table, name):
    return pc.fill_null(pc.list_value_length(table.column(name)), 0).to_numpy()


def is_list(table, name):
    return pa.types.is_list(table.schema.field(name).type)

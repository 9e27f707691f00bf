"""What differs between two datasets."""

import random

import dsi
import numpy as np
import pytest

SCHEMA = {
    "features": [
        {"name": "id", "kind": "key", "type": "int64"},
        {"name": "label", "kind": "label", "type": "int8"},
        {"name": "price", "kind": "dense", "type": "float32"},
        {"name": "clicks", "kind": "list", "type": "int64"},
    ]
}


def rows(count=500):
    draw = random.Random(1)
    return [
        {"id": i, "label": i % 3, "price": draw.random(), "clicks": [draw.randrange(9)] * (i % 4)}
        for i in range(count)
    ]


def write(path, data, schema=SCHEMA):
    dsi.write(data, path, schema, keep_order=True, stripe_rows=100)
    return path


def by_name(found):
    return {column.name: column for column in found.columns}


def test_the_same_however_it_is_stored(tmp_path):
    whole = write(tmp_path / "whole.dsi", rows())
    parts = tmp_path / "parts"
    parts.mkdir()
    for part in range(3):
        write(parts / f"{part}.dsi", rows()[part * 200 : (part + 1) * 200])
    found = dsi.compare(whole, dsi.open(parts))
    assert found.is_same and found.has_same_rows and found.has_same_columns
    assert (found.num_rows_a, found.num_rows_b, found.num_compared) == (500, 500, 500)
    assert (found.only_a, found.only_b, found.num_differing) == (0, 0, 0)
    assert found.first_only_a is None
    assert repr(found) == (
        "dsi.Comparison(the same: 500 and 500 rows, 0 of 500 compared rows differ)"
    )


def test_what_changed_is_told(tmp_path):
    changed = rows()
    changed[7]["clicks"] = [1, 2]
    changed[9]["clicks"] = None
    changed[9]["label"] = 2 - changed[9]["label"]
    a, b = write(tmp_path / "a.dsi", rows()), write(tmp_path / "b.dsi", changed)
    found = dsi.compare(a, b)
    assert not found.is_same and found.num_differing == 2
    columns = by_name(found)
    assert columns["clicks"].num_differing == 2 and columns["clicks"].first == (7, 7)
    assert columns["label"].first == (9, 9) and not columns["label"].has_same_values
    assert columns["price"].num_differing == 0 and columns["price"].first is None
    assert (found.only_a, found.first_only_a) == (2, 7)
    assert dsi.compare(a, b, features=["price", "id"]).is_same
    assert dsi.compare(a, b, where=("id", ">", 9)).is_same
    assert dsi.compare(a, b, where=[("id", ">=", 9)]).num_differing == 1
    assert repr(columns["clicks"]) == "dsi.ComparedColumn(clicks: 2 rows differ)"


def test_rows_are_found_by_their_key(tmp_path):
    moved = rows()
    random.Random(2).shuffle(moved)
    gone = moved.pop(3)
    changed = next(row for row in moved if row["id"] == 44)
    changed["price"] = -1.0
    a, b = write(tmp_path / "a.dsi", rows()), write(tmp_path / "b.dsi", moved)
    by_place = dsi.compare(a, b)
    assert by_place.num_differing > 400 and not by_place.has_same_rows
    assert (by_place.only_a, by_place.only_b) == (2, 1)
    found = dsi.compare(a, b, key="id")
    assert (found.num_compared, found.num_differing) == (499, 1)
    assert by_name(found)["price"].first == (44, moved.index(changed))
    assert (found.only_a, found.first_only_a, found.only_b) == (1, gone["id"], 0)
    del moved[moved.index(changed)]
    a = write(tmp_path / "a2.dsi", [row for row in rows() if row["id"] not in (44, gone["id"])])
    b = write(tmp_path / "b2.dsi", moved)
    assert dsi.compare(a, b, key=["id"]).is_same
    unordered = dsi.compare(a, b)
    assert not unordered.is_same and unordered.has_same_rows


def test_schemas(tmp_path):
    other = {"features": [dict(feature) for feature in SCHEMA["features"]]}
    other["features"][1]["type"] = "int32"
    other["features"][2] = {"name": "price", "kind": "string"}
    other["features"][3] = {"name": "views", "kind": "list", "type": "int64"}
    data = [{"id": r["id"], "label": r["label"], "price": "x", "views": []} for r in rows()]
    a, b = write(tmp_path / "a.dsi", rows()), write(tmp_path / "b.dsi", data, other)
    found = dsi.compare(a, b)
    assert not found.is_same and not found.has_same_columns and found.num_differing == 0
    columns = by_name(found)
    assert list(columns) == ["id", "label", "price", "clicks", "views"]
    assert columns["label"].changes == ["type"] and columns["label"].not_compared is None
    assert (columns["label"].a.type, columns["label"].b.type) == ("int8", "int32")
    assert columns["price"].not_compared == "column price: A has numbers, B strings"
    assert columns["clicks"].b is None and columns["views"].a is None
    assert columns["views"].not_compared == "A has no column views"
    assert dsi.compare(a, b, features="id").is_same


def test_errors(tmp_path):
    a = write(tmp_path / "a.dsi", rows())
    with pytest.raises(dsi.NotFound, match=r"did you mean .*label"):
        dsi.compare(a, a, features="lable")
    with pytest.raises(dsi.NotFound, match="neither has a feature user"):
        dsi.compare(a, a, key="user")
    with pytest.raises(dsi.Cancelled):
        dsi.compare(a, a, progress=lambda *now: False)
    moved = write(tmp_path / "m.dsi", rows()[::-1])
    with pytest.raises(dsi.ResourceExhausted):
        dsi.compare(a, moved, key="id", memory_bytes=1000)
    unknown = dsi.compare(a, moved, memory_bytes=1000)
    assert unknown.only_a is None and unknown.first_only_a is None and unknown.has_same_rows
    told = []
    dsi.compare(a, a, progress=lambda *now: told.append(now))
    assert told[-1] == ("read", 1000, 1000)


def test_values_of_all_types_are_held_against_each_other(tmp_path):
    values = np.arange(300) % 100
    paths = []
    for kind in ("int8", "uint16", "int64", "uint64", "float32", "float64"):
        schema = {"features": [{"name": "x", "kind": "list", "type": kind}]}
        data = [{"x": [int(value)]} for value in values]
        paths.append(write(tmp_path / f"{kind}.dsi", data, schema))
    for path in paths:
        assert dsi.compare(paths[0], path).num_differing == 0

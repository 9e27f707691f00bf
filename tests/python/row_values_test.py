"""Values of rows, held against what `dsictl convert` makes of the same rows as JSON."""

import json
from decimal import Decimal

import dsi
import numpy
import pandas
import pyarrow
import pytest

SCHEMA = {
    "features": [
        {"name": "id", "kind": "key", "type": "int64"},
        {"name": "m", "kind": "weighted", "type": "int64"},
        {"name": "h", "kind": "list", "type": "int64", "hashed": True},
        {"name": "f", "kind": "list", "type": "float32"},
        {"name": "x", "kind": "dense", "type": "float32"},
        {"name": "at", "kind": "timestamp", "type": "int64", "unit": "ms"},
        {"name": "ats", "kind": "list", "type": "int64", "unit": "ms"},
    ]
}


def by_rows(tmp_path, rows, null_entries):
    out = tmp_path / "rows.dsi"
    dsi.write(rows, out, SCHEMA, overwrite=True, null_entries=null_entries)
    return pyarrow.table(dsi.open(out)).to_pylist()


def by_json(tmp_path, dsictl, rows, null_entries):
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    out = tmp_path / "json.dsi"
    options = ("--schema", tmp_path / "schema.json", "--null-entries", null_entries)
    dsictl("convert", tmp_path / "rows.jsonl", out, *options, "--force", "-q")
    return pyarrow.table(dsi.open(out)).to_pylist()


@pytest.mark.parametrize("null_entries", ["fail", "drop", "fill"])
@pytest.mark.parametrize(
    "row",
    [
        {"m": {"7": None}},
        {"m": {"ids": None, "weights": None}},
        {"m": {"7": None, "8": 0.5}},
        {"m": {"7": 0.5}},
        {"m": {}},
        {"h": [None]},
        {"h": ["a", None]},
        {"h": [None, 5]},
        {"h": []},
        {"f": [0.5, 16777217]},
        {"f": [0.5, 16777216]},
        {"f": [16777217]},
        {"f": [0.1, None]},
        {"x": 16777217},
        {"at": "2024-05-01T12:30:00.25Z"},
        {"at": "2024-05-01"},
        {"at": "2024-05-01T12:30:00.0001Z"},
        {"at": "yesterday"},
        {"x": "1.5"},
        {"ats": ["2024-05-01 12:30", 7]},
    ],
)
def test_rows_are_taken_as_json_is(tmp_path, dsictl, row, null_entries):
    rows = [{"id": 1, **row}]
    made, expected = [], []
    for found, read in (
        (made, lambda: by_rows(tmp_path, rows, null_entries)),
        (expected, lambda: by_json(tmp_path, dsictl, rows, null_entries)),
    ):
        try:
            found.append(repr(read()))
        except Exception as error:
            found.append(
                "refused" if "dsictl" in str(error) or isinstance(error, dsi.Error) else error
            )
    assert made == expected


@pytest.mark.parametrize("missing", [None, pandas.NA, pandas.NaT, numpy.datetime64("NaT")])
def test_what_frames_say_for_none(tmp_path, missing):
    rows = [{"id": 1, "x": missing, "at": missing, "f": [0.5, missing], "h": [missing, "a"]}]
    (made,) = by_rows(tmp_path, rows, "drop")
    assert (made["x"], made["at"], made["f"], len(made["h"])) == (None, None, [0.5], 1)


def test_records_of_a_frame(tmp_path):
    frame = pandas.DataFrame({"id": [1, 2], "at": pandas.to_datetime(["2024-05-01", None])})
    made = by_rows(tmp_path, frame.to_dict("records"), "fail")
    assert [row["at"] is None for row in made] == [False, True]


@pytest.mark.parametrize("number", [Decimal(16777217), Decimal("1e400"), numpy.int64(16777217)])
def test_numbers_that_floats_would_change(tmp_path, number):
    with pytest.raises((dsi.OutOfRange, dsi.BadInput)):
        by_rows(tmp_path, [{"id": 1, "x": number}], "fail")


# Beside fractions, where an array of them all is one of floats.
@pytest.mark.parametrize(
    "columns",
    [
        {"x": [0.5, 16777217]},
        {"x": [0.5, None, -16777217]},
        {"x": [0.5, numpy.int64(16777217)]},
        {"x": (0.5, 16777217, 3)},
        {"x": numpy.array([0.5, 16777217], dtype=object)},
        {"x": pandas.Series([0.5, 16777217], dtype=object)},
        {"f": [[0.5], [], [16777217]]},
        {"f": [numpy.array([0.5]), numpy.array([1, 16777217])]},
        {"w.weights": [[0.5, 16777217]], "w.ids": [[1, 2]]},
        {"w": [{"ids": [1, 2], "weights": [0.5, 16777217]}]},
        {"s": [[{"p": 0.5, "q": 1}, {"p": 16777217, "q": 1}]]},
        {"e": [[0.5, 16777217]]},
        {"x": [0.5, 16777216, 16777218, 2**40, -(2**63)]},
        {"x": [0.5, 16777217.0]},
        {"x": [0.5, True, numpy.float64(16777217)]},
        {"f": [numpy.array([16777217.0]), numpy.array([3])]},
        {"x": [0.5], "d": [16777217]},
        {"s": [[{"p": 0.5, "q": 16777217}, {"p": 2, "q": 0.5}]]},
    ],
    ids=str,
)
def test_columns_of_python_are_taken_as_rows_are(tmp_path, columns):
    schema = {
        "features": [
            {"name": "x", "kind": "dense", "type": "float32"},
            {"name": "d", "kind": "dense", "type": "float64"},
            {"name": "f", "kind": "list", "type": "float32"},
            {"name": "e", "kind": "embedding", "type": "float32", "length": 2},
            {"name": "w", "kind": "weighted", "type": "int64"},
            {
                "name": "s",
                "kind": "sequence",
                "columns": [{"name": "p", "type": "float32"}, {"name": "q", "type": "float64"}],
            },
        ]
    }
    names = [name.replace("w.", "w_") for name in columns]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for row in rows:
        if "w_ids" in row:
            row["w"] = {"ids": row.pop("w_ids"), "weights": row.pop("w_weights")}
    made = []
    for i, data in enumerate((columns, rows)):
        try:
            dsi.write(data, tmp_path / f"{i}.dsi", schema)
            made.append(pyarrow.table(dsi.open(tmp_path / f"{i}.dsi")).to_pylist())
        except dsi.OutOfRange as error:
            made.append(f"refused {type(error)}")
    assert made[0] == made[1]


def test_a_column_that_float32_would_round_is_named(tmp_path):
    with pytest.raises(dsi.OutOfRange, match=r'^column "x", row 1: found 16777217, .* float64'):
        dsi.write({"x": [0.5, 16777217], "id": [1, 2]}, tmp_path / "a.dsi", SCHEMA)
    with pytest.raises(dsi.OutOfRange, match=r'^column "f": found 16777217, .* float64'):
        dsi.write({"f": ([0.5, 16777217], [0, 2]), "id": [1]}, tmp_path / "a.dsi", SCHEMA)


def test_a_text_for_a_number_is_told(tmp_path):
    with pytest.raises(dsi.BadInput, match='"x" is of type str, expected a number'):
        by_rows(tmp_path, [{"id": 1, "x": "red"}], "fail")


def test_floats_of_numpy_are_floats(tmp_path):
    given = [numpy.float32(-1e19), numpy.float32(-0.0), numpy.float16(-0.0), numpy.float32(3)]
    rows = [{"id": i, "x": x, "f": [x, numpy.float32(1e19)]} for i, x in enumerate(given)]
    made = by_rows(tmp_path, rows, "fail")
    assert [str(row["x"]) for row in made] == [str(float(x)) for x in given]
    assert [row["f"] for row in made] == [[float(x), float(numpy.float32(1e19))] for x in given]

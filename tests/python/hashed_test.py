"""Lists of strings become ids (spec S-015), whatever they come from."""

from __future__ import annotations

import dsi
import numpy
import pandas
import pytest

pyarrow = pytest.importorskip("pyarrow")

ROWS = [["red", "", "Zürich"], [], None, ["red"] * 3]
IDS = [None if row is None else [dsi.id_of_text(text) for text in row] for row in ROWS]


def stored(path, name="tags"):
    return dsi.open(path).to_arrow()[name].to_pylist()


def written(tmp_path, data, **how):
    path = tmp_path / "a.dsi"
    if "schema" in how:
        dsi.write(data, path, overwrite=True, **how)
    else:
        with pytest.warns(UserWarning, match="^tags: lists of strings are stored as ids"):
            dsi.write(data, path, overwrite=True, **how)
    return path


def test_ids_are_the_low_bits_of_xxh3():
    assert dsi.id_of_text("x", "uint64") == 0xEAF06C6480B2CD11
    assert dsi.id_of_text(b"x") == 0x6AF06C6480B2CD11
    assert dsi.id_of_text("x", "uint32") == 0x80B2CD11
    assert dsi.id_of_text("x", type="int32") == 0x00B2CD11
    assert dsi.id_of_text("") == 0x2D06800538D394C2
    for name in ("int16", "float32", "bytes", "int"):
        with pytest.raises(dsi.InvalidArgument, match=f"found '{name}', expected int64"):
            dsi.id_of_text("x", name)
    with pytest.raises(TypeError):
        dsi.id_of_text(3)


@pytest.mark.parametrize(
    "data",
    [
        [{} if row is None else {"tags": row} for row in ROWS],
        [{"tags": None if row is None else tuple(row)} for row in ROWS],
        [{"tags": None if row is None else numpy.array(row, object)} for row in ROWS],
        {"tags": ROWS},
        {"tags": [None if row is None else numpy.array(row, "U") for row in ROWS]},
        {"tags": [None if row is None else [text.encode() for text in row] for row in ROWS]},
        pandas.DataFrame({"tags": ROWS}),
        pyarrow.table({"tags": ROWS}),
        pyarrow.table({"tags": pyarrow.array(ROWS, pyarrow.large_list(pyarrow.large_string()))}),
        pyarrow.table(
            {
                "tags": pyarrow.array(
                    ROWS, pyarrow.list_(pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
                )
            }
        ),
        pyarrow.table({"tags": pyarrow.array(ROWS, pyarrow.list_(pyarrow.string_view()))}),
    ],
    ids=[
        "rows",
        "tuples",
        "arrays",
        "lists",
        "numpy",
        "bytes",
        "pandas",
        "arrow",
        "large",
        "dictionary",
        "view",
    ],
)
def test_found_without_a_schema(tmp_path, data):
    path = written(tmp_path, data)
    assert stored(path) == IDS
    column = dsi.open(path).columns()[0]
    assert (column.kind, column.type, column.hashed) == ("list", "int64", True)
    assert dsi.open(path).schema["features"][0]["hashed"] is True


def test_a_pair_of_values_and_offsets(tmp_path):
    data = {"tags": (numpy.array(["a", "b", "c"]), [0, 2, 2, 3])}
    a, b, c = (dsi.id_of_text(text) for text in "abc")
    assert stored(written(tmp_path, data)) == [[a, b], [], [c]]


def test_as_declared(tmp_path):
    schema = {
        "features": [
            {"name": "one", "kind": "list", "type": "uint32", "hashed": True},
            {"name": "country", "kind": "list", "type": "int32", "hashed": True},
            {"name": "topics", "kind": "weighted", "hashed": True},
        ]
    }
    rows = [
        {"one": "red", "country": "CH", "topics": {"ids": ["a", "b"], "weights": [0.5, 2]}},
        {"one": [7, 8], "country": [9], "topics": {"ids": [1], "weights": [1]}},
    ]
    path = written(tmp_path, rows, schema=schema)
    assert stored(path, "one") == [[dsi.id_of_text("red", "uint32")], [7, 8]]
    assert stored(path, "country") == [[dsi.id_of_text("CH", "int32")], [9]]
    table = dsi.open(path).to_arrow()
    assert table["topics.ids"].to_pylist()[0] == [dsi.id_of_text("a"), dsi.id_of_text("b")]
    # A table of its own goes on as it is: ids are no strings, and stay.
    again = written(tmp_path / "..", table, schema=schema)
    assert stored(again, "one") == stored(path, "one")


def test_maps(tmp_path):
    """As Hive and Spark hold scores by id, or by name."""
    scores = [{7: 0.5, 9: 2.0}, {}, None]
    named = [{"red": 3}, {"blue": 1, "red": 2}, None]
    table = pyarrow.table(
        {
            "scores": pyarrow.array(
                [None if row is None else list(row.items()) for row in scores],
                pyarrow.map_(pyarrow.int64(), pyarrow.float32()),
            ),
            "tags": pyarrow.array(
                [None if row is None else list(row.items()) for row in named],
                pyarrow.map_(pyarrow.string(), pyarrow.int32()),
            ),
        }
    )
    path = written(tmp_path, table)
    assert [f["kind"] for f in dsi.open(path).schema["features"]] == ["weighted", "sequence"]
    assert stored(path, "scores.ids") == [[7, 9], [], None]
    assert stored(path, "scores.weights") == [[0.5, 2], [], None]
    red, blue = dsi.id_of_text("red"), dsi.id_of_text("blue")
    assert stored(path, "tags.key") == [[red], [blue, red], None]
    assert stored(path, "tags.value") == [[3], [1, 2], None]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([{"tags": ["a", 1]}], "a string on line 1 and a number"),
        ([{"tags": [1, "a"]}], "a string on line 1 and a number"),
        ({"tags": [["a", 1]]}, "mixes types"),
        ({"tags": [[1, "a"]]}, "mixes types"),
        ({"tags": [["a"], [1]]}, "mixes types"),
        ({"tags": [["a", None]]}, "is null"),
    ],
)
def test_mixtures_are_refused(tmp_path, data, said):
    with pytest.raises(dsi.BadInput, match=said):
        dsi.write(data, tmp_path / "a.dsi")


def test_a_schema_must_say_so(tmp_path):
    schema = {"features": [{"name": "tags", "kind": "list"}]}
    with pytest.raises(dsi.BadInput, match="found string, expected a list of numbers"):
        written(tmp_path, pyarrow.table({"tags": ROWS}), schema=schema)
    with pytest.raises(dsi.BadInput, match="tags"):
        written(tmp_path, [{"tags": ["a"]}], schema=schema)


@pytest.mark.filterwarnings("ignore:tags")
def test_files_that_differ_do_not_go_together(tmp_path):
    dsi.write([{"tags": ["a"]}], tmp_path / "a.dsi")
    dsi.write([{"tags": [1]}], tmp_path / "b.dsi")
    with pytest.raises(dsi.BadInput, match=r"a\.dsi.*b\.dsi"):
        list(dsi.open(tmp_path).scan(["tags"]))

"""Columns of a dict: values are stored exactly, or refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import dsi
import numpy as np
import pytest

BIG = 2**63 + 5
POINT = datetime(2024, 5, 1, 10, 0, 0, 7, tzinfo=UTC)


def written(tmp_path, data, schema=None, **options):
    path = tmp_path / "made.dsi"
    dsi.write(data, path, schema, overwrite=True, **options)
    return dsi.open(path).to_arrow()


def schema_of(**kinds):
    """Of features by name, kind and type."""
    features = [{"name": name, "kind": k, "type": t} for name, (k, t) in kinds.items()]
    return {"features": features}


UNSIGNED = schema_of(id=("key", "uint64"), ids=("list", "uint64"))


# -- Whole numbers.


@pytest.mark.parametrize("schema", [UNSIGNED, None])
def test_whole_numbers_of_64_bits_are_exact(tmp_path, schema):
    data = {"id": [BIG, 3], "ids": [[BIG], [7, 1]]}
    table = written(tmp_path, data, schema)
    assert table.to_pydict() == data
    assert [str(table.schema.field(name).type) for name in data] == [
        "uint64",
        "large_list<item: uint64>",
    ]


@pytest.mark.parametrize(
    "values",
    [
        [2**60 + 1, None],
        [None, np.int64(2**60 + 1)],
        (2**60 + 1, None, 3),
        np.array([2**60 + 1, None], object),
        np.ma.array([2**60 + 1, 5], mask=[False, True]),
        np.ma.array(np.array([2**60 + 1, "x"], object), mask=[False, True]),
        [np.uint64(2**60 + 1), np.int64(-1)],
        [np.array(2**60 + 1), np.array(2)],
    ],
)
def test_whole_numbers_beside_what_is_missing(tmp_path, values):
    table = written(tmp_path, {"user_id": values})
    plain = values.tolist() if isinstance(values, np.ndarray) else list(values)
    assert table["user_id"].to_pylist() == [None if v is None else int(v) for v in plain]
    assert str(table.schema.field("user_id").type) == "int64"


def test_arrays_of_several_dtypes_in_lists(tmp_path):
    lists = [np.array([BIG], "u8"), np.array([3], "i8"), [4], []]
    table = written(tmp_path, {"ids": lists})
    assert table["ids"].to_pylist() == [[BIG], [3], [4], []]
    lists = [np.array([1], "f4"), np.array([2**53], "i8")]
    assert written(tmp_path, {"x": lists})["x"].to_pylist() == [[1], [2**53]]
    lists = [np.array([1], "i4"), np.array([2, 3], "i4")]
    table = written(tmp_path, {"x": lists})
    assert str(table.schema.field("x").type) == "large_list<item: int32>"


def test_pairs_of_lists(tmp_path):
    table = written(tmp_path, {"ids": ([BIG, 3, 4], [0, 1, 3])})
    assert table["ids"].to_pylist() == [[BIG], [3, 4]]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([-1, 2**63], "'a': negative numbers beside"),
        ([[-1], [2**63]], "'a': negative numbers beside"),
        ([2**64], "'a': 18446744073709551616 has more than 64 bits"),
        ([-(2**63) - 1, None], "more than 64 bits"),
        ([0.5, 2**64], "more than 64 bits"),
        ([0.5, 2**53 + 1], "'a': 9007199254740993 beside fractions"),
        ([[0.5], [np.int64(2**53 + 1)]], "beside fractions"),
        ([datetime(2300, 1, 1), np.datetime64(1, "ns")], "out of range in ns"),
        ([np.datetime64("9999-12-31"), np.datetime64(1, "ns")], "out of range in ns"),
    ],
)
def test_what_no_type_holds_is_out_of_range(tmp_path, values, words):
    with pytest.raises(dsi.OutOfRange, match=words):
        written(tmp_path, {"a": values})


def test_numbers_of_several_types(tmp_path):
    data = {"x": [0.5, 2**60, True], "y": [1e300, -1e300, 1], "b": [True, None, False]}
    table = written(tmp_path, data)
    assert table.to_pydict() == data
    assert str(table.schema.field("b").type) == "bool"


@pytest.mark.parametrize(
    "values",
    [
        [1, "a"],
        [b"a", 1, None],
        [[1, "a"]],
        [["a"], [1]],
        [[1], 2],
        [{"a": 1}, 2],
        [{3: 1}],
        [date(2024, 5, 1), 3],
        [object()],
        [1, timedelta(1)],
        [np.timedelta64(1, "s"), np.timedelta64(1, "ns")],
        [1j],
    ],
)
def test_mixed_types_are_refused(tmp_path, values):
    with pytest.raises(dsi.BadInput, match="'a"):
        written(tmp_path, {"a": values})


# -- Nulls.


def test_nulls_in_lists_are_dropped_or_filled(tmp_path):
    data = {"a": [[2**60 + 1, None], [None]], "f": [[None, 0.5], None], "t": [["x", None], []]}
    with pytest.raises(dsi.BadInput, match="null"):
        written(tmp_path, data)
    dropped = written(tmp_path, data, null_entries="drop").to_pydict()
    x = dsi.id_of_text("x")
    assert dropped == {"a": [[2**60 + 1], []], "f": [[0.5], None], "t": [[x], []]}
    filled = written(tmp_path, data, null_entries="fill").to_pydict()
    assert filled["a"] == [[2**60 + 1, 0], [0]]
    assert np.isnan(filled["f"][0][0]) and filled["f"][0][1] == 0.5
    assert filled["t"] == [[x, dsi.id_of_text("")], []]
    alone = {"f": [[None], [None, None]]}
    assert written(tmp_path, alone, null_entries="drop").to_pydict() == {"f": [[], []]}
    floats = schema_of(f=("list", "float32"))
    filled = written(tmp_path, alone, floats, null_entries="fill")["f"].to_pylist()
    assert np.isnan(np.concatenate(filled)).all()


def test_columns_without_values(tmp_path):
    data = {"a": [None, None], "b": [1, 2], "c": [[], None]}
    schema = schema_of(a=("dense", "float32"), b=("dense", "int64"), c=("list", "float32"))
    assert written(tmp_path, data, schema).to_pydict() == data
    table = written(tmp_path, data)  # Of what type it is, nothing tells.
    assert table.to_pydict() == {"b": [1, 2], "c": [[], None]}


# -- Points in time, lists of lists, dicts.


def test_points_in_time(tmp_path):
    data = {
        "day": [date(2024, 5, 1), None],
        "at": [POINT, date(1970, 1, 1)],
        "ms": [np.datetime64("2024-05-01", "ms"), np.datetime64("NaT")],
        "old": [np.datetime64("1000-01"), np.datetime64("1000-01-02")],
        "lists": [[POINT], [np.datetime64(5, "s")]],
        "arrays": [np.array(["2024-05-01"], "M8[ms]"), np.array([7], "M8[ns]")],
    }
    table = written(tmp_path, data)
    units = {name: table.schema.field(name).type for name in data}
    assert {name: units[name].unit for name in ("day", "at", "ms", "old")} == {
        "day": "s",
        "at": "us",
        "ms": "ms",
        "old": "s",
    }
    midnight, naive = datetime(2024, 5, 1), POINT.replace(tzinfo=None)
    assert table["day"].to_pylist() == [midnight, None]
    assert table["at"].to_pylist() == [naive, datetime(1970, 1, 1)]
    assert table["ms"].to_pylist() == [midnight, None]
    assert table["old"].to_pylist() == [datetime(1000, 1, 1), datetime(1000, 1, 2)]
    assert table["lists"].to_pylist() == [[naive], [datetime(1970, 1, 1, 0, 0, 5)]]
    counts = table["arrays"].combine_chunks().flatten().cast("int64").to_pylist()
    assert counts == [1_714_521_600 * 10**9, 7]


def test_nanoseconds_of_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    stamp = pandas.Timestamp(1_700_000_000_123_456_789)
    zoned = stamp.tz_localize("UTC").tz_convert("Asia/Tokyo")
    for at in ([stamp, zoned, pandas.NaT, None], [[stamp, zoned]]):
        found = written(tmp_path, {"at": at})["at"]
        if isinstance(at[0], list):
            found = found.combine_chunks().flatten()
        assert found.cast("int64").to_pylist()[:2] == [stamp.value] * 2
    assert written(tmp_path, {"n": [1, pandas.NA]})["n"].to_pylist() == [1, None]


def test_lists_of_lists(tmp_path):
    for inner in ([[[1, BIG], []], [[3]], None], [np.array([[1, BIG]], "u8"), [[], [3]], []]):
        table = written(tmp_path, {"t": inner})
        rows = written(tmp_path, [{"t": row} for row in inner])
        assert table.to_pydict() == rows.to_pydict()
    nulls = {"t": [[[1, None], None, [2]], [None]]}
    schema = schema_of(t=("list", "int64"), t_lengths=("list", "int32"))
    dropped = written(tmp_path, nulls, schema, null_entries="drop").to_pydict()
    assert dropped == {"t": [[1, 2], []], "t_lengths": [[1, 1], []]}


def test_dicts_in_columns(tmp_path):
    rows = [
        {"s": [{"i": BIG, "f": 0.5}, {"i": 2, "f": 1}], "u": {"age": 3}},
        {"s": [], "u": None},
    ]
    data = {name: [row[name] for row in rows] for name in ("s", "u")}
    table = written(tmp_path, data).to_pydict()
    assert table == {
        "s.i": [[BIG, 2], []],
        "s.f": [[0.5, 1], []],
        "u.age": [3, None],
    }


# -- Arrow.


def test_arrow_arrays_are_taken_as_they_are(tmp_path):
    pa = pytest.importorskip("pyarrow")
    data = {
        "user_id": pa.array([2**60 + 1, None]),
        "u": {"n": pa.chunked_array([[1], [2]], pa.int8())},
        "ids": pa.array([[BIG], None], pa.list_(pa.uint64())),
        "word": pa.array(["x", "y"]).dictionary_encode(),
        "sliced": pa.array([0.5, 1, 2, 3], pa.float32())[1:3],
    }
    expected = {
        "user_id": [2**60 + 1, None],
        "u.n": [1, 2],
        "ids": [[BIG], None],
        "word": ["x", "y"],
        "sliced": [1, 2],
    }
    table = written(tmp_path, data)
    assert table.to_pydict() == expected
    assert str(table.schema.field("u.n").type) == "int8"
    assert written(tmp_path, {"a": pa.table({"b": [1]})}).to_pydict() == {"a.b": [1]}
    with pytest.raises(dsi.BadInput, match="'a' has 1, 'b' has 2"):
        written(tmp_path, {"a": pa.array([1]), "b": [1, 2]})


def test_arrow_arrays_beside_others(tmp_path):
    pa = pytest.importorskip("pyarrow")
    others = {
        "whole": [BIG, None],
        "x": np.array([1, 2], "f4"),
        "b": np.array([True, False]),
        "word": ["x", None],
        "bytes": [b"x", b""],
        "at": np.array(["2020-01-01", "NaT"], "M8[ms]"),
        "took": np.array([1, 2], "m8[s]"),
        "vector": np.arange(4, dtype="f4").reshape(2, 2),
        "pair": (np.arange(3), np.array([0, 1, 3])),
        "s": [[{"i": 1}], []],
        "nothing": [None, None],
    }
    alone = written(tmp_path, others)
    beside = written(tmp_path, {"a": pa.array([1, 2]), **others})
    assert beside["a"].to_pylist() == [1, 2]
    assert beside.drop_columns(["a"]).equals(alone)


def test_pairs_of_arrow_arrays(tmp_path):
    pa = pytest.importorskip("pyarrow")
    for values in (pa.array([2**60 + 1, None, 3]), pa.chunked_array([[2**60 + 1], [None, 3]])):
        data = {"ids": (values, [0, 2, 3])}
        with pytest.raises(dsi.BadInput, match="null"):
            written(tmp_path, data)
        dropped = written(tmp_path, data, null_entries="drop")
        assert dropped["ids"].to_pylist() == [[2**60 + 1], [3]]


def test_series(tmp_path):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    data = {
        "polars": polars.Series([2**60 + 1, None]),
        "lists": polars.Series([[1, 2], None]),
        "pandas": pandas.Series([2**60 + 1, None], dtype="Int64"),
        "plain": pandas.Series([2**60 + 1, 3]),
        "f": pandas.Series([0.5, float("nan")]),
        "objects": pandas.Series([2**60 + 1, None], dtype=object),
    }
    table = written(tmp_path, data).to_pydict()
    for name in ("polars", "pandas", "objects"):
        assert table[name] == [2**60 + 1, None]
    assert table["lists"] == [[1, 2], None]
    assert table["plain"] == [2**60 + 1, 3]
    assert table["f"][0] == 0.5 and np.isnan(table["f"][1])


def test_columns_that_never_have_a_value(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    data = {"a": [[], []], "b": [None, None], "n": [[[]], None], "c": [1, 2]}
    assert written(tmp_path, pyarrow.table(data)).to_pydict() == {"c": [1, 2]}


@pytest.mark.parametrize(
    ("empty", "later"),
    [
        ([[], []], [2**60 + 1]),
        ([np.zeros(0, "int64"), np.zeros(0, "int64")], [2**60 + 1]),
        ([(), np.zeros(0, "float64")], [0.1]),
    ],
)
def test_lists_without_entries_take_what_comes(tmp_path, empty, later):
    with dsi.Writer(tmp_path / "a.dsi") as writer:
        writer.append({"id": [1, 2], "ids": empty})
        writer.append({"id": [3], "ids": [later]})
    assert dsi.open(tmp_path / "a.dsi").to_arrow()["ids"].to_pylist() == [[], [], later]

"""What a `Writer` takes: rows that are dicts, arrays by name, and tables of others."""

import datetime
import json
import os
from decimal import Decimal

import dsi
import numpy
import pyarrow
import pyarrow.dataset
import pytest
from dsi._schema import infer_from_rows
from dsi._table_tasks import schema_of_types

SCHEMA = {
    "features": [
        {"name": "id", "kind": "key", "type": "uint64"},
        {"name": "n", "kind": "dense", "type": "int8"},
        {"name": "x", "kind": "dense", "type": "float32"},
        {"name": "clicks", "kind": "list", "type": "int64"},
        {"name": "hashes", "kind": "list", "type": "uint64"},
        {"name": "scores", "kind": "list", "type": "float32"},
        {"name": "topics", "kind": "weighted", "type": "int64"},
        {"name": "vector", "kind": "embedding", "type": "float32", "length": 2},
        {"name": "name", "kind": "string"},
    ]
}


def written(folder, data, schema=SCHEMA, **options):
    dsi.write(data, folder / "a.dsi", schema, overwrite=True, **options)
    return dsi.open(folder / "a.dsi").to_arrow()


def column(folder, name, values, schema=SCHEMA):
    rows = [{name: value} for value in values]
    return written(folder, rows, schema)[name].to_pylist()


# -- Rows.


def test_ids_that_floats_would_round_are_told_of(tmp_path):
    with pytest.warns(UserWarning, match="^video_key: dense whole numbers of many digits"):
        rows = [{"video_key": 2**24 + 1, "video_id": 2**40, "views": 2**40}, {"views": 3}]
        dsi.write(rows, tmp_path / "a.dsi")


def test_strings_named_as_times_are_told_of(tmp_path):
    with pytest.warns(UserWarning, match='^created_at: named as times, .* as "8 Sep 2017"'):
        dsi.write([{"created_at": "8 Sep 2017"}], tmp_path / "a.dsi")


def test_numbers_of_every_make(tmp_path):
    values = [
        1,
        True,
        2.0,
        numpy.int64(3),
        numpy.float32(4),
        numpy.uint8(5),
        numpy.bool_(True),
        None,
    ]
    assert column(tmp_path, "n", values) == [1, 1, 2, 3, 4, 5, 1, None]
    assert column(tmp_path, "x", [1, 0.5, numpy.float64(0.25)]) == [1, 0.5, 0.25]
    assert column(tmp_path, "id", [0, 2**64 - 1, numpy.uint64(2**63)]) == [0, 2**64 - 1, 2**63]
    assert column(tmp_path, "name", ["a", b"bytes", "ä", "", None]) == ["a", "bytes", "ä", "", None]


@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "f2", ">i4", "?"]
)
def test_lists_of_every_make(tmp_path, dtype):
    plain = [[1, 0], [], [1]]
    made = [numpy.array(items, dtype) for items in plain]
    made += [[1, 0], (1, 1), numpy.array([1, 7, 0, 7], dtype)[::2], [numpy.int32(1), 1.0]]
    expected = [[1, 0], [], [1], [1, 0], [1, 1], [1, 0], [1, 1]]
    assert column(tmp_path, "clicks", made) == expected
    assert column(tmp_path, "scores", made) == expected


def test_points_in_time(tmp_path):
    schema = {"features": [{"name": u, "kind": "timestamp", "unit": u} for u in ("s", "ms", "ns")]}
    point = datetime.datetime(2020, 1, 2, 3, 4, 5)
    zone = datetime.timezone(datetime.timedelta(hours=2))
    values = [point, point.replace(tzinfo=zone), numpy.datetime64("1969-12-31"), point.date(), 7]
    seconds = 1_577_934_245
    expected = [seconds, seconds - 7200, -86400, seconds - seconds % 86400]
    for unit, per_second in (("s", 1), ("ms", 1000), ("ns", 10**9)):
        table = written(tmp_path, [{unit: value} for value in values], schema)
        found = table[unit].cast(pyarrow.int64()).to_pylist()
        assert found == [*(value * per_second for value in expected), 7]
    for value in (point.replace(microsecond=1), datetime.time(3, 4)):
        with pytest.raises(dsi.BadInput, match="point in time"):
            written(tmp_path, [{"ms": value}], schema)


def test_points_in_time_are_exact_or_out_of_range(tmp_path):
    pandas = pytest.importorskip("pandas")

    def nanoseconds(value, schema):
        return column(tmp_path, "t", [value], schema)[0].value

    schema = {"features": [{"name": "t", "kind": "timestamp", "unit": "ns"}]}
    stamp = pandas.Timestamp(1_700_000_000_123_456_789)
    for value in (stamp, stamp.tz_localize("UTC").tz_convert("Asia/Tokyo"), stamp.asm8):
        assert nanoseconds(value, None) == nanoseconds(value, schema) == stamp.value
    for value, expected in [
        (pandas.Timestamp("2020-01-02"), 1_577_923_200 * 10**9),
        (numpy.datetime64("2020-01"), 1_577_836_800 * 10**9),
        (numpy.datetime64(3, "25s"), 75 * 10**9),
        (numpy.datetime64(2000, "ps"), 2),
    ]:
        assert nanoseconds(value, schema) == expected
    for value in (
        numpy.datetime64("9999-12-31"),
        numpy.datetime64("2262-04-12"),
        numpy.datetime64("-5000"),
        numpy.datetime64(2**61, "Y"),
        pandas.Timestamp("9999-12-31"),
        datetime.datetime(2300, 1, 1),
    ):
        with pytest.raises(dsi.OutOfRange, match=r'row 0: .*"t"'):
            written(tmp_path, [{"t": value}], schema)
    lists = {"features": [{"name": "t", "kind": "list", "type": "int64", "unit": "ns"}]}
    for value in (numpy.array(["9999-12-31"], "M8[D]"), [pandas.Timestamp("9999-12-31")]):
        with pytest.raises(dsi.OutOfRange, match='row 0: "t"'):
            written(tmp_path, [{"t": value}], lists)
    with pytest.raises(dsi.BadInput, match="point in time"):
        written(tmp_path, [{"t": numpy.datetime64(1500, "ps")}], schema)


def test_points_in_time_tell_their_unit(tmp_path):
    point = datetime.datetime(2020, 1, 2, 3, 4, 5)
    row = {
        "day": point.date(),
        "at": point,
        "exact": numpy.datetime64("2020-01-02T03:04:05.123456789"),
        "ms": numpy.datetime64("2020-01-02T03:04:05.000"),
    }
    table = written(tmp_path, [row, {**row, "at": point.replace(microsecond=7)}], None)
    units = {name: table.schema.field(name).type.unit for name in row}
    assert units == {"day": "s", "at": "us", "exact": "ns", "ms": "ms"}
    assert table["at"].to_pylist()[1] == point.replace(microsecond=7)
    assert table["day"].to_pylist()[0] == datetime.datetime(2020, 1, 2)


def test_wide_lists(tmp_path):
    values = [[2**64 - 1, 0], numpy.array([2**63], "u8")]
    assert column(tmp_path, "hashes", values) == [[2**64 - 1, 0], [2**63]]


def test_nested_and_dotted_names_are_one(tmp_path):
    rows = [
        {"topics": {"ids": [1, 2], "weights": [0.5, 1.5]}},
        {"topics.ids": [3], "topics.weights": [2.5]},
        {"topics": {"ids": [], "weights": []}},
    ]
    table = written(tmp_path, rows)
    assert table["topics.ids"].to_pylist() == [[1, 2], [3], []]
    assert table["topics.weights"].to_pylist() == [[0.5, 1.5], [2.5], []]


@pytest.mark.parametrize(
    ("row", "error", "words"),
    [
        ({"n": 300}, dsi.OutOfRange, '"n"'),
        ({"n": 1.5}, dsi.OutOfRange, '"n"'),
        ({"x": 2**24 + 1}, dsi.OutOfRange, '"x"'),
        ({"id": 2**64}, dsi.OutOfRange, '"id".*64 bits'),
        ({"id": -1}, dsi.OutOfRange, '"id"'),
        ({"n": "3"}, dsi.Error, '"n"'),
        ({"n": object()}, dsi.BadInput, '"n" is of type object'),
        ({"clicks": 3}, dsi.BadInput, '"clicks" is of type int'),
        ({"clicks": "abc"}, dsi.BadInput, '"clicks" is of type str'),
        ({"clicks": [1, "a"]}, dsi.BadInput, '"clicks" is of type str'),
        ({"clicks": [1, None]}, dsi.BadInput, '"clicks"'),
        ({"clicks": [-1, 2**63]}, dsi.OutOfRange, '"clicks"'),
        ({"clicks": [2**70]}, dsi.OutOfRange, '"clicks".*64 bits'),
        ({"scores": [0.5, 2**53 + 1]}, dsi.OutOfRange, '"scores"'),
        ({"vector": [1.0]}, dsi.Error, '"vector"'),
        ({"topics": {"ids": [1], "weights": [1, 2]}}, dsi.BadInput, '"topics"'),
        ({"topics": {"ids": [1]}}, dsi.BadInput, '"topics"'),
        ({"nobody": 1}, dsi.BadInput, '"nobody" is no feature.*ignore_unknown'),
        ({3: 1}, dsi.BadInput, '"3" is no feature'),
        ({3.5: 1}, dsi.BadInput, "a key is of type float"),
        ({True: 1}, dsi.BadInput, "a key is of type bool"),
        ([], dsi.BadInput, "a row is a dict"),
    ],
)
def test_a_bad_row_is_named_and_those_before_stay(tmp_path, row, error, words):
    with dsi.Writer(tmp_path / "a.dsi", SCHEMA) as writer:
        with pytest.raises(error, match=f"row 2: .*{words}"):
            writer.append([{"n": 1}, {"n": 2}, row, {"n": 3}])
        assert writer.num_rows == 2
        writer.append([{"n": 4}])
    assert dsi.open(tmp_path / "a.dsi").to_arrow()["n"].to_pylist() == [1, 2, 4]


def test_unknown_names_can_be_skipped(tmp_path):
    table = written(
        tmp_path, [{"n": 1, "nobody": object(), "deep": {"er": 1}}], ignore_unknown=True
    )
    assert table["n"].to_pylist() == [1]


def test_rows_before_what_an_iterator_raises_stay(tmp_path):
    def rows():
        yield {"n": 1}
        raise RuntimeError("no more")

    with dsi.Writer(tmp_path / "a.dsi", SCHEMA) as writer:
        with pytest.raises(RuntimeError, match="no more"):
            writer.append(rows())
        assert writer.num_rows == 1


def test_inference_from_rows_is_that_of_convert(tmp_path, dsictl):
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"session_id": 1, "timestamp": 1700000000, "user": {"age": 3.5, "ids": [1, 2]},'
        ' "ok": true}\n'
        '{"session_id": 18446744073709551615, "timestamp": 1700000001, "label": 0, "s": "x"}\n'
    )
    dsictl("convert", rows, tmp_path / "a.dsi")
    made = [
        {
            "session_id": 1,
            "timestamp": 1700000000,
            "user": {"age": numpy.float32(3.5), "ids": numpy.array([1, 2])},
            "ok": True,
        },
        {"session_id": 2**64 - 1, "timestamp": 1700000001, "label": 0, "s": "x"},
    ]
    dsi.write(made, tmp_path / "b.dsi")
    assert dsi.open(tmp_path / "b.dsi").schema == dsi.open(tmp_path / "a.dsi").schema
    assert dsictl("cat", tmp_path / "a.dsi") == dsictl("cat", tmp_path / "b.dsi")


def test_nan_tells_a_float(tmp_path):
    dsi.write([{"a": float("nan")}, {"a": float("inf")}], tmp_path / "a.dsi")
    values = dsi.open(tmp_path / "a.dsi").to_arrow()["a"].to_pylist()
    assert str(values) == "[nan, inf]"


# -- Columns.

DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "?"]


def test_arrays_of_records(tmp_path):
    records = numpy.rec.fromarrays([[1, 2], [0.5, 1.5], ["a", "b"]], names="user_id,x,name")
    dsi.write(records, tmp_path / "a.dsi")
    expected = {"user_id": [1, 2], "x": [0.5, 1.5], "name": ["a", "b"]}
    assert dsi.open(tmp_path / "a.dsi").to_arrow().to_pydict() == expected


def test_columns_that_would_stand_otherwise_are_told_of(tmp_path):
    data = {"code": numpy.array([2**24 + 1]), "created_at": numpy.array(["8 Sep 2017"])}
    with pytest.warns(UserWarning, match="^code: dense whole numbers") as told:
        dsi.write(data, tmp_path / "a.dsi")
    assert "created_at: named as times" in str(told[1].message)


def test_columns_of_every_dtype(tmp_path):
    data = {f"d.{t}": numpy.array([0, 1, 1], t) for t in DTYPES}
    data["swapped"] = numpy.array([1, 2, 3], ">i4")
    data["strided"] = numpy.arange(6)[::2]
    data["text"] = numpy.array(["a", "", "ä"])
    data["some"] = numpy.array(["a", None, b"c"], object)
    data["masked"] = numpy.ma.array([1, 2, 3], mask=[False, True, False])
    data["when"] = numpy.array(["2020-01-01", "NaT", "1969-01-01"], "M8[ms]")
    data["took"] = numpy.array([1, 2, "NaT"], "m8[s]")
    data["list"] = (numpy.arange(4, dtype="i4"), numpy.array([0, 1, 1, 4], "i4"))
    data["ragged"] = [[1.5], [], numpy.array([2.0, 3.0])]
    data["holes"] = numpy.array([[1], None, [2, 3]], object)
    data["vector"] = numpy.arange(6, dtype="f4").reshape(3, 2)
    data["inner"] = {"a": [1, 2, 3], "b": {"c": [4.5, 5, 6]}}
    dsi.write(data, tmp_path / "a.dsi")
    table = dsi.open(tmp_path / "a.dsi").to_arrow()
    found = {name: table[name].to_pylist() for name in table.column_names}
    for name in (n for n in data if n.startswith("d.")):
        assert found[name] == [0, 1, 1]
        expected = {"d.?": "bool", "d.f2": "float"}.get(
            name, pyarrow.from_numpy_dtype(data[name].dtype)
        )
        assert str(table.schema.field(name).type) == str(expected)
    assert found["swapped"] == [1, 2, 3]
    assert found["strided"] == [0, 2, 4]
    assert found["text"] == ["a", "", "ä"]
    assert found["some"] == ["a", None, "c"]
    assert found["masked"] == [1, None, 3]
    assert found["when"] == [datetime.datetime(2020, 1, 1), None, datetime.datetime(1969, 1, 1)]
    assert found["took"] == [1, 2, None]
    assert found["list"] == [[0], [], [1, 2, 3]]
    assert found["ragged"] == [[1.5], [], [2, 3]]
    assert found["holes"] == [[1], None, [2, 3]]
    assert found["vector"] == [[0, 1], [2, 3], [4, 5]]
    assert found["inner.a"] == [1, 2, 3]
    assert found["inner.b.c"] == [4.5, 5, 6]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"a": [1, 2], "b": [1]}, "unequal numbers of rows.*'a' has 2, 'b' has 1"),
        ({"a": numpy.zeros((2, 2, 2))}, "3 dimensions"),
        ({"a": numpy.array(5)}, "0 dimensions"),
        ({"a": numpy.zeros(2, "c8")}, "complex64"),
        ({"a": numpy.array(["2020"], "M8[Y]")}, r"datetime64\[Y\]"),
        ({"a": (numpy.arange(3), numpy.array([0, 4]))}, "a"),
        ({"a": (numpy.arange(3), numpy.array([0, 2, 1]))}, "a"),
        ({"a": (numpy.arange(3), numpy.array([-1, 2]))}, "a"),
        ({"a": (numpy.arange(3), numpy.array([0.0, 2]))}, "offsets"),
        ({"a": (numpy.arange(3), numpy.array([], "i8"))}, "offsets"),
        ({"a": numpy.array([1, "a"], object)}, "mixes types"),
        ({}, "no columns"),
    ],
)
def test_bad_columns_are_refused(tmp_path, data, words):
    with pytest.raises(dsi.BadInput, match=words):
        dsi.write(data, tmp_path / "a.dsi")
    assert os.listdir(tmp_path) == []


# -- Tables of others.


def test_pandas_polars_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    data = {"a": [1, 2, 3], "s": ["x", None, "z"], "l": [[1], [], [2, 3]], "f": [0.5, 1.5, 2.5]}
    sources = {
        "pandas": pandas.DataFrame(data),
        "polars": polars.DataFrame(data),
        "pyarrow": pyarrow.table(data),
        "batch": pyarrow.table(data).to_batches()[0],
        "reader": pyarrow.table(data).to_reader(),
        "batches": iter(pyarrow.table(data).to_batches(max_chunksize=2)),
        "dataset": pyarrow.dataset.dataset(pyarrow.table(data)),
        "duckdb": duckdb.sql(
            "select * from (values (1, 'x', [1], 0.5::double), (2, null, []::int[], 1.5), "
            "(3, 'z', [2, 3], 2.5)) as t(a, s, l, f)"
        ),
        "lazy duckdb": duckdb.from_arrow(pyarrow.table(data)).filter("a < 10"),
    }
    for name, source in sources.items():
        report = dsi.write(source, tmp_path / f"{name}.dsi")
        assert report.num_rows == 3, name
        assert dsi.open(tmp_path / f"{name}.dsi").to_arrow().to_pydict() == data, name


def test_an_index_of_pandas_is_a_column_where_it_has_a_name(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [3, 1, 2], "b": [7, 8, 9]})
    for made, names in [
        (frame[1:], ["a", "b"]),
        (frame.sort_values("a"), ["a", "b"]),
        (frame.sort_values("a").rename_axis("place"), ["a", "b", "place"]),
        (frame.set_index("b"), ["a", "b"]),
        (frame.set_index([[5, 6, 7], "b"]), ["a", "b"]),
        (frame.rename_axis("place"), ["a", "b", "place"]),
        (frame.set_index([["x", "y", "z"], [1, 2, 3]]), ["a", "b"]),
    ]:
        table = written(tmp_path, made, None)
        assert sorted(table.column_names) == names
        assert table["a"].to_pylist() == made["a"].tolist()
    assert "place" not in frame.columns


@pytest.mark.parametrize("data", [3, "text", b"bytes", None, [3], ["a"]])
def test_what_is_no_table(tmp_path, data):
    with pytest.raises(dsi.BadInput):
        dsi.write(data, tmp_path / "a.dsi")


def test_a_lazy_frame_says_how(tmp_path):
    polars = pytest.importorskip("polars")
    with pytest.raises(dsi.BadInput, match="collect"):
        dsi.write(polars.LazyFrame({"a": [1]}), tmp_path / "a.dsi")


def test_decimals(tmp_path):
    prices = [Decimal("12.99"), None, Decimal("-0.05")]
    ids = [Decimal(2**53 + 1), Decimal(-1), None]
    table = pyarrow.table(
        {
            "price": pyarrow.array(prices, pyarrow.decimal128(9, 2)),
            "id": pyarrow.array(ids, pyarrow.decimal128(38, 0)),
            "cost": pyarrow.array(prices, pyarrow.decimal128(38, 18)),
        }
    )
    dsi.write(table, tmp_path / "a.dsi")
    back = dsi.open(tmp_path / "a.dsi").to_arrow()
    assert back["price"].to_pylist() == back["cost"].to_pylist() == [12.99, None, -0.05]
    assert back["id"].to_pylist() == [2**53 + 1, -1, None]
    third = pyarrow.array([Decimal(1) / 3], pyarrow.decimal128(38, 28))
    with pytest.raises(dsi.OutOfRange, match=r"row 0.*cast the column to float64"):
        dsi.write(pyarrow.table({"price": third}), tmp_path / "b.dsi")


def test_list_views(tmp_path):
    lists = [[1], [2, 3], None, []]
    kinds = [pyarrow.list_view(pyarrow.int64()), pyarrow.large_list_view(pyarrow.int32())]
    table = pyarrow.table({str(kind): pyarrow.array(lists, kind) for kind in kinds})
    dsi.write(table, tmp_path / "a.dsi")
    found = dsi.open(tmp_path / "a.dsi").to_arrow()
    assert [column.to_pylist() for column in found] == [lists, lists]


def test_types_that_are_not_taken(tmp_path):
    kind = pyarrow.map_(pyarrow.string(), pyarrow.list_(pyarrow.int64()))
    table = pyarrow.table({"m": pyarrow.array([[("a", [1])]], kind)})
    with pytest.raises(dsi.BadInput, match="m"):
        dsi.write(table, tmp_path / "a.dsi")


@pytest.mark.parametrize(
    "missing",
    ["pandas.NaT", "pandas.NA", "numpy.datetime64('NaT')", "numpy.array(['NaT'], 'M8[s]')"],
)
def test_missing_values_of_frames_tell_no_type(missing):
    pandas = pytest.importorskip("pandas")
    value = eval(missing, {"pandas": pandas, "numpy": numpy})
    is_array = isinstance(value, numpy.ndarray)
    there = datetime.datetime(2024, 5, 1)
    rows = [{"at": value, "n": 1}, {"at": [there] if is_array else there, "n": 2}]
    found = json.loads(infer_from_rows(rows, "drop"))["features"]
    plain = [{"at": [None] if is_array else None, "n": 1}, rows[1]]
    assert found == json.loads(infer_from_rows(plain, "drop"))["features"]
    (at,) = (feature for feature in found if feature["name"] == "at")
    assert at["kind"] == ("list" if is_array else "timestamp")


def test_an_unknown_type_in_rows_says_what_to_do(tmp_path):
    with pytest.raises(dsi.BadInput, match=r"of type object, expected .+: convert it first"):
        dsi.write([{"a": object()}], tmp_path / "a.dsi")


def test_rows_that_a_found_schema_does_not_fit(tmp_path):
    found = r"; the schema was found from the first 10,000 rows: give schema="
    rows = [{"id": i} for i in range(10_000)]
    for row in ({"id": [1]}, {"id": 1.5}, {"other": 1}):
        with pytest.raises((dsi.BadInput, dsi.OutOfRange), match=found):
            dsi.write([*rows, row], tmp_path / "a.dsi")
    with dsi.Writer(tmp_path / "a.dsi") as writer:
        writer.append([{"id": 1}, {"id": 2}])
        with pytest.raises(dsi.BadInput, match="from the first 2 rows: give schema="):
            writer.append([{"id": [1]}])
        writer.append([{"id": 3}])
    for schema, bad in ((dsi.open(tmp_path / "a.dsi").schema, [1]), (None, [{}, 1])):
        with pytest.raises(dsi.BadInput) as told:
            dsi.write([{"id": bad}], tmp_path / "b.dsi", schema)
        assert "first" not in str(told.value)


@pytest.mark.parametrize("values", [[3, 1, 3], ["b", "a", "b"]])
@pytest.mark.parametrize("as_rows", [True, False])
def test_what_rows_are_clustered_by_is_a_key(tmp_path, values, as_rows):
    data = {"customer": values, "x": [0.5, 1.5, 2.5]}
    if as_rows:
        data = [{"customer": v, "x": x} for v, x in zip(*data.values(), strict=True)]
    dsi.write(data, tmp_path / "a.dsi", cluster_by="customer")
    ds = dsi.open(tmp_path / "a.dsi")
    assert {column.name: column.kind for column in ds.columns()}["customer"] == "key"
    assert ds.to_arrow()["customer"].to_pylist() == [values[0], values[0], values[1]]
    with pytest.raises(dsi.InvalidArgument, match="expected key or timestamp"):
        dsi.write(data, tmp_path / "b.dsi", cluster_by="x")


def test_keys_of_types_alone():
    types = pyarrow.schema([("visitor", pyarrow.int64()), ("x", pyarrow.float64())])
    visitor, x = json.loads(schema_of_types(types, ["visitor"]))["features"]
    assert (visitor["kind"], x["kind"]) == ("key", "dense")


def test_what_rows_raise_is_not_of_the_schema(tmp_path):
    def rows():
        yield from ({"id": i} for i in range(20_000))
        raise dsi.BadInput("of my own")

    with pytest.raises(dsi.BadInput, match=r"^of my own$"):
        dsi.write(rows(), tmp_path / "a.dsi")

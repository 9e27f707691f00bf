"""Tables in and out: what goes in as rows, Arrow or Parquet comes out again, value by value."""

import json
import random

import dsi
import numpy
import pyarrow
import pyarrow.parquet
import pytest
import random_tables

SEEDS = range(4)


def rows_of(table):
    """Rows of a pyarrow table by dotted name, without what is missing; timestamps as numbers."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pyarrow.types.is_timestamp(column.type):
            column = column.cast(pyarrow.int64())
        columns[name] = column.to_pylist()
    return [
        {name: items[i] for name, items in columns.items() if items[i] is not None}
        for i in range(table.num_rows)
    ]


@pytest.fixture(scope="module", params=SEEDS)
def made(request, tmp_path_factory):
    """A schema, rows, and a file that was written of them one by one."""
    schema, rows = random_tables.make(request.param, 700)
    path = tmp_path_factory.mktemp("made") / "a.dsi"
    report = dsi.write(map(random_tables.nested, rows), path, schema, stripe_rows=256)
    assert report.num_rows == len(rows)
    return schema, rows, path


def test_rows_come_back(made):
    schema, rows, path = made
    table = dsi.open(path).to_arrow()
    assert set(table.column_names) == set(random_tables.columns_of(schema))
    assert rows_of(table) == rows


def test_pyarrow_sees_what_cat_prints(made, dsictl):
    schema, _, path = made
    types = random_tables.columns_of(schema)

    def typed(kind, item):
        if isinstance(item, list):
            return [typed(kind, one) for one in item]
        if kind in ("float32", "float64"):
            item = float(item.replace("Infinity", "inf")) if isinstance(item, str) else item
            return float(numpy.float32(item)) if kind == "float32" else float(item)
        return item

    def flat(row, prefix=""):
        for name, item in row.items():
            if isinstance(item, dict):
                yield from flat(item, f"{prefix}{name}.")
            else:
                yield prefix + name, typed(types[prefix + name], item)

    printed = [dict(flat(json.loads(line))) for line in dsictl("cat", path).splitlines()]
    assert rows_of(dsi.open(path).to_arrow()) == printed


def test_arrow_round_trip_keeps_schema_and_values(made, tmp_path):
    _, _, path = made
    source = dsi.open(path)
    table = source.to_arrow()
    dsi.write(table, tmp_path / "b.dsi")
    again = dsi.open(tmp_path / "b.dsi")
    assert again.schema == source.schema
    assert again.to_arrow().equals(table)
    dsi.write(source, tmp_path / "c.dsi")
    assert dsi.open(tmp_path / "c.dsi").to_arrow().equals(table)


def chunked(rng, table):
    """The same rows in slices of other tables, so that offsets are not 0."""
    cuts = sorted(rng.randrange(table.num_rows + 1) for _ in range(5))
    bounds = list(zip([0, *cuts], [*cuts, table.num_rows], strict=True))
    return pyarrow.concat_tables(table.slice(begin, end - begin) for begin, end in bounds)


def as_dictionaries(table):
    """Numbers and strings as dictionaries."""
    columns = []
    for column in table.columns:
        kind = column.type
        plain = pyarrow.types.is_integer(kind) or pyarrow.types.is_large_string(kind)
        columns.append(column.dictionary_encode() if plain else column)
    return pyarrow.table(columns, table.column_names)


@pytest.mark.parametrize("seed", SEEDS)
def test_chunks_slices_and_dictionaries(made, seed, tmp_path):
    schema, _, path = made
    table = dsi.open(path).to_arrow()
    rng = random.Random(seed)
    for shaped in (chunked(rng, table), as_dictionaries(chunked(rng, table))):
        dsi.write(shaped, tmp_path / "b.dsi", schema, overwrite=True)
        assert dsi.open(tmp_path / "b.dsi").to_arrow().equals(table)


def test_dictionaries_of_unique_rows_stand_for_the_same(made, tmp_path):
    schema, _, path = made
    source = dsi.open(path)
    table = source.to_arrow()
    shared = source.to_arrow(dictionaries=True)
    assert any(pyarrow.types.is_dictionary(field.type) for field in shared.schema)
    dsi.write(shared, tmp_path / "b.dsi", schema)
    assert dsi.open(tmp_path / "b.dsi").to_arrow().equals(table)


def test_parquet_round_trip(made, tmp_path):
    _, rows, path = made
    source = dsi.open(path)
    table = source.to_arrow()
    seen = []
    assert source.to_parquet(
        tmp_path / "a.parquet", row_group_rows=300, progress=lambda *at: seen.append(at)
    ) == len(rows)
    assert seen[-1] == ("write", len(rows), len(rows))
    assert pyarrow.parquet.ParquetFile(tmp_path / "a.parquet").metadata.num_row_groups >= 2
    report = dsi.from_parquet(tmp_path / "a.parquet", tmp_path / "b.dsi")
    assert report.num_rows == len(rows)
    again = dsi.open(tmp_path / "b.dsi")
    assert again.schema == source.schema
    assert again.to_arrow().equals(table)
    again.to_parquet(tmp_path / "b.parquet")
    first = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    assert first.equals(pyarrow.parquet.read_table(tmp_path / "b.parquet"))
    assert first.num_rows == len(rows)


def test_a_schema_found_by_types_keeps_the_values(made, tmp_path):
    _, _, path = made
    table = dsi.open(path).to_arrow()
    dsi.write(table.replace_schema_metadata(), tmp_path / "b.dsi", keep_order=True)
    again = dsi.open(tmp_path / "b.dsi").to_arrow()
    assert again.select(table.column_names).to_pydict() == table.to_pydict()


def test_parts_of_a_dataset_are_written(sessions, tmp_path):
    source = dsi.open(sessions)
    part = source.arrow(["session_id", "label"], where=("label", "==", 1))
    report = dsi.write(part, tmp_path / "b.dsi")
    again = dsi.open(tmp_path / "b.dsi")
    assert report.num_rows == part.stats["rows"] == len(again)
    kinds = [(feature["name"], feature["kind"]) for feature in again.schema["features"]]
    assert kinds == [("session_id", "key"), ("label", "label")]


def test_several_files_are_one_table(made, tmp_path):
    _, rows, path = made
    table = dsi.open(path).to_arrow()
    (tmp_path / "parts").mkdir()
    dsi.write(table.slice(0, 300), tmp_path / "parts" / "1.dsi")
    dsi.write(table.slice(300), tmp_path / "parts" / "2.dsi")
    whole = dsi.open(tmp_path / "parts")
    assert whole.to_arrow().equals(table)
    assert [feature["name"] for feature in whole.schema["features"]] == [
        feature["name"] for feature in dsi.open(path).schema["features"]
    ]
    dsi.write(whole, tmp_path / "all.dsi")
    assert len(dsi.open(tmp_path / "all.dsi")) == len(rows)


def test_columns_and_where(sessions):
    data = dsi.open(sessions)
    table = data.to_arrow(["label", "timestamp"], where=("label", "==", 1))
    assert table.column_names == ["label", "timestamp"]
    assert set(table["label"].to_pylist()) == {1}
    everything = data.to_arrow("label")["label"].to_pylist()
    assert table.num_rows == everything.count(1)
    with pytest.raises(dsi.NotFound, match="nothing_of_it"):
        data.to_arrow("nothing_of_it")


def test_clustering_by_keyword(tmp_path):
    rows = [{"session_id": i % 3, "timestamp": 1_700_000_000 - i} for i in range(30)]
    report = dsi.write(rows, tmp_path / "a.dsi", cluster_by=["session_id", "timestamp"])
    assert report.num_sessions == 3
    kept = dsi.write(rows, tmp_path / "b.dsi", keep_order=True)
    assert kept.num_rows == 30
    ids = dsi.open(tmp_path / "b.dsi").to_arrow()["session_id"].to_pylist()
    assert ids == [i % 3 for i in range(30)]
    with pytest.raises(dsi.InvalidArgument, match="nobody"):
        dsi.write(rows, tmp_path / "c.dsi", cluster_by="nobody")

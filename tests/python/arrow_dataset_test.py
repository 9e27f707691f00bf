"""What `to_pyarrow_dataset` gives, by the methods that datasets of pyarrow have."""

from __future__ import annotations

import pickle

import dsi
import pytest

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")
ds = pytest.importorskip("pyarrow.dataset")

USER, PRICE = pc.field("user"), pc.field("price")


@pytest.fixture
def source(tmp_path):
    rows = [{"user": i % 3, "price": float(-i), "at": 5 * i} for i in range(10)]
    dsi.write(rows, tmp_path / "a.dsi")
    return dsi.open(tmp_path / "a.dsi").to_pyarrow_dataset()


def test_filters_add_up(source):
    ones = source.filter(USER == 1)
    assert ones.to_table()["price"].to_pylist() == [-1, -4, -7]
    assert ones.last_scan.stats["rows"] == 3
    few = ones.filter(PRICE < -1)
    assert few.to_table(columns=["at"]).to_pydict() == {"at": [20, 35]}
    assert few.to_table(filter=PRICE * 2 < -8).num_rows == 1
    assert few.count_rows() == few.scanner(columns=[]).count_rows() == 2
    assert few.count_rows(PRICE * 2 < -8) == few.count_rows(PRICE < -4) == 1
    assert few.head(1)["at"].to_pylist() == [20]
    assert [batch.num_rows for batch in few.to_batches()] == [2]
    assert pickle.loads(pickle.dumps(few)).count_rows() == 2
    assert source.count_rows() == 10


def test_sorts_and_joins(source, tmp_path):
    assert source.sort_by("price").to_table()["at"].to_pylist() == list(range(45, -5, -5))
    least = source.filter(USER == 1).sort_by([("at", "descending")])
    assert least.to_table()["at"].to_pylist() == [35, 20, 5]
    names = pa.table({"user": [0, 1], "name": ["a", "b"]})
    for right in (names, ds.dataset(names)):
        joined = source.join(right, "user", join_type="inner").to_table()
        assert sorted(joined["name"].to_pylist()) == ["a"] * 4 + ["b"] * 3
    with_itself = source.join(source, "at", right_suffix="_too").to_table()
    assert with_itself.num_rows == 10 and "price_too" in with_itself.column_names
    prices = pa.table({"at": [4, 41], "user": [1, 1], "n": [7, 8]})
    joined = source.join_asof(ds.dataset(prices), on="at", by="user", tolerance=-10).to_table()
    assert joined.sort_by("at")["n"].to_pylist() == [None, 7] + [None] * 8


def test_what_there_is_not_is_an_error(source, tmp_path):
    with pytest.raises(dsi.Unsupported, match=r"schema .* is that of its files"):
        source.replace_schema(source.schema)
    with pytest.raises(NotImplementedError):
        ds.dataset([source, source])
    # Arrow goes past the methods of the dataset.
    table = ds.dataset(pa.table({"user": [1]}))
    for read in (
        lambda: table.join(source, "user"),
        lambda: ds.Scanner.from_dataset(source).to_table(),
        lambda: ds.UnionDataset(source.schema, [source, source]).count_rows(),
    ):
        with pytest.raises(FileNotFoundError, match="read by its own methods"):
            read()
    assert source.files == [str(tmp_path / "a.dsi")]


def test_rows_without_columns_of_files_before_a_rename(tmp_path):
    rows = [{"aaaa": i % 2, "price": float(i)} for i in range(10)]
    paths = [str(tmp_path / name) for name in ("a.dsi", "b.dsi")]
    dsi.write(rows, paths[0])
    dsi.write(rows, tmp_path / "old.dsi")
    dsi.rewrite(tmp_path / "old.dsi", paths[1], rename={"aaaa": "zzzz"})
    source = dsi.open(paths).to_pyarrow_dataset()
    assert source.to_table(columns=[]).num_rows == 20
    assert source.scanner(columns=[]).count_rows() == 20
    assert source.scanner(columns=[], filter=pc.field("zzzz") + 1 == 2).count_rows() == 10

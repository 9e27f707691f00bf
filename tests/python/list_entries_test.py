"""Entries of lists that are null or times: of rows, of Arrow and of what comes back."""

from __future__ import annotations

from datetime import UTC, date, datetime

import dsi
import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore:.*lists of strings are stored as ids")

EMPTY = dsi.id_of_text("")


def written(tmp_path, data, schema=None, **options):
    path = tmp_path / "made.dsi"
    dsi.write(data, path, schema, overwrite=True, **options)
    return dsi.open(path).to_arrow()


@pytest.mark.parametrize("kind", ["rows", "arrow"])
def test_nulls_are_dropped_or_filled(tmp_path, kind):
    rows = [{"a": [1, None], "f": [None, 0.5], "t": ["x", None]}, {"a": [None], "f": [], "t": []}]
    data = rows if kind == "rows" else pa.Table.from_pylist(rows)
    with pytest.raises(dsi.BadInput, match="null"):
        written(tmp_path, data)
    dropped = written(tmp_path, data, null_entries="drop").to_pydict()
    assert dropped["a"] == [[1], []]
    assert dropped["f"] == [[0.5], []]
    assert dropped["t"] == [[dsi.id_of_text("x")], []]
    filled = written(tmp_path, data, null_entries="fill").to_pydict()
    assert filled["a"] == [[1, 0], [0]]
    assert np.isnan(filled["f"][0][0]) and filled["f"][0][1] == 0.5
    assert filled["t"] == [[dsi.id_of_text("x"), EMPTY], []]
    with pytest.raises(dsi.InvalidArgument, match="'fail', 'drop' or 'fill'"):
        written(tmp_path, data, null_entries="keep")


@pytest.mark.parametrize("kind", ["rows", "arrow"])
def test_lists_of_dicts_lose_whole_entries_or_get_what_they_lack(tmp_path, kind):
    rows = [{"s": [{"i": 1, "f": 0.5}, None, {"i": 2, "f": 1.5}]}]
    data = rows if kind == "rows" else pa.Table.from_pylist(rows)
    dropped = written(tmp_path, data, null_entries="drop").to_pydict()
    assert (dropped["s.i"], dropped["s.f"]) == ([[1, 2]], [[0.5, 1.5]])
    lacking = [{"s": [{"i": 1, "f": 0.5}, {"i": 2}, {"f": 3.5}]}]
    data = lacking if kind == "rows" else pa.Table.from_pylist(lacking)
    with pytest.raises(dsi.BadInput):
        written(tmp_path, data, null_entries="drop")
    filled = written(tmp_path, data, null_entries="fill").to_pydict()
    assert filled["s.i"] == [[1, 2, 0]]
    assert np.isnan(filled["s.f"][0][1]) and filled["s.f"][0][2] == 3.5


def test_lists_of_times_of_rows(tmp_path):
    at = datetime(2024, 5, 1, 10, tzinfo=UTC)
    rows = [
        {"t": [at, datetime(1970, 1, 1, 0, 0, 1)], "e": [{"i": 1, "at": at}]},
        {"t": [], "e": []},
    ]
    table = written(tmp_path, rows)
    assert table.schema.field("t").type == pa.large_list(pa.timestamp("us"))
    assert table.schema.field("e.at").type == pa.large_list(pa.timestamp("us"))
    assert table["t"].to_pylist() == [
        [datetime(2024, 5, 1, 10), datetime(1970, 1, 1, 0, 0, 1)],
        [],
    ]
    # What comes back goes in again as it was.
    assert written(tmp_path, table).equals(table)


def test_lists_of_times_in_the_unit_of_the_schema(tmp_path):
    schema = {"features": [{"name": "t", "kind": "list", "unit": "ms"}]}

    def times(values, **options):
        return (
            written(tmp_path, [{"t": values}], schema, **options)["t"]
            .cast(pa.large_list(pa.int64()))
            .to_pylist()[0]
        )

    assert times([1, datetime(1970, 1, 1, 0, 0, 2), date(1970, 1, 2)]) == [1, 2000, 86_400_000]
    assert times(np.array([3, 4], "datetime64[s]")) == [3000, 4000]
    assert times(np.array([5_000_000], "datetime64[ns]")) == [5]
    assert times(np.array([7, 8])) == [7, 8]
    gap = np.array([9, "NaT"], "datetime64[ms]")
    with pytest.raises(dsi.BadInput):
        times(gap)
    assert times(gap, null_entries="drop") == [9]
    # What does not fit is no null.
    with pytest.raises(dsi.BadInput):
        times(np.array([5_000_001], "datetime64[ns]"), null_entries="drop")
    with pytest.raises(dsi.BadInput):
        times([datetime(1970, 1, 1, 0, 0, 0, 1)])
    with pytest.raises(dsi.BadInput):
        times(np.array([5_000_001], "datetime64[ns]"))


def test_single_times_of_numpy_are_in_the_unit_of_the_schema(tmp_path):
    schema = {"features": [{"name": "t", "kind": "timestamp", "unit": "ms"}]}
    times = [np.datetime64(5_000_000, "ns"), np.datetime64(7, "s"), np.int64(9), 11]
    table = written(tmp_path, [{"t": time} for time in times], schema, keep_order=True)
    assert table["t"].cast(pa.int64()).to_pylist() == [5, 7000, 9, 11]
    with pytest.raises(dsi.BadInput):
        written(tmp_path, [{"t": np.datetime64(5_000_001, "ns")}], schema)


def test_units_of_lists_stay_with_columns_and_reach_pipelines(tmp_path):
    path = tmp_path / "made.dsi"
    dsi.write(pa.table({"t": pa.array([[0, 7200]], pa.list_(pa.timestamp("s")))}), path)
    dataset = dsi.open(path)
    (column,) = dataset.columns()
    assert (column.kind, column.unit) == ("list", "s")
    hours = dsi.Pipeline().local_hour("hour", "t", unit="s")
    assert dataset.to_arrow(transforms=hours)["hour"].to_pylist() == [[0, 2]]
    with pytest.raises(dsi.InvalidArgument, match="counts s"):
        dataset.to_arrow(transforms=dsi.Pipeline().local_hour("hour", "t", unit="ms"))

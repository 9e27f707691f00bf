"""Lists of lists become entries and lengths: of rows, of Arrow, of Parquet, and back."""

from __future__ import annotations

import dsi
import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

ROWS = [
    {"t": [[1, 2], [], [3]], "h": [{"a": 1, "b": [0.5]}, {"a": 2, "b": []}]},
    {"t": [[]], "h": []},
    {"t": [], "h": None},
    {"t": None, "h": [{"a": 3, "b": [1.5, 2.5]}]},
]
EXPECTED = {
    "t": [[1, 2, 3], [], [], None],
    "t_lengths": [[2, 0, 1], [0], [], None],
    "h.a": [[1, 2], [], None, [3]],
    "h.b_lengths": [[1, 0], [], None, [2]],
    "h.b": [[0.5], [], None, [1.5, 2.5]],
}


def written(tmp_path, data, schema=None, **options):
    path = tmp_path / "made.dsi"
    dsi.write(data, path, schema, overwrite=True, **options)
    return dsi.open(path)


@pytest.mark.parametrize("kind", ["rows", "arrow", "parquet"])
def test_entries_and_lengths(tmp_path, kind):
    if kind == "parquet":
        pa.parquet = pytest.importorskip("pyarrow.parquet")
        pa.parquet.write_table(pa.Table.from_pylist(ROWS), tmp_path / "rows.parquet")
        dsi.from_parquet(tmp_path / "rows.parquet", tmp_path / "made.dsi")
        made = dsi.open(tmp_path / "made.dsi")
    else:
        made = written(tmp_path, ROWS if kind == "rows" else pa.Table.from_pylist(ROWS))
    table = made.to_arrow()
    assert table.to_pydict() == EXPECTED
    # What a file gives is read as it is.
    again = tmp_path / "again.dsi"
    dsi.write(table, again, made.schema)
    assert dsi.open(again).to_arrow().equals(table)
    flat = [{name: row[name] for name in row} for row in table.to_pylist()]
    dsi.write(flat, again, made.schema, overwrite=True)
    assert dsi.open(again).to_arrow().equals(table)


def test_rows_of_any_lists(tmp_path):
    rows = [{"t": np.array([[1, 2], [3, 4]])}, {"t": ((5,), np.array([6], dtype=np.int8))}]
    table = written(tmp_path, rows).to_arrow().to_pydict()
    assert table == {"t": [[1, 2, 3, 4], [5, 6]], "t_lengths": [[2, 2], [1, 1]]}
    with pytest.warns(UserWarning, match="stored as ids"):
        table = written(tmp_path, [{"t": [["x"], ["y", "x"]]}]).to_arrow().to_pydict()
    x, y = dsi.id_of_text("x"), dsi.id_of_text("y")
    assert table == {"t": [[x, y, x]], "t_lengths": [[1, 2]]}


@pytest.mark.parametrize("kind", ["rows", "arrow"])
def test_nulls(tmp_path, kind):
    rows = [{"t": [[1, None], None, [2]]}, {"t": [None]}]
    data = rows if kind == "rows" else pa.Table.from_pylist(rows)
    schema = {
        "features": [
            {"name": "t", "kind": "list"},
            {"name": "t_lengths", "kind": "list", "type": "int32"},
        ]
    }
    with pytest.raises(dsi.BadInput):
        written(tmp_path, data, schema)
    dropped = written(tmp_path, data, schema, null_entries="drop").to_arrow().to_pydict()
    assert dropped == {"t": [[1, 2], []], "t_lengths": [[1, 1], []]}
    filled = written(tmp_path, data, schema, null_entries="fill").to_arrow().to_pydict()
    assert filled == {"t": [[1, 0, 2], []], "t_lengths": [[2, 0, 1], [0]]}
    lacking = [{"h": [{"a": 1}, {"a": 2, "b": [3]}]}]
    data = lacking if kind == "rows" else pa.Table.from_pylist(lacking)
    with pytest.raises(dsi.BadInput):
        written(tmp_path, data, null_entries="drop")
    filled = written(tmp_path, data, null_entries="fill").to_arrow().to_pydict()
    assert filled == {"h.a": [[1, 2]], "h.b_lengths": [[0, 1]], "h.b": [[3]]}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"t": [[1], 2]}, "a list"),
        ({"t": [1, 2]}, '"t_lengths" in the row'),
        ({"t": [[[1]]]}, "numbers in the list"),
        ({"h": [{"a": 1}]}, "entry 0 has no 'h.b'"),
        ({"h": [{"a": 1, "b": 2}]}, "a list"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path, row, says):
    schema = written(tmp_path, ROWS).schema
    with pytest.raises(dsi.BadInput, match=says):
        written(tmp_path, [row], schema)


def test_lengths_of_a_batch_cut_its_values(tmp_path):
    batch = next(
        written(tmp_path, ROWS).scan([dsi.Jagged("t"), dsi.Jagged("t_lengths")], batch_size=4)
    )
    values, lengths = batch.jagged("t").values, batch.jagged("t_lengths").values
    inner = [list(part) for part in np.split(values, np.cumsum(lengths)[:-1])]
    assert inner == [[1, 2], [], [3], []]

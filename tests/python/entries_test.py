"""Entries of sequences and weighted features: dicts in a list, and dicts whose keys are data."""

from __future__ import annotations

import dsi
import pytest

np = pytest.importorskip("numpy")

SCHEMA = {
    "features": [
        {"name": "w", "kind": "weighted"},
        {"name": "u.tags", "kind": "weighted", "hashed": True},
        {
            "name": "hist",
            "kind": "sequence",
            "columns": [
                {"name": "item", "type": "uint64"},
                {"name": "at", "type": "int64"},
                {"name": "tag", "type": "int64", "hashed": True},
            ],
        },
    ]
}


def stored(tmp_path, rows, schema=SCHEMA):
    dsi.write(rows, tmp_path / "a.dsi", schema, overwrite=True, keep_order=True)
    return dsi.open(tmp_path / "a.dsi").to_arrow().to_pydict()


def test_keys_are_ids(tmp_path):
    found = stored(
        tmp_path,
        [
            {"w": {7: 0.5, -3: 2}, "u": {"tags": {"red": 1, "7": 0.25}}},
            {"w": {"7": np.float32(0.5), 2**62: 1}, "u": {"tags": {7: 1.0}}},
            {"w": {}, "u": {"tags": {}}},
            {"w": None},
            {"w": {"ids": [1], "weights": [2]}, "u.tags": {"ids": ["red"], "weights": [1]}},
        ],
    )
    assert found["w.ids"] == [[7, -3], [7, 2**62], [], None, [1]]
    assert found["w.weights"] == [[0.5, 2], [0.5, 1], [], None, [2]]
    red, seven = dsi.id_of_text("red"), dsi.id_of_text("7")
    assert found["u.tags.ids"] == [[red, seven], [7], [], None, [red]]
    assert found["u.tags.weights"] == [[1, 0.25], [1], [], None, [1]]


@pytest.mark.parametrize("many", [list, tuple, lambda rows: np.array(rows, object)])
def test_dicts_in_a_list(tmp_path, many):
    entries = [{"item": 2**63, "at": 1, "tag": "a"}, {"tag": "b", "at": 2, "item": 3, "more": None}]
    found = stored(tmp_path, [{"hist": many(entries)}, {"hist": []}, {"hist": None}])
    assert found["hist.item"] == [[2**63, 3], [], None]
    assert found["hist.at"] == [[1, 2], [], None]
    assert found["hist.tag"] == [[dsi.id_of_text("a"), dsi.id_of_text("b")], [], None]


def test_dicts_in_entries(tmp_path):
    rows = [
        {"h": [{"item": {"id": 1, "of": {"brand": "x"}, "tags": [7]}, "pos": 2}]},
        {"h": [{"pos": 3, "item": {"tags": [], "of.brand": "y", "id": 4}}] * 2},
    ]
    x, y = dsi.id_of_text("x"), dsi.id_of_text("y")
    expected = {
        "h.item.id": [[1], [4, 4]],
        "h.item.of.brand": [[x], [y, y]],
        "h.item.tags_lengths": [[1], [0, 0]],
        "h.pos": [[2], [3, 3]],
        "h.item.tags": [[7], []],
    }
    with pytest.warns(UserWarning, match="stored as ids"):
        dsi.write(rows, tmp_path / "a.dsi")
    assert dsi.open(tmp_path / "a.dsi").to_arrow().to_pydict() == expected
    schema = dsi.open(tmp_path / "a.dsi").dsi_schema()
    rows[0]["h"][0]["item"]["of"]["new"] = 5
    with pytest.raises(dsi.BadInput, match=r"h\.item\.of\.new"):
        dsi.write(rows, tmp_path / "b.dsi", schema)
    dsi.write(rows, tmp_path / "b.dsi", schema, ignore_unknown=True)
    assert dsi.open(tmp_path / "b.dsi").to_arrow().to_pydict() == expected


def test_structs_in_entries(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    entries = [{"item": {"id": 1, "of": {"price": 0.5}, "tags": [7]}, "pos": 2}]
    table = pyarrow.Table.from_pylist([{"h": entries}, {"h": []}, {"h": entries * 2}])
    dsi.write(table, tmp_path / "a.dsi")
    assert dsi.open(tmp_path / "a.dsi").to_arrow().to_pydict() == {
        "h.item.id": [[1], [], [1, 1]],
        "h.item.of.price": [[0.5], [], [0.5, 0.5]],
        "h.item.tags_lengths": [[1], [], [1, 1]],
        "h.pos": [[2], [], [2, 2]],
        "h.item.tags": [[7], [], [7, 7]],
    }


@pytest.mark.parametrize("ignore_unknown", [False, True])
def test_dicts_that_hold_themselves_end(tmp_path, ignore_unknown):
    row = {}
    row["a"] = row
    schema = {"features": [{"name": "h", "kind": "sequence", "columns": [{"name": "x"}]}]}
    for rows in ([row], [{"h": [row]}]):
        with pytest.raises(dsi.BadInput, match="a name of more than 4095 bytes"):
            dsi.write(rows, tmp_path / "a.dsi", schema, ignore_unknown=ignore_unknown)


GOOD = {"item": 1, "at": 1, "tag": "a"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"w": {"red": 1}}, "\"w\": the key 'red' is no whole number"),
        ({"w": {2.5: 1}}, '"w.ids"'),
        ({"w": {1: "x"}}, '"w.weights" is of type str, expected numbers'),
        ({"w": {1: None, 2: 1}}, '"w.weights" is of type NoneType'),
        ({"w": {1: {2: 3}}}, '"w.1.2" is no feature'),
        ({"w": {"ids": 3, "weights": 1}}, '"w.ids" is of type int, expected a list'),
        ({"w": 3}, '"w": is of type int, expected a list of dicts, or a dict of lists'),
        ({"w": "abc"}, '"w": is of type str'),
        ({"w": [1, 2]}, '"w": entry 0 is of type int, expected a dict'),
        ({"hist": [GOOD, {"item": 1, "at": 2}]}, "\"hist\": entry 1 has no 'hist.tag'"),
        ({"hist": [GOOD, {**GOOD, "at": None}]}, "\"hist\": entry 1 has no 'hist.at'"),
        ({"hist": [{**GOOD, "new": 1}]}, "entry 0 has 'hist.new', which is no column of it"),
        ({"hist": [{**GOOD, "at": 0.5}]}, '"hist.at"'),
        ({"hist": [GOOD, {**GOOD, "tag": 3}]}, '"hist.tag" is of type int, expected strings alone'),
        ({"hist": {1: 2}}, '"hist.1" is no feature'),
        ({"w": [{"ids": 1, "weights": 1}], "w.ids": [1]}, "set twice"),
    ],
)
def test_what_is_refused(tmp_path, row, words):
    with dsi.Writer(tmp_path / "a.dsi", SCHEMA) as writer:
        with pytest.raises(dsi.Error, match=f"row 1: .*{words}"):
            writer.append([{"w": {1: 1}}, row])
        writer.finish()
    assert dsi.open(tmp_path / "a.dsi").num_rows == 1


def test_what_the_schema_lacks_is_skipped(tmp_path):
    row = {"hist": [{**GOOD, "new": 1}], "w": {1: 1}}
    dsi.write([row], tmp_path / "a.dsi", SCHEMA, ignore_unknown=True)
    assert dsi.open(tmp_path / "a.dsi").to_arrow("hist.item")["hist.item"].to_pylist() == [[1]]


def test_found_without_a_schema(tmp_path):
    rows = [{"k": 1, "hist": [{"item": 3, "at": 7}, {"item": 4, "at": 8}]}, {"k": 2, "hist": []}]
    found = stored(tmp_path, rows, None)
    assert found == {"k": [1, 2], "hist.item": [[3, 4], []], "hist.at": [[7, 8], []]}


def test_names_that_may_be_data_are_told(tmp_path):
    rows = [{"k": i, "scores": {3 * i: 0.5, "x": 1}} for i in range(150)]
    with pytest.warns(UserWarning, match="^the 151 names in scores are features of their own"):
        found = stored(tmp_path, rows, None)
    assert found["scores.9"][3] == 0.5

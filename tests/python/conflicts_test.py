"""Files that disagree about a feature: who does not ask for it reads the rest, who does is told."""

import pathlib
import warnings

import dsi
import numpy
import pytest


def write(path, kind, type, rows):
    features = [
        {"name": "id", "kind": "key", "type": "int64"},
        {"name": "label", "kind": "label", "type": "int8"},
        {"name": "odd", "kind": kind, "type": type},
    ]
    dsi.write(rows, path, {"features": features})


@pytest.fixture
def folder(tmp_path):
    write(
        tmp_path / "a.dsi", "list", "int64", [{"id": i, "label": 1, "odd": [i]} for i in range(5)]
    )
    write(
        tmp_path / "b.dsi",
        "dense",
        "float32",
        [{"id": i, "label": 0, "odd": 0.5} for i in range(5, 9)],
    )
    return tmp_path


TOLD = r'"odd": list of int64.* in .*a\.dsi, dense of float32 in .*b\.dsi'


def test_what_agrees_is_read(folder):
    dataset = dsi.open(folder)
    batches = list(dataset.scan(["id", "lab*"]))
    assert (
        numpy.concatenate([batch.labels.ravel() for batch in batches]).tolist() == [1] * 5 + [0] * 4
    )
    assert len(list(dataset.loader("id", framework="numpy", batch_size=3))) == 3
    assert dataset.to_arrow(["id"])["id"].to_pylist() == list(range(9))
    assert dataset.value_counts("label")["label"].entries == 9
    assert dataset.count_rows(("label", "==", 1)) == 5
    made = dsi.Pipeline().modulus("m", "id", max=3)
    assert sum(len(batch) for batch in dataset.scan(transforms=made)) == 9
    assert dsi.describe(folder).rows == 9
    dsi.rewrite(folder, folder / "new.dsi", drop="odd")
    assert [column.name for column in dsi.open(folder / "new.dsi").columns()] == ["id", "label"]


def test_what_does_not_is_told(folder):
    dataset = dsi.open(folder)
    id, label, odd = dataset.columns()
    assert (id.supported, id.conflict, label.conflict) == (True, None, None)
    assert not odd.supported and odd.conflict.startswith('"odd": list of int64')
    for call in (
        lambda: dataset.scan("odd"),
        lambda: dataset.scan(["label", "o*"]),
        lambda: dataset.scan(),
        lambda: dataset.loader(["*"], framework="numpy"),
        lambda: dataset.to_arrow(),
        lambda: dataset.to_polars_lazy(),
        lambda: dataset.schema,
        lambda: dataset.dsi_schema(),
        lambda: dataset.value_counts(),
        lambda: dataset.count_rows(("odd", "exists")),
        lambda: list(dataset.scan("id", where=("odd", ">", 0))),
        lambda: dsi.rewrite(folder, folder / "new.dsi"),
        lambda: dsi.rewrite(folder, folder / "new.dsi", drop="label"),
        lambda: dataset.scan(transforms=dsi.Pipeline().log1p("m", "odd")),
        lambda: dsi.write(dataset, folder / "new.dsi"),
    ):
        with pytest.raises(dsi.BadInput, match=TOLD):
            call()
    assert not (folder / "new.dsi").exists()


def test_what_only_a_newer_version_can_read_is_told():
    rules = pathlib.Path(__file__).parents[1] / "golden" / "rules"
    dataset = dsi.open(rules / "S-010.time_of_an_unknown_kind.unsupported.dsi")
    newer = next(column for column in dataset.columns() if column.name == "t")
    assert not newer.supported and newer.conflict is None
    for call in (lambda: dataset.scan(["g0", "t*"]), lambda: dataset.arrow(["g0", "*"])):
        with pytest.warns(UserWarning, match='left out: "t": in .*unknown kind'):
            call()
    with pytest.raises(dsi.Unsupported, match="unknown kind"):
        dataset.scan(["g0", "t"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sum(len(batch) for batch in dataset.scan(["g0"])) == len(dataset)

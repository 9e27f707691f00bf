"""What a batch says of columns that it has elsewhere, or not at all."""

import pickle
import textwrap

import dsi
import pytest

FEATURES = [
    "dense.hour",
    "item.cats",
    dsi.Dense("dense.position", set="place"),
    dsi.Padded("context.page", width=4),
    dsi.Padded("item.words", width=4, unique=True),
    dsi.Jagged("item.brand"),
    dsi.Kjt("user.segments", set="user"),
]


@pytest.fixture(params=[False, True], ids=["batch", "pickled"])
def batch(request, sessions):
    made = next(dsi.open(sessions).scan(FEATURES))
    return pickle.loads(pickle.dumps(made)) if request.param else made


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda b: b.labels, dsi.NotFound, ["batch.labels", "dsi.Labels(names)", "'place'"]),
        (lambda b: b.dense_of("typo"), dsi.NotFound, ["set 'typo'", "batch.dense, 'place'"]),
        (lambda b: b.dense_names("typo"), dsi.NotFound, ["set 'typo'", "batch.dense, 'place'"]),
        (lambda b: b.dense_present("typo"), dsi.NotFound, ["dsi.Dense(names, set='typo')"]),
        (
            lambda b: b.jagged("item.cats"),
            dsi.NotFound,
            ["'item.cats' is in batch.kjt();", "dsi.Jagged('item.cats')"],
        ),
        (lambda b: b.jagged("user.segments"), dsi.NotFound, ["batch.kjt('user')"]),
        (
            lambda b: b.padded("dense.hour"),
            dsi.NotFound,
            ["batch.dense;", "dsi.Padded('dense.hour')"],
        ),
        (lambda b: b.padded("dense.position"), dsi.NotFound, ["batch.dense_of('place')"]),
        (
            lambda b: b.ikjt("item.brand"),
            dsi.InvalidArgument,
            ["batch.jagged('item.brand')", "dsi.Jagged('item.brand', unique=True)"],
        ),
        (lambda b: b.jagged("item.words"), dsi.InvalidArgument, ["batch.padded('item.words')"]),
        (
            lambda b: b.jagged("item.brnad"),
            dsi.NotFound,
            ["no column named 'item.brnad' is read here; near it: item.brand"],
        ),
        (lambda b: b.kjt_parts("x"), dsi.NotFound, ["'', 'user'", "dsi.Kjt(names, set='x')"]),
    ],
)
def test_it_says_where_a_column_is_and_how_to_have_it(batch, ask, error, words):
    with pytest.raises(error) as told:
        ask(batch)
    assert [word for word in words if word not in str(told.value)] == []


def test_it_says_that_there_is_no_dense(sessions):
    batch = next(dsi.open(sessions).scan("label"))
    with pytest.raises(dsi.NotFound, match=r"kind dense, or dsi\.Dense") as told:
        batch.dense  # noqa: B018
    assert "there are: batch.labels" in str(told.value)
    assert batch.dense_names() == [] and batch.dense_names("labels") == ["label"]


def test_weights_are_in_the_set_of_their_ids(tmp_path):
    schema = {"features": [{"name": "w", "kind": "weighted", "type": "int64"}]}
    dsi.write([{"w": {1: 0.5}}], tmp_path / "a.dsi", schema)
    batch = next(dsi.open(tmp_path / "a.dsi").scan("w"))
    for name in ("w.ids", "w.weights"):
        with pytest.raises(dsi.NotFound, match=r"is in batch.kjt\('weighted'\)"):
            batch.jagged(name)


def test_the_example_of_the_package(sessions, tmp_path, monkeypatch):
    pytest.importorskip("torchrec")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day=1").mkdir()
    (tmp_path / "day=1" / "part-0.dsi").symlink_to(sessions)
    example = textwrap.dedent(dsi.__doc__.split("\n\n")[1])
    taken = []
    exec(example, {"model": lambda dense, keys: taken.append((dense, keys))})
    (dense, keys) = taken[0]
    assert dense.shape == (3000, 10) and {"item.id"} <= set(keys.keys())

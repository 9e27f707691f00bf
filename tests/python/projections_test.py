"""What names and patterns stand for, in all that takes features: nothing is never everything."""

import pickle

import dsi
import numpy as np
import pytest

SCHEMA = {
    "features": [
        {"name": "w", "kind": "weighted", "type": "int64"},
        {"name": "price", "kind": "dense", "type": "float32"},
        {"name": "label", "kind": "label", "type": "int8"},
    ]
}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("projections") / "a.dsi"
    rows = [{"w": {i: i / 2, i + 1: 1.0}, "price": i / 4, "label": i % 2} for i in range(50)]
    dsi.write(rows, path, SCHEMA, keep_order=True)
    return dsi.open(path)


CALLS = [
    lambda table, features: table.scan(features),
    lambda table, features: table.loader(features, framework="numpy"),
    lambda table, features: table.value_counts(features),
    lambda table, features: table.arrow(features),
    lambda table, features: dsi.describe(table, features),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_pattern_that_matches_nothing(table, call):
    for features in ("usr.*", ["price", "usr.*"], ["usr.?", "lab*"]):
        with pytest.raises(dsi.NotFound, match=r"usr"):
            call(table, features)


@pytest.mark.parametrize("call", CALLS)
def test_no_name_is_not_every_name(table, call):
    with pytest.raises(dsi.InvalidArgument, match="None asks for all"):
        call(table, [])


def test_projections_of_nothing(table):
    for one in (dsi.Padded("usr.*"), [dsi.Dense("price"), dsi.Kjt("usr.*")]):
        with pytest.raises(dsi.NotFound, match="usr"):
            table.scan(one)
    with pytest.raises(dsi.InvalidArgument, match="None asks for all"):
        table.scan([dsi.Padded([])])
    price = dsi.Pipeline().log1p("p", "price")
    with pytest.raises(dsi.NotFound, match="usr"):
        table.scan("usr.*", transforms=price)
    with pytest.raises(dsi.InvalidArgument, match="None asks for all"):
        table.scan([], transforms=price)
    assert next(table.scan("p*", transforms=price)).dense_names() == ["p", "price"]


def test_weights_alone(table):
    """They are lists of floats, and nothing else is read; beside their ids they come once."""
    expected = [weight for i in range(50) for weight in (i / 2, 1.0)]
    for features in ("w.weights", ["w.weights", "label"], ["*.weights"]):
        batch = next(table.scan(features))
        assert batch.jagged("w.weights").values.tolist() == expected
        with pytest.raises(dsi.NotFound):
            batch.kjt_parts("weighted")
    assert list(table.value_counts("w.weights")) == ["w.weights"]
    assert table.value_counts("w.weights")["w.weights"].entries == 100
    for features, name in (
        ("w", "weighted"),
        (["w.weights", "w.ids"], "weighted"),
        (["w.*"], "weighted"),
        (["w.weights", dsi.Kjt("w", set="x")], "x"),
    ):
        batch = next(table.scan(features))
        assert np.array(batch.kjt_parts(name).weights).tolist() == expected
        with pytest.raises(dsi.NotFound):
            batch.jagged("w.weights")
    with pytest.raises(dsi.InvalidArgument, match=r"'w\.weights' is no key without its ids"):
        table.scan(["label", dsi.Kjt("w.weights")])


CALLS_OF_NAMES = [
    lambda table, features: next(table.scan(features)).dense_names(),
    lambda table, features: next(iter(table.loader(features, framework="numpy"))).dense_names(),
    lambda table, features: list(table.value_counts(features)),
    lambda table, features: table.arrow(features).column_names,
    lambda table, features: table.to_arrow(features).column_names,
    lambda table, features: ["price"] * (dsi.describe(table, features).plan.columns == 1),
    lambda table, features: [
        found.name for found in dsi.compare(table, table, features=features).columns
    ],
    lambda table, features: next(table.scan(dsi.Dense(features))).dense_names(),
]


@pytest.mark.parametrize("call", CALLS_OF_NAMES)
def test_names_in_whatever_they_come(table, call):
    pandas = pytest.importorskip("pandas")
    (price,) = (column for column in table.columns() if column.name == "price")
    for names in (
        "price",
        {"price"},
        {"price": 1}.keys(),
        (name for name in ["price"]),
        np.array(["price"]),
        np.array(["price"], dtype=object),
        pandas.Index(["price"]),
        price,
        [price],
        (column for column in [price]),
    ):
        assert call(table, names) == ["price"]
    for wrong, word in (([3], "3"), (3, "3"), (["label", None], "None"), (b"price", "b'price'")):
        with pytest.raises(dsi.InvalidArgument, match=f"is {word}, expected a name, a pattern"):
            call(table, wrong)


def test_projections_from_an_iterator(table):
    """They are kept, so that loaders may be pickled."""
    asked = (one for one in (dsi.Dense(name for name in ["price"]), "label"))
    loader = table.loader(asked, framework="numpy")
    copy = pickle.loads(pickle.dumps(loader))
    for one in (loader, copy):
        (batch,) = one
        assert batch.dense_names() == ["price"] and batch.labels.shape == (50,)
    with pytest.raises(dsi.InvalidArgument, match="one of columns is Dense"):
        table.arrow([dsi.Dense("price")])
    with pytest.raises(dsi.InvalidArgument, match="one of key is 3, expected a name"):
        dsi.compare(table, table, key=[3])

"""Polars: lazy frames give what frames give, and read what they need."""

import random

import dsi
import pytest

polars = pytest.importorskip("polars")
from dsi.polars import terms_of  # noqa: E402
from polars import col, lit  # noqa: E402


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """10 stripes, in each of which `day` is one number."""
    rng = random.Random(4)
    rows = [
        {
            "day": i // 1000,
            "u": rng.choice([None, 0, 1, 2**64 - 1]),
            "x": rng.choice([0.25, 0.1, float("nan"), None, -1.5]),
            "ok": rng.random() < 0.5,
            "t": 1_600_000_000 + i,
            "s": rng.choice(["a", "b", None]),
            "big.list": [rng.randrange(2**40) for _ in range(20)],
        }
        for i in range(10_000)
    ]
    schema = {
        "features": [
            {"name": "day", "kind": "key", "type": "int32"},
            {"name": "u", "kind": "label", "type": "uint64"},
            {"name": "x", "kind": "dense", "type": "float32"},
            {"name": "ok", "kind": "dense", "type": "bool"},
            {"name": "t", "kind": "timestamp", "unit": "s"},
            {"name": "s", "kind": "string"},
            {"name": "big.list", "kind": "list"},
        ]
    }
    path = tmp_path_factory.mktemp("polars") / "a.dsi"
    dsi.write(rows, path, schema, keep_order=True, stripe_rows=1000)
    return path


# Predicates, and the terms that a scan gets of them.
PREDICATES = [
    (col("day") == 3, [("day", "==", 3)]),
    (lit(3) < col("day"), [("day", ">", 3)]),
    (
        (col("day") >= 2) & (col("day") <= 4) & (col("s") == "a"),
        [("day", ">=", 2), ("day", "<=", 4), ("s", "==", "a")],
    ),
    (col("day").is_between(2, 4, closed="left"), [("day", ">=", 2), ("day", "<", 4)]),
    (col("u") == 2**64 - 1, [("u", "==", 2**64 - 1)]),
    (col("x") < 0.25, [("x", "<", 0.25)]),
    (col("x") <= 0.1, []),
    (col("x") == 0.25, [("x", "==", 0.25)]),
    (col("x") > 0, []),
    (col("x") >= 0, []),
    (col("x") != 0.25, []),
    (col("x").is_nan(), []),
    (col("ok"), []),
    (col("ok") == True, None),  # noqa: E712
    (~(col("day") == 3), None),
    ((col("day") == 3) | (col("day") == 5), [[("day", "==", 3), ("day", "==", 5)]]),
    (
        ((col("day") == 3) & (col("s") == "a")) | col("u").is_null(),
        [[("day", "==", 3), ("u", "missing")], [("s", "==", "a"), ("u", "missing")]],
    ),
    ((col("day") == 3) | (col("x") > 0), []),
    ((col("day") < 2) | (col("x") < 0.25) | (col("s") == "a"), None),
    (col("day").is_in([1, 2]), [("day", "in", [1, 2])]),
    (col("day").is_in(polars.Series([1, 7, None])), [("day", "in", [1, 7])]),
    (col("day").is_in([1, None], nulls_equal=True), []),
    (col("u").is_in([1, None], nulls_equal=True), []),
    (~col("day").is_in([1, 2]), []),
    (col("x").is_in([0.25, -1.5]), [("x", "in", [0.25, -1.5])]),
    (col("x").is_in([0.25, float("nan")]), []),
    (col("s").is_in(["b", "c"]), [("s", "in", ["b", "c"])]),
    (col("s") > "a", [("s", ">", "a")]),
    (lit("b") == col("s"), [("s", "==", "b")]),
    (col("s").is_null(), [("s", "missing")]),
    (col("u").is_not_null() & (col("day") == 4), [("u", "exists"), ("day", "==", 4)]),
    (col("day") != 3, [("day", "!=", 3)]),
    (col("u").is_null(), [("u", "missing")]),
    (col("u") != 1, [("u", "!=", 1)]),
    (col("t") > polars.datetime(2020, 9, 13, 14), []),
    (col("big.list").list.len() > 3, []),
    (col("day") * 2 == 6, []),
    (col("day") > 3.5, None),
]


@pytest.mark.parametrize(("predicate", "terms"), PREDICATES, ids=[str(p) for p, _ in PREDICATES])
def test_predicates(file, predicate, terms):
    data = dsi.open(file)
    frame = polars.DataFrame(data)
    lazy = data.to_polars_lazy()
    assert lazy.filter(predicate).collect().equals(frame.filter(predicate))
    found = lazy.filter(predicate).select("s", "day").collect()
    assert found.equals(frame.filter(predicate).select("s", "day"))
    if terms is not None:
        columns = {column.name: column for column in data.columns()}
        clauses = [term if isinstance(term, list) else [term] for term in terms]
        assert [one.terms for one in terms_of(predicate, columns)] == clauses


@pytest.fixture
def watched(file, monkeypatch):
    """Statistics of the scans that a query makes."""
    from dsi import arrow

    begun = []
    start = arrow.ArrowScan._start

    def watch(self):
        begun.append(self)
        return start(self)

    lazy = dsi.open(file).to_polars_lazy()
    monkeypatch.setattr(arrow.ArrowScan, "_start", watch)

    def run(query):
        begun.clear()
        frame = query(lazy).collect()
        assert len(begun) == 1
        return frame, begun[0]

    return run


def test_what_is_asked_for_is_read(watched):
    _, everything = watched(lambda lazy: lazy)
    _, day = watched(lambda lazy: lazy.select("day"))
    frame, one = watched(lambda lazy: lazy.filter(col("day") == 3).select("big.list"))
    assert frame.shape == (1000, 1)
    assert day.column_names == ["day"]
    assert day.stats["bytes_read"] * 100 < everything.stats["bytes_read"]
    assert one.stats["rows"] == 1000
    assert one.stats["stripes_skipped"] == 9
    assert one.stats["bytes_read"] * 5 < everything.stats["bytes_read"]


def test_a_limit_ends_the_scan(watched):
    frame, scan = watched(lambda lazy: lazy.head(5))
    assert len(frame) == 5
    assert scan.stats["rows"] <= 5
    frame, scan = watched(lambda lazy: lazy.filter(col("day") >= 8).head(3))
    assert frame["day"].to_list() == [8, 8, 8]


def test_queries(file):
    data = dsi.open(file)
    frame, lazy = polars.DataFrame(data), data.to_polars_lazy()
    assert lazy.collect().equals(frame)
    assert lazy.collect_schema() == frame.schema
    assert lazy.select(polars.len()).collect().item() == 10_000
    assert lazy.filter(col("day") == 2).select(polars.len()).collect().item() == 1000
    grouped = lazy.group_by("day").agg(col("x").count(), col("big.list").list.sum().sum())
    expected = frame.group_by("day").agg(col("x").count(), col("big.list").list.sum().sum())
    assert grouped.collect().sort("day").equals(expected.sort("day"))
    assert lazy.collect(engine="streaming").sort("t").equals(frame.sort("t"))
    joined = lazy.join(lazy.filter(col("day") == 1), on="t").select("t").collect()
    assert len(joined) == 1000
    dsi.write(lazy.filter(col("day") == 1).collect(), file.parent / "b.dsi", overwrite=True)
    assert len(dsi.open(file.parent / "b.dsi")) == 1000


def test_empty(tmp_path):
    dsi.write([], tmp_path / "a.dsi", {"features": [{"name": "a", "kind": "dense"}]})
    assert dsi.open(tmp_path / "a.dsi").to_polars_lazy().collect().shape == (0, 1)

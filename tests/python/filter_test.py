"""Terms of a filter: of every form, in every kind of read, and those that are none."""

import pickle
import random
from datetime import date, datetime, timedelta, timezone

import dsi
import pytest

np = pytest.importorskip("numpy")

SCHEMA = {
    "features": [
        {"name": "row", "kind": "dense", "type": "int64"},
        {"name": "label", "kind": "label", "type": "int8"},
        {"name": "city", "kind": "string"},
        {"name": "user", "kind": "key", "type": "bytes"},
        {"name": "clicks", "kind": "list", "type": "int64"},
    ]
}


@pytest.fixture(scope="module")
def rows():
    rng = random.Random(5)
    made = []
    for i in range(3000):
        row = {"row": i, "label": rng.randrange(3), "user": f"u{i // 7}", "clicks": [i, i + 1]}
        if rng.random() < 0.8:
            row["city"] = rng.choice(["Bern", "Oslo", "Zürich", ""])
        if rng.random() < 0.5:
            del row["clicks"]
        made.append(row)
    return made


@pytest.fixture(scope="module")
def table(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("filter") / "a.dsi"
    dsi.write(rows, path, SCHEMA, keep_order=True, stripe_rows=700)
    return dsi.open(path)


def rows_of(batches):
    return [int(row) for batch in batches for row in batch.padded("row").values[:, 0]]


def city(row):
    return row.get("city")


def hashed(value, salt=0):
    """What dsi.Hash says of a whole number: SplitMix64."""
    z = (value + (salt + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return ((z ^ (z >> 31)) >> 11) / 2**53


TERMS = [
    ((dsi.Hash("label"), "<", 0.5), lambda r: hashed(r["label"]) < 0.5),
    ((dsi.Hash("row", salt=7), ">=", 0.9), lambda r: hashed(r["row"], 7) >= 0.9),
    (("city", "==", "Bern"), lambda r: city(r) == "Bern"),
    (("city", "!=", "Zürich"), lambda r: city(r) not in (None, "Zürich")),
    (("city", "==", b"Oslo"), lambda r: city(r) == "Oslo"),
    (("city", ">", "Bern"), lambda r: city(r) is not None and city(r) > "Bern"),
    (("city", "in", ["", "Zürich"]), lambda r: city(r) in ("", "Zürich")),
    (("city", "not in", {"", "Bern"}), lambda r: city(r) not in (None, "", "Bern")),
    (("city", "missing"), lambda r: "city" not in r),
    (("clicks", "exists"), lambda r: "clicks" in r),
    ((dsi.Length("clicks"), ">=", 2), lambda r: "clicks" in r),
    ((dsi.Length("city"), "in", [0, 7]), lambda r: city(r) in ("", "Zürich")),
    (("label", "in", (0, 2.0, -7)), lambda r: r["label"] != 1),
    (("label", "in", np.array([1], dtype=np.uint8)), lambda r: r["label"] == 1),
    (("label", "==", np.int64(2)), lambda r: r["label"] == 2),
    (("label", "in", []), lambda r: False),
    (("user", "in", [f"u{i}" for i in range(0, 500, 3)]), lambda r: int(r["user"][1:]) % 3 == 0),
    ([("label", "==", 1), ("city", "missing"), ("user", "<", "u2")],
     lambda r: r["label"] == 1 and "city" not in r and r["user"] < "u2"),
    (dsi.AnyOf(("label", "==", 1), ("city", "missing")),
     lambda r: r["label"] == 1 or "city" not in r),
    ([dsi.AnyOf(("city", "==", "Bern"), dsi.AnyOf(("label", "==", 2))), ("user", "<", "u2")],
     lambda r: (city(r) == "Bern" or r["label"] == 2) and r["user"] < "u2"),
]  # fmt: skip


@pytest.mark.parametrize(("term", "passes"), TERMS, ids=[str(term)[:60] for term, _ in TERMS])
def test_every_way_to_read(table, rows, term, passes):
    expected = [row["row"] for row in rows if passes(row)]
    column = dsi.Padded("row", width=1)
    assert rows_of(table.scan([column], where=term, framework="numpy")) == expected
    loader = table.loader([column], where=term, shuffle="block", block_rows=50, framework="numpy")
    assert sorted(rows_of(loader)) == expected
    assert table.to_arrow("row", where=term)["row"].to_pylist() == expected
    rewritten = table.files[0].path + ".less.dsi"
    (shard,) = dsi.rewrite(table, rewritten, where=term, overwrite=True)
    assert dsi.open(shard.path).num_rows == len(expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"where": (term for term in [("label", "==", 1), ("city", "exists")])},
        lambda: {"where": [("label", "in", iter([1, 2]))]},
        lambda: {"where": ("city", "not in", (city for city in ["Bern"]))},
        lambda: {"where": iter([dsi.AnyOf(("row", "in", map(int, range(9))), ("label", "==", 0))])},
        lambda: {"sample": iter([(iter([("label", "in", iter([1]))]), 0.2)])},
        lambda: {"rows": ((at, at + 7) for at in (0, 50, 2000))},
        lambda: {"rows": iter(np.array([[3, 90], [100, 110]]))},
    ],
)
def test_iterators_say_the_same_in_each_epoch(table, make):
    column = dsi.Padded("row", width=1)
    expected = rows_of(table.scan([column], framework="numpy", **make()))
    assert 0 < len(expected) < 3000
    loader = table.loader([column], framework="numpy", **make())
    for _ in range(2):
        assert rows_of(loader) == expected
    assert rows_of(pickle.loads(pickle.dumps(loader))) == expected
    assert table.count_rows(**make()) == len(expected)


def test_what_becomes_of_the_callers_lists_is_no_matter(table):
    column, labels = dsi.Padded("row", width=1), [1]
    terms = [("label", "in", labels)]
    loader = table.loader([column], framework="numpy", where=terms)
    expected = rows_of(loader)
    labels.append(2)
    terms.append(("row", "<", 5))
    assert rows_of(loader) == expected


@pytest.mark.parametrize(
    ("term", "said"),
    [
        (("city", "==", 1), "holds strings"),
        (("label", "==", "1"), "compares with numbers"),
        (("label", "in", [1, "1"]), "compares with numbers"),
        (("clicks", "==", 1), "whether they exist"),
        ((dsi.Length("label"), "==", 1), "label is a label of int8, which has no length"),
        ((dsi.Length("clicks"), "==", "1"), "the length of clicks compares with numbers"),
        ((dsi.Length("clicks"), "=="), r"not of the form \(Length\(column='clicks'\), '==', value"),
        ((dsi.Hash("clicks"), "<", 0.5), "whether they exist"),
        ((dsi.Hash("label"), "==", 0.5), "expected < <= > or >="),
        (("label", "~", 1), "a comparison is '~'"),
        (("label",), "not enough"),
        (("label", "=="), "not of the form"),
        (("label", "exists", 1), "not of the form"),
        (("label", "in", 1), "list or set"),
        (("city", "in", "Bern"), "list or set"),
        (("label", "==", None), "a value of type NoneType; expected a number"),
        (("label", "in", [1, object()]), "a value of type object"),
        ("label > 1", "a term such as"),
        (5, "a term such as"),
        ([("label", ">", 1), 5], "a tuple such as"),
        ([("label", ">", 1), "label < 3"], "a tuple such as"),
        (dsi.AnyOf(("label", ">", 1), "label < 3"), "a tuple such as"),
        (dsi.AnyOf(("label", ">", 1), ("city", "==", 1)), "holds strings"),
    ],
)
def test_terms_that_are_none(table, term, said):
    with pytest.raises(dsi.InvalidArgument, match=said):
        table.scan(["row"], where=term)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times(tmp_path, unit):
    days = np.datetime64("2026-01-01", "D") + np.arange(100)
    schema = {
        "features": [
            {"name": "day", "kind": "dense", "type": "int64"},
            {"name": "at", "kind": "timestamp", "unit": unit},
        ]
    }
    rows = [{"day": i, "at": at} for i, at in enumerate(days.astype(f"datetime64[{unit}]"))]
    dsi.write(rows, tmp_path / "times.dsi", schema, keep_order=True, stripe_rows=10)
    table = dsi.open(tmp_path / "times.dsi")
    east = timezone(timedelta(hours=2))
    for when in (
        date(2026, 2, 1),
        datetime(2026, 2, 1),
        datetime(2026, 2, 1, 2, tzinfo=east),
        datetime(2026, 1, 31, 12, 0, 0, 1),  # Between numbers of most units.
        np.datetime64("2026-02-01"),
        np.datetime64("2026-02-01T00:00:00", "ns"),
        np.datetime64("2026-01-31T23:59:59.999"),
        "2026-02-01",
    ):
        scan = table.scan(["day"], where=("at", ">=", when), framework="numpy")
        assert sum(len(batch) for batch in scan) == 69, when
    some = days[5:8].astype("datetime64[ns]")
    assert table.to_arrow("day", where=("at", "in", some))["day"].to_pylist() == [5, 6, 7]
    with pytest.raises(dsi.InvalidArgument, match='at: "NaT" is not a whole number'):
        table.scan(["day"], where=("at", "==", np.datetime64("NaT")))


def test_any_of_nothing():
    with pytest.raises(dsi.InvalidArgument, match="takes one or more terms"):
        dsi.AnyOf()


def test_any_of_is_pickled_and_shown():
    one = dsi.AnyOf(("label", "==", 1), dsi.AnyOf(("city", "missing")))
    assert repr(pickle.loads(pickle.dumps(one))) == "AnyOf(('label', '==', 1), ('city', 'missing'))"


def test_samples_of_any(table, rows):
    some = dsi.AnyOf(("label", "==", 1), ("city", "missing"))
    left = table.scan([dsi.Padded("row", width=1)], sample=[(some, 0)], framework="numpy")
    passing = [row["row"] for row in rows if row["label"] != 1 and "city" in row]
    assert rows_of(left) == passing


def test_a_plan_of_what_some_files_lack(table, rows, tmp_path):
    dsi.write([{"row": 1}], tmp_path / "b.dsi", {"features": SCHEMA["features"][:1]})
    both = dsi.open([table.files[0].path, tmp_path / "b.dsi"])
    missing = sum("city" not in row for row in rows)
    found = [len(batch) for batch in both.scan(["row"], where=("city", "missing"))]
    assert sum(found) == missing + 1
    either = dsi.AnyOf(("city", "exists"), ("row", "==", 1))
    for term, skipped in (
        (("city", "missing"), 0),
        (("city", "exists"), 1),
        (either, 0),
        (dsi.AnyOf(("city", "exists"), ("label", "==", 99)), 1),
        ([("row", "==", 1), dsi.AnyOf(("city", "missing"), ("row", "<", -1))], 0),
    ):
        assert dsi.describe(both, "row", where=term).plan.stripes_skipped == skipped

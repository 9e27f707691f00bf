"""DuckDB and pyarrow datasets: queries give what they give on tables, and read what they need."""

import random

import dsi
import pyarrow
import pyarrow.compute as pc
import pyarrow.dataset
import pytest
from dsi._substrait import terms_of

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """20 stripes, in each of which `day` is one number."""
    rng = random.Random(3)
    rows = [
        {
            "day": i // 1000,
            "small": rng.choice([None, 0, 1, 2]),
            "x": rng.choice([0.25, 0.5, float("nan"), None, -1.5]),
            "ok": rng.random() < 0.5,
            "t": 1_600_000_000_000_000 + i,
            "s": rng.choice(["a", "b", None]),
            "big.list": [rng.randrange(2**40) for _ in range(20)],
            "a b": i,
        }
        for i in range(20_000)
    ]
    schema = {
        "features": [
            {"name": "day", "kind": "key", "type": "int32"},
            {"name": "small", "kind": "label", "type": "uint8"},
            {"name": "x", "kind": "dense", "type": "float32"},
            {"name": "ok", "kind": "dense", "type": "bool"},
            {"name": "t", "kind": "timestamp", "unit": "us"},
            {"name": "s", "kind": "string"},
            {"name": "big.list", "kind": "list"},
            {"name": "a b", "kind": "dense", "type": "int64"},
        ]
    }
    path = tmp_path_factory.mktemp("duckdb") / "a.dsi"
    dsi.write(rows, path, schema, keep_order=True, stripe_rows=1000)
    return path


@pytest.fixture(scope="module")
def table(file):
    return dsi.open(file).to_arrow()


QUERIES = [
    "select * from t",
    "select count(*) from t",
    "select count(*) from t where day = 3",
    "select day, small from t where day = 3 and small = 1",
    "select small from t where small <> 1",
    "select small from t where small = 1 or day = 7",
    "select small from t where small in (0, 2)",
    "select s from t where s in ('a', 'x') or s = 'b'",
    "select s from t where s not in ('a', 'x')",
    "select small from t where small in (0, null)",
    "select small from t where small is null",
    "select small from t where small is not null and day between 3 and 5",
    "select x from t where x > 0",
    "select x from t where x < 0.3",
    "select x from t where x <= 0.25",
    "select x from t where x = 0.5",
    "select x from t where x <> 0.5",
    "select x from t where isnan(x)",
    "select ok from t where ok",
    "select ok from t where not ok and day < 2",
    "select s, day from t where s = 'a' and day >= 18",
    "select t from t where t >= timestamp '2020-09-13 12:26:40.015' and s is not null",
    'select "big.list"[1] from t where day = 11 and len("big.list") = 20',
    'select "a b" from t where "a b" < 10',
    "select day, sum(small), avg(x) from t where day > 15 group by day",
    'select a.day from t a join t b on a."a b" = b."a b" where b.day = 4',
    'select day from t order by "a b" desc limit 3',
    "select day from t limit 5",
]


@pytest.mark.parametrize("query", QUERIES)
def test_queries_give_what_they_give_on_tables(file, table, query):
    def sorted_rows(relation):
        return sorted(map(repr, relation.fetchall()))

    con = duckdb.connect()
    dsi.open(file).to_duckdb(con, "t")
    found = sorted_rows(con.sql(query))
    con.unregister("t")
    con.register("t", table)
    assert found == sorted_rows(con.sql(query))


def asked(file, query):
    """Statistics of the scan that a query makes."""
    con = duckdb.connect()
    source = dsi.open(file).to_pyarrow_dataset()
    con.register("t", source)
    rows = con.sql(query).fetchall()
    return rows, source.last_scan


def test_projection_and_predicate_are_pushed_down(file):
    _, everything = asked(file, "select * from t")
    _, day = asked(file, "select day from t")
    rows, one = asked(file, 'select "big.list" from t where day = 3')
    assert len(rows) == 1000
    assert day.column_names == ["day"]
    assert day.stats["bytes_read"] * 100 < everything.stats["bytes_read"]
    assert one.column_names == ["big.list"]
    assert one.stats["rows"] == 1000
    assert one.stats["stripes_skipped"] == 19
    assert one.stats["bytes_read"] * 10 < everything.stats["bytes_read"]


def test_what_cannot_be_pushed_down_is_filtered(file):
    rows, scan = asked(file, "select day from t where s like '%a' and day = 3")
    assert 200 < len(rows) < 500
    assert scan.column_names == ["day", "s"]
    assert scan.stats["rows"] == 1000


def test_strings_sets_and_nulls_are_pushed_down(file):
    for where in (
        "s = 'a' and day = 3",
        "day in (3, 5, 8) and s is null",
        "small in (0, 2)",
        "s in ('a', '') and day < 5",
        "day = 3 or day = 5",
        "s >= 'a' and s < 'b'",
    ):
        rows, scan = asked(file, f"select x from t where {where}")
        assert scan.stats["rows"] == len(rows) > 0


def test_relations(file):
    data = dsi.open(file)
    relation = data.to_duckdb()
    assert relation.filter("day = 3").count("*").fetchall() == [(1000,)]
    dsi.write(relation.filter("day = 3").project("day, s"), file.parent / "b.dsi", overwrite=True)
    assert len(dsi.open(file.parent / "b.dsi")) == 1000


FILTERS = [
    (pc.field("day") == 3, True),
    (pc.field("day") > pyarrow.scalar(3, "int8"), True),
    (pc.scalar(3) < pc.field("day"), True),
    ((pc.field("small") == 1) & (pc.field("day") != 2) & (pc.field("x") <= 0.25), True),
    (pc.field("small") == pyarrow.scalar(2, "uint8"), True),
    (pc.field("x") < pyarrow.scalar(0.5, "float32"), True),
    (pc.field("x") != 0.5, True),
    (pc.field("x") > 0.1, False),
    (pc.field("ok") == True, True),  # noqa: E712
    (pc.field("ok"), False),
    (pc.field("t") >= pyarrow.scalar(1_600_000_000_015_000, pyarrow.timestamp("us")), True),
    (pc.field("t") >= pyarrow.scalar(1_600_000_000_015, pyarrow.timestamp("ms")), True),
    (~(pc.field("day") == 3), False),
    ((pc.field("day") == 3) | (pc.field("day") == 4), True),
    ((pc.field("day") == 3) | (pc.field("s") == "a"), True),
    ((pc.field("day") == 3) | (pc.field("day") > 15), True),
    (((pc.field("day") == 3) & (pc.field("s") == "a")) | pc.field("small").is_null(), True),
    ((pc.field("day") == 3) | (pc.field("x") > 0.1), False),
    ((pc.field("day") == 3) | (pc.field("day") + 1 == 9), False),
    ((pc.field("s") == "a") & ((pc.field("day") == 3) | (pc.field("day") + 1 == 9)), False),
    ((pc.field("day") == 3) & (pc.field("s") == "a"), True),
    (pc.field("s") > "a", True),
    (pc.scalar("b") >= pc.field("s"), True),
    (pc.field("day").isin([3, 4]), True),
    ((pc.field("day").isin([3, 4])) | (pc.field("day") == 7), True),
    (pc.field("day").isin([3, None]), False),
    (~pc.field("day").isin([3, 4]), False),
    (pc.field("s").isin(["a", "c"]), True),
    (pc.field("x").isin([0.25, float("nan")]), False),
    (pc.field("small").is_null(), True),
    (pc.field("s").is_valid() & pc.field("x").is_valid(), True),
    (pc.field("x").is_null(nan_is_null=True), False),
    (
        pc.if_else(pc.field("s").is_valid(), pc.field("s") == "a", pyarrow.scalar(None, "bool")),
        True,
    ),
    (pc.if_else(pc.field("s").is_valid(), pc.field("s") == "a", pyarrow.scalar(True)), False),
    (pc.if_else(pc.field("day") == 3, pc.field("s") == "a", pyarrow.scalar(False)), False),
    (pc.field("day") + 1 == 3, False),
    (pc.field("a b") < 7, True),
    (pc.field("day") == pc.field("small"), False),
    (pc.scalar(True), False),
]


@pytest.mark.parametrize(("filter", "pushed"), FILTERS, ids=[str(f) for f, _ in FILTERS])
def test_filters_of_pyarrow(file, table, filter, pushed):
    source = dsi.open(file).to_pyarrow_dataset()
    found = source.to_table(columns=["a b", "big.list"], filter=filter)
    expected = pyarrow.dataset.dataset(table).to_table(columns=["a b", "big.list"], filter=filter)
    assert found.replace_schema_metadata().equals(expected.replace_schema_metadata())
    usable = {"day", "small", "x", "ok", "t", "a b", "s"}
    _, exact = terms_of(filter, source.schema, usable)
    assert exact == pushed
    if pushed:
        assert source.last_scan.stats["rows"] == found.num_rows
    assert source.count_rows(filter) == expected.num_rows


def test_datasets_of_pyarrow(file, table):
    import pickle

    source = dsi.open(file).to_pyarrow_dataset()
    assert source.schema.names == table.column_names
    assert source.count_rows() == 20_000
    assert source.head(5).num_rows == 5
    assert source.to_table().num_rows == 20_000
    made = source.to_table(columns={"twice": pc.field("day") * 2}, filter=pc.field("day") == 3)
    assert set(made["twice"].to_pylist()) == {6}
    assert source.last_scan.column_names == ["day"]
    assert pickle.loads(pickle.dumps(source)).count_rows(pc.field("day") < 2) == 2000
    assert (
        source.scanner(columns=["s"], batch_size=128).to_reader().read_next_batch().num_rows == 128
    )
    with pytest.raises(pyarrow.ArrowException):
        source.to_table(filter=pc.field("nobody") == 1)


def test_many_files(tmp_path):
    for day in range(4):
        rows = [{"day": day, "n": i} for i in range(100)]
        if day == 2:
            rows = [{"day": day, "other": i} for i in range(100)]
        dsi.write(rows, tmp_path / f"{day}.dsi")
    con = duckdb.connect()
    dsi.open(tmp_path).to_duckdb(con, "t")
    assert con.sql(
        "select day, count(n) from t where n >= 50 group by day order by 1"
    ).fetchall() == [
        (0, 50),
        (1, 50),
        (3, 50),
    ]
    assert con.sql("select count(*) from t where other is null").fetchall() == [(300,)]

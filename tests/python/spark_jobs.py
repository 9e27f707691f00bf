"""Spark: what a frame becomes in a table, what comes back, jobs that fail or run twice.

Run by jobs_test.
"""

import json
import os
import warnings
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import dsi
import dsi.spark
import pytest
from pyspark.sql import SparkSession

COLUMNS = "session_id long, ts long, clicks array<long>, price float, label int, word string"
ROWS = [(i // 10, 1000 + i, [i, i + 1] * (i % 3), i / 2, i % 2, f"s{i % 5}") for i in range(600)]


@pytest.fixture(scope="module")
def spark():
    """Tasks are tried three times."""
    session = (
        SparkSession.builder.master("local[2, 3]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.python.filterPushdown.enabled", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(dsi.spark.DsiSource)
    yield session
    session.stop()


def save(frame, where, mode="append", **options):
    frame.write.format("dsi").mode(mode).options(**options).save(str(where))


def load(spark, where, **options):
    return spark.read.format("dsi").options(**options).load(str(where))


def staged(where):
    return sorted(path.name for path in Path(where, "data").rglob("*.dsi"))


def test_rows_come_back_and_sessions_are_whole(spark, tmp_path):
    frame = spark.createDataFrame(ROWS, COLUMNS).repartition(3, "session_id")
    save(frame, tmp_path / "t", cluster_by="session_id, ", message="first")
    newest = dsi.Table(tmp_path / "t").newest()
    assert (newest.num_files, newest.num_rows, newest.message) == (3, 600, "first")
    found = dsi.open(tmp_path / "t")
    assert found.schema["cluster_by"] == ["session_id"]
    sessions = found.to_arrow(["session_id"])["session_id"].to_pylist()
    assert sum(a != b for a, b in pairwise(sessions)) == 59
    for rows_per_partition in ("7", "1000"):
        back = load(spark, tmp_path / "t", rows_per_partition=rows_per_partition)
        assert sorted(map(tuple, back.collect())) == ROWS
    assert load(spark, tmp_path / "t", rows_per_partition="100").rdd.getNumPartitions() >= 6
    some = load(spark, tmp_path / "t", columns="label, cl*")
    assert some.schema.names == ["label", "clicks"]


def test_sorted_partitions_are_written_while_rows_come(spark, tmp_path):
    frame = spark.createDataFrame(ROWS, COLUMNS).repartition(3, "session_id")
    options = {"cluster_by": "session_id", "clustered": "true", "stripe_rows": "20"}
    save(frame.sortWithinPartitions("session_id", "ts"), tmp_path / "t", **options)
    found = dsi.open(tmp_path / "t")
    assert found.schema["cluster_by"] == ["session_id"]
    sessions = found.to_arrow(["session_id"])["session_id"].to_pylist()
    assert sum(a != b for a, b in pairwise(sessions)) == 59
    assert sorted(map(tuple, load(spark, tmp_path / "t").collect())) == ROWS
    with pytest.raises(Exception, match="do not come clustered"):
        save(frame.sortWithinPartitions("label", "ts"), tmp_path / "u", **options)
    assert (dsi.Table(tmp_path / "u").newest().num_rows, staged(tmp_path / "u")) == (0, [])


def test_maps_strings_and_decimals(spark, tmp_path):
    """As tables of Hive have them: scores by name, lists of names, prices."""
    names = [{"red": i / 2, "blue": 1.0} for i in range(40)]
    rows = [(i // 4, names[i], ["a", f"t{i}"], Decimal(i) / 4) for i in range(40)]
    kinds = "session_id long, scores map<string,double>, tags array<string>, price decimal(9,2)"
    frame = spark.createDataFrame(rows, kinds)
    save(frame, tmp_path / "t", cluster_by="session_id")
    found = dsi.open(tmp_path / "t")
    assert [f["kind"] for f in found.schema["features"]] == ["key", "weighted", "list", "dense"]
    stored = found.to_arrow().to_pydict()
    assert sorted(stored["price"]) == [i / 4 for i in range(40)]
    for ids, weights, tags, price in zip(
        stored["scores.ids"], stored["scores.weights"], stored["tags"], stored["price"], strict=True
    ):
        named = {dsi.id_of_text("red"): 2 * price, dsi.id_of_text("blue"): 1.0}
        assert dict(zip(ids, weights, strict=True)) == named
        assert tags == [dsi.id_of_text("a"), dsi.id_of_text(f"t{round(4 * price)}")]


def test_types_that_spark_lacks(spark, tmp_path):
    schema = {
        "features": [
            {"name": "id", "kind": "key", "type": "uint64"},
            {"name": "day", "kind": "dense", "type": "uint8"},
            {"name": "seen", "kind": "timestamp", "unit": "ms"},
            {"name": "items", "kind": "list", "type": "uint64"},
            {"name": "vector", "kind": "embedding", "type": "float32", "length": 2},
            {"name": "tags", "kind": "weighted"},
        ]
    }
    rows = [
        {
            "id": 2**64 - 1 - i,
            "day": 200 + i,
            "seen": 1_700_000_000_123 + i,
            "items": [2**63 + i],
            "vector": [i, 0.5],
            "tags.ids": [i],
            "tags.weights": [0.25],
        }
        for i in range(5)
    ] + [{"id": 7}]
    dsi.write(rows, tmp_path / "a.dsi", schema, keep_order=True)
    frame = load(spark, tmp_path / "a.dsi")
    kinds = dict(frame.dtypes)
    assert (kinds["id"], kinds["day"], kinds["seen"]) == (
        "decimal(20,0)",
        "smallint",
        "timestamp_ntz",
    )
    assert (kinds["items"], kinds["vector"]) == ("array<decimal(20,0)>", "array<float>")
    first, last = frame.collect()[0], frame.collect()[-1]
    assert (first["id"], first["day"], first["items"]) == (2**64 - 1, 200, [Decimal(2**63)])
    assert (first["vector"], first["tags.weights"]) == ([0.0, 0.5], [0.25])
    assert first["seen"].microsecond == 123_000
    assert (last["id"], last["day"], last["items"], last["vector"]) == (7, None, None, None)
    # What came back may be stored again, as it was.
    save(frame.coalesce(1), tmp_path / "t", schema=str(tmp_path / "a.dsi"), keep_order="true")
    first, second = dsi.open(tmp_path / "a.dsi"), dsi.open(tmp_path / "t")
    assert first.to_arrow().equals(second.to_arrow())


def test_a_schema_that_is_given_is_all_that_counts(spark, tmp_path):
    """Columns that it lacks may be of types that no feature has, and nothing is found or warned."""
    rows = [(i, {"a": [i]}, ["x"], Decimal(-i)) for i in range(9)]
    kinds = "id long, odd map<string,array<long>>, tags array<string>, n decimal(20,0)"
    frame = spark.createDataFrame(rows, kinds)
    schema = {
        "features": [
            {"name": "id", "kind": "key", "type": "int64"},
            {"name": "tags", "kind": "list", "type": "int64", "hashed": True},
            {"name": "n", "kind": "dense", "type": "int64"},
        ]
    }
    save(frame, tmp_path / "t", schema=json.dumps(schema), ignore_unknown="true")
    found = dsi.open(tmp_path / "t").to_arrow(["id", "n"]).to_pydict()
    assert sorted(zip(found["id"], found["n"], strict=True)) == [(i, -i) for i in range(9)]
    options = {"path": str(tmp_path / "u"), "schema": json.dumps(schema), "ignore_unknown": "true"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dsi.spark.DsiSource(options).writer(frame.schema, False)
    # By its type alone it is what uint64 is read as.
    with pytest.raises(Exception, match=r'column "n".* fits type uint64'):
        save(frame.select("n"), tmp_path / "v")
    save(frame.selectExpr("-n as n"), tmp_path / "v")
    assert dsi.open(tmp_path / "v").schema["features"][0]["type"] == "uint64"


def test_times_that_spark_cannot_hold(spark, tmp_path):
    schema = {
        "features": [
            {"name": "id", "kind": "key", "type": "int64"},
            {"name": "seen", "kind": "timestamp", "unit": "ns"},
        ]
    }
    dsi.write([{"id": 1, "seen": 1_700_000_000_000_001_000}], tmp_path / "a.dsi", schema)
    assert load(spark, tmp_path / "a.dsi").collect()[0]["seen"].microsecond == 1
    dsi.write([{"id": 1, "seen": 1_700_000_000_000_000_001}], tmp_path / "b.dsi", schema)
    with pytest.raises(Exception, match=r'OutOfRange: column "seen" does not fit .*option'):
        load(spark, tmp_path / "b.dsi").collect()
    assert load(spark, tmp_path / "b.dsi", columns="id").collect()[0]["id"] == 1


def test_filters_skip_rows(spark, tmp_path):
    frame = spark.createDataFrame(ROWS, COLUMNS).coalesce(1)
    save(frame, tmp_path / "t", keep_order="true", stripe_rows="100")
    for condition in (
        "ts >= 1550 and label = 1",
        "price < 10.5",
        "price > 250",
        "1590 < ts",
        "label is null or ts = 1000",
        "word = 's1' and ts <= 1100",
        "word in ('s1', 's3') and label is not null",
        "word > 's1' and price is null",
        "ts in (1000, 1500) or label in (1, 2)",
    ):
        plain = load(spark, tmp_path / "t").where(condition)
        pushed = load(spark, tmp_path / "t", push_filters="true").where(condition)
        assert sorted(map(tuple, pushed.collect())) == sorted(map(tuple, plain.collect()))
    reader = dsi.spark.DsiSource({"path": str(tmp_path / "t"), "push_filters": "true"}).reader(None)
    filters = __import__("pyspark.sql.datasource", fromlist=["GreaterThan"])
    asked = [
        filters.GreaterThan(("ts",), 1550),
        filters.GreaterThan(("price",), 1.0),  # NaN is above it, for Spark.
        filters.In(("word",), ("s1", "none", None)),
        filters.IsNotNull(("ts",)),
        filters.EqualTo(("a", "b"), 1),
    ]
    assert reader.pushFilters(asked) == asked
    assert sum(len(batch) for one in reader.partitions() for batch in reader.read(one)) == 10


def test_a_job_that_fails_leaves_nothing(spark, tmp_path):
    from pyspark.sql.functions import udf

    bad = udf(lambda n: 1 // (n - 300), "long")
    frame = spark.createDataFrame(ROWS, COLUMNS).repartition(3, "session_id")
    failing = frame.withColumn("ts", bad(frame.ts - 1000))
    with pytest.raises(Exception, match="ZeroDivisionError"):
        save(failing, tmp_path / "t")
    assert staged(tmp_path / "t") == []
    assert [one.operation for one in dsi.Table(tmp_path / "t").snapshots()] == ["abort", "create"]
    # One with a name may be run again.
    with pytest.raises(Exception, match="ZeroDivisionError"):
        save(failing, tmp_path / "t", job="day-1")
    save(frame, tmp_path / "t", job="day-1")
    assert dsi.Table(tmp_path / "t").newest().num_rows == 600
    save(frame, tmp_path / "t", job="day-1")
    assert dsi.Table(tmp_path / "t").newest().num_rows == 600


def test_a_task_that_is_tried_again_counts_once(spark, tmp_path):
    from pyspark.sql.functions import udf

    mark = str(tmp_path / "failed-once")

    def fails_once(n):
        if n == 1300 and not os.path.exists(mark):
            Path(mark).touch()
            raise RuntimeError("the first attempt")
        return n

    frame = spark.createDataFrame(ROWS, COLUMNS).repartition(3, "session_id")
    save(frame.withColumn("ts", udf(fails_once, "long")(frame.ts)), tmp_path / "t")
    assert os.path.exists(mark)
    assert sorted(row.ts for row in load(spark, tmp_path / "t").collect()) == list(
        range(1000, 1600)
    )
    assert dsi.Table(tmp_path / "t").newest().num_files == 3


def test_overwrite_and_no_rows(spark, tmp_path):
    frame = spark.createDataFrame(ROWS, COLUMNS)
    save(frame.where("ts < 0"), tmp_path / "t")
    assert dsi.Table(tmp_path / "t").newest().number == 1
    save(frame, tmp_path / "t")
    save(frame.limit(10), tmp_path / "t", mode="overwrite")
    assert len(dsi.open(tmp_path / "t")) == 10
    save(frame.where("ts < 0"), tmp_path / "t", mode="overwrite")
    assert dsi.Table(tmp_path / "t").newest().num_files == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"clusterby": "session_id"}, "option clusterby is none of"),
        ({"stripe_rows": "many"}, "expected a whole number"),
        ({"dedup": "no"}, "expected 'true' or 'false'"),
        ({"cluster_by": "session"}, "session"),
        ({"job": "a/b"}, "a/b"),
        ({"schema": "/none.json"}, "no such file"),
    ],
)
def test_options_that_cannot_be(spark, tmp_path, options, said):
    frame = spark.createDataFrame(ROWS[:5], COLUMNS)
    with pytest.raises(Exception, match=said):
        save(frame, tmp_path / "t", **options)
    assert not (tmp_path / "t").exists() or staged(tmp_path / "t") == []


def test_reading_what_cannot_be(spark, tmp_path):
    with pytest.raises(Exception, match="NotFound"):
        load(spark, tmp_path / "none.dsi")
    dsi.write([{"a": 1}], tmp_path / "a.dsi")
    with pytest.raises(Exception, match="NotFound"):
        load(spark, tmp_path / "a.dsi", columns="b")
    with pytest.raises(Exception, match="rows_per_partition is 0"):
        load(spark, tmp_path / "a.dsi", rows_per_partition="0")

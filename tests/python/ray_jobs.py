"""Ray Data: datasets become tables and come back; jobs that fail leave nothing.

Run by jobs_test.
"""

from pathlib import Path

import dsi
import dsi.ray
import numpy
import pytest
import ray

ROWS = [
    {"session_id": i // 10, "clicks": [i, i + 1], "price": i / 2, "label": i % 2}
    for i in range(1000)
]


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield
    ray.shutdown()


def staged(where):
    return sorted(path.name for path in Path(where, "data").rglob("*.dsi"))


def test_rows_come_back(tmp_path):
    where = str(tmp_path / "t")
    sink = dsi.ray.DsiSink(where, cluster_by="session_id", min_rows_per_file=1000, message="m")
    ray.data.from_items(ROWS).write_datasink(sink)
    assert (sink.snapshot.num_rows, sink.snapshot.message) == (1000, "m")
    assert sink.snapshot == dsi.Table(where).newest()
    assert dsi.open(where).schema["cluster_by"] == ["session_id"]

    back = dsi.ray.read(where, override_num_blocks=5)
    rows = sorted(back.take_all(), key=lambda row: row["clicks"][0])
    assert [row["clicks"] for row in rows] == [row["clicks"] for row in ROWS]
    assert [row["price"] for row in rows] == [row["price"] for row in ROWS]
    some = dsi.ray.read(dsi.open(where), ["cl*"], where=[("label", "==", 1), ("price", "<", 50.0)])
    assert (some.count(), some.schema().names) == (50, ["clicks"])
    none = dsi.ray.read(where, ["label"], where=[("label", ">", 1)])
    assert none.take_all() == []


def test_deleted_rows_are_not_counted(tmp_path):
    where = str(tmp_path / "t")
    sink = dsi.ray.DsiSink(where, min_rows_per_file=1000)
    ray.data.from_items(ROWS).write_datasink(sink)
    dsi.Table(where).delete_rows(("label", "==", 1))
    left = dsi.ray.read(where, override_num_blocks=3)
    assert (left.count(), len(left.take_all())) == (500, 500)
    training, test = left.train_test_split(0.2)
    assert (training.count(), test.count()) == (400, 100)
    assert dsi.ray.read(where, where=("label", "==", 0)).count() == 500


def test_tasks_read_one_snapshot(tmp_path):
    dsi.write(ROWS, tmp_path / "b.dsi")
    rows = dsi.ray.read(tmp_path / "*.dsi")
    dsi.write(ROWS[:10], tmp_path / "a.dsi")
    with pytest.raises(Exception, match="open it again"):
        rows.take_all()


def test_a_sink_that_is_used_again_is_another_job(tmp_path):
    sink = dsi.ray.DsiSink(str(tmp_path / "t"))
    for rows in (1000, 1007):
        ray.data.from_items(ROWS[-7:] if rows == 1007 else ROWS).write_datasink(sink)
        assert sink.snapshot.num_rows == len(dsi.open(tmp_path / "t")) == rows
    again = dsi.ray.DsiSink(str(tmp_path / "t"), operation="overwrite")
    ray.data.from_items(ROWS).write_datasink(again)
    ray.data.from_items(ROWS).write_datasink(sink)
    for rows in (ROWS[:5], []):
        ray.data.from_items(rows).write_datasink(again)
        assert again.snapshot == dsi.Table(tmp_path / "t").newest()
        assert again.snapshot.num_rows == len(rows)


def test_vectors_are_embeddings(tmp_path):
    rows = [{"v": numpy.arange(3, dtype="float32") + i} for i in range(4)]
    ray.data.from_items(rows).write_datasink(dsi.ray.DsiSink(str(tmp_path / "t")))
    found = sorted(dsi.open(tmp_path / "t").to_arrow()["v"].to_pylist())
    assert found == [[i, i + 1, i + 2] for i in range(4)]


def test_a_job_that_fails_leaves_nothing(tmp_path):
    where = str(tmp_path / "t")
    logs = ray.data.from_items(ROWS, override_num_blocks=4)
    failing = logs.map(lambda row: {**row, "label": 1 // (row["session_id"] - 77)})
    with pytest.raises(Exception, match="ZeroDivisionError"):
        failing.write_datasink(dsi.ray.DsiSink(where))
    assert staged(where) == []
    assert [one.operation for one in dsi.Table(where).snapshots()] == ["abort", "create"]
    with pytest.raises(Exception, match="ZeroDivisionError"):
        failing.write_datasink(dsi.ray.DsiSink(where, job="day-1"))
    for _ in range(2):  # A driver that is started again.
        sink = dsi.ray.DsiSink(where, job="day-1")
        logs.write_datasink(sink)
        assert sink.snapshot.num_rows == dsi.Table(where).newest().num_rows == 1000


def test_overwrite_and_no_rows(tmp_path):
    where = str(tmp_path / "t")
    logs = ray.data.from_items(ROWS)
    logs.write_datasink(dsi.ray.DsiSink(where))
    logs.limit(7).write_datasink(dsi.ray.DsiSink(where, operation="overwrite"))
    assert len(dsi.open(where)) == 7
    sink = dsi.ray.DsiSink(where)
    logs.filter(lambda row: row["label"] > 1).write_datasink(sink)
    assert sink.snapshot is None
    assert len(dsi.open(where)) == 7
    with pytest.raises(dsi.InvalidArgument, match="operation is 'replace'"):
        dsi.ray.DsiSink(where, operation="replace")


def test_blocks_that_are_no_table(tmp_path):
    """Parts that cannot be reconciled are named, and nothing is committed."""
    logs = ray.data.from_items([{"a": 1}, {"a": "x"}], override_num_blocks=2)
    with pytest.raises(dsi.BadInput, match=r'"a": .* string'):
        logs.write_datasink(dsi.ray.DsiSink(str(tmp_path / "t")))
    assert staged(tmp_path / "t") == []
    with pytest.raises(Exception, match="unknown keyword"):
        logs.write_datasink(dsi.ray.DsiSink(str(tmp_path / "u"), stripes=1))

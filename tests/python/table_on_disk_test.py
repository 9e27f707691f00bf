"""Tables on disk from Python: what docs/tables-on-disk.md does not show."""

import json
import multiprocessing
import pickle
from datetime import UTC, datetime, timedelta

import dsi
import pyarrow
import pytest

NOW = {"keep": 1, "younger_than": 0, "grace": timedelta(0)}


def rows(first, count=1):
    return [{"key": first + i, "score": i / 2} for i in range(count)]


@pytest.fixture
def table(tmp_path):
    return dsi.Table.create(tmp_path / "t")


def test_a_table_is_there_once(table, tmp_path):
    with pytest.raises(dsi.AlreadyExists, match="there already"):
        dsi.Table.create(tmp_path / "t")
    assert dsi.Table.create(tmp_path / "t", exist_ok=True).newest().number == 1
    with pytest.raises(dsi.NotFound, match="no table"):
        dsi.Table(tmp_path / "none")
    with pytest.raises(dsi.NotFound, match="no files yet"):
        table.dataset()
    assert repr(table) == f"dsi.Table({str(tmp_path / 't') + '/'!r})"


def test_snapshots_say_when_and_who(table):
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    made = table.commit("j", [table.write(rows(1), "j")], message="ü")
    assert before <= made.time <= datetime.now(UTC)
    assert table.snapshots()[0] == table.newest() == made
    assert (made.operation, made.message, made.num_files) == ("append", "ü", 1)


def test_a_block_that_raises_stages_nothing(table):
    with pytest.raises(ZeroDivisionError), table.stage("j") as staged:
        dsi.write(rows(1), staged.path)
        1 / 0  # noqa: B018
    with pytest.raises(dsi.InvalidArgument, match="not staged yet"):
        staged.message  # noqa: B018
    with pytest.raises(dsi.InvalidArgument, match="given up"):
        staged.finish()
    with pytest.raises(dsi.NotFound), table.stage("j"):
        pass  # Nothing was written.
    assert table.abort("j") == 1  # What the first block wrote.


def test_messages_are_checked(table):
    message = json.loads(table.write(rows(1, 3), "j"))
    message["rows"] = 4
    with pytest.raises(dsi.BadInput, match="its message says"):
        table.commit("j", [json.dumps(message)])
    with pytest.raises(dsi.BadInput, match="malformed"):
        table.commit("j", ["{"])
    with pytest.raises(dsi.InvalidArgument, match="expected one of 'append'"):
        table.commit("j", [], operation="delete")
    with pytest.raises(dsi.InvalidArgument, match="id of a job"):
        table.stage("a/b")
    with pytest.raises(TypeError):
        table.commit("j", [None])


def test_replace_and_gc(table):
    for job in ("a", "b", "c"):
        table.commit(job, [table.write(rows(10 * ord(job), 2), job)])
    where = len(table.where)
    names = [file.path[where:] for file in table.dataset().files]
    both = table.write(rows(5, 4), "compact")
    made = table.commit("compact", [both], operation="replace", replaced=names[:2])
    assert (made.num_files, made.num_rows) == (2, 6)
    with pytest.raises(dsi.NotFound, match="to be replaced"):
        late = table.write(rows(5, 4), "late")
        table.commit("late", [late], operation="replace", replaced=names[:1])
    told = table.gc(**NOW, dry_run=True)
    assert told.snapshots == [1, 2, 3, 4] and len(told.files) >= 2
    assert table.gc(**NOW) == told
    assert table.gc(**NOW).files == []
    assert [s.operation for s in table.snapshots()] == ["gc", "replace"]
    assert table.dataset().num_rows == 6
    with pytest.raises(dsi.NotFound, match="has no snapshot 3"):
        table.dataset(snapshot=3)
    with pytest.raises(dsi.InvalidArgument):
        table.gc(younger_than=-1)


def test_rows_are_deleted_in_one_commit(table):
    for job in ("a", "b", "c"):
        table.commit(job, [table.write(rows(10 * ord(job), 2), job)])
    names = [file.path[len(table.where) :] for file in table.dataset().files]
    key = rows(10 * ord("b"), 2)[0]
    (name, value) = next(iter(key.items()))
    told = table.delete_rows((name, "==", value), dry_run=True)
    assert (told.num_rows, told.num_deleted, told.files) == (6, 1, names[1:2])
    assert told.snapshot == table.newest()
    said = []
    gone = table.delete_rows(
        dsi.AnyOf((name, "==", value), (name, "==", -5)),
        job="forget",
        message="as asked",
        progress=lambda *now: said.append(now),
    )
    assert (gone.num_deleted, gone.files, gone.snapshot.operation) == (1, names[1:2], "replace")
    assert (gone.snapshot.job, gone.snapshot.message) == ("forget", "as asked")
    assert said[0] == ("read", 0, 6)
    data = table.dataset()
    assert sum(len(batch) for batch in data.scan([name])) == 5
    assert [file.path[len(table.where) :] for file in data.files][::2] == names[::2]
    erased = table.delete_rows(erase=True)
    assert (erased.num_deleted, len(erased.files)) == (0, 1)
    assert table.dataset().num_rows == 5
    with pytest.raises(dsi.InvalidArgument, match="no rows are chosen"):
        table.delete_rows()
    with pytest.raises(dsi.InvalidArgument, match="a file of the table"):
        dsi.delete_rows(data.files[0].path, (name, "==", value))


def test_small_files_are_merged(table):
    for job in ("a", "b", "c"):
        table.commit(job, [table.write(rows(10 * ord(job), 2), job)])
    names = [file.path[len(table.where) :] for file in table.dataset().files]
    told = table.compact(1 << 20, dry_run=True)
    assert (told.merged, told.bytes_after, told.snapshot) == ([names], 0, table.newest())
    said = []
    done = table.compact(
        1 << 20, message="nightly", threads=1, progress=lambda *now: said.append(now)
    )
    assert (done.merged, done.snapshot.message) == ([names], "nightly")
    assert said == [("merge", 0, 3)]
    assert done.bytes_after < done.bytes_before
    assert (table.newest().num_files, table.dataset().num_rows) == (1, 6)
    assert table.compact(1 << 20).merged == []


def test_overlays_become_part_of_their_files(table):
    for job in ("a", "b"):
        table.commit(job, [table.write(rows(10 * ord(job), 2), job)])
    base = table.dataset().files[0].path
    with table.stage("scores") as staged:
        dsi.write_overlay(base, [{"score": 1.5}, {"score": 2.5}], staged.path)
    table.commit("scores", [staged.message])
    assert len(table.dataset().files[0].overlays) == 1
    before = table.dataset().arrow()
    assert table.compact(1 << 20).merged == []
    done = table.compact(1, fold_overlays=True)
    assert [len(run) for run in done.merged] == [2]
    assert [file.overlays for file in table.dataset().files] == [[], []]
    assert pyarrow.table(table.dataset().arrow()).equals(pyarrow.table(before))


def run_task(table, job, part):
    return table.write(rows(100 * part, 10), job, f"part-{part}")


def run_job(table, number):
    """A driver of its own, with tasks of its own."""
    message = table.write(rows(1000 * number, 5), f"job-{number}")
    return table.commit(f"job-{number}", [message]).number


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_tasks_and_drivers_are_processes(table, method):
    assert pickle.loads(pickle.dumps(table)).where == table.where
    with multiprocessing.get_context(method).Pool(3) as pool:
        messages = pool.starmap(run_task, [(table, "j", part) for part in range(6)])
        numbers = pool.starmap(run_job, [(table, number) for number in range(9)])
    assert sorted(numbers) == list(range(2, 11))
    made = table.commit("j", messages)
    assert (made.number, made.num_files, made.num_rows) == (11, 15, 60 + 45)


def count_rows(dataset):
    return dataset.num_rows


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_dataset_stays_at_its_snapshot(table, method):
    table.commit("a", [table.write(rows(0, 5), "a")])
    dataset = dsi.open(table.where)
    table.commit("b", [table.write(rows(5, 5), "b")])
    assert (pickle.loads(pickle.dumps(dataset)).num_rows, dsi.open(table.where).num_rows) == (5, 10)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(count_rows, (dataset,)) == 5


def test_states_go_with_their_snapshot(table):
    table.commit("a", [table.write(rows(0, 50), "a")])
    scan = table.dataset().scan(["key"], batch_size=10)
    next(scan)
    state, seen = scan.state, table.newest().number
    table.commit("b", [table.write(rows(50, 50), "b")])
    rest = table.dataset(snapshot=seen).scan(["key"], batch_size=10, state=state)
    assert sum(1 for _ in rest) == 4
    with pytest.raises(dsi.Error):
        table.dataset().scan(["key"], batch_size=10, state=state)


def test_a_table_is_no_path(table):
    for call in (dsi.open, dsi.verify, dsi.describe):
        with pytest.raises(
            dsi.InvalidArgument, match=r"Table\(.*\) is no path: its dataset\(\) is"
        ):
            call(table)
    for wrong in (3, [3], b"x", None):
        with pytest.raises(dsi.InvalidArgument, match=r"a path is .+, expected a str or os"):
            dsi.open(wrong)
    table.commit("a", [table.write(rows(0, 5), "a")])
    with pytest.raises(dsi.InvalidArgument, match="is open already"):
        dsi.open(table.dataset())


def test_a_table_is_opened_as_datasets_are(tmp_path):
    table = dsi.Table.create(tmp_path / "t", deadline_s=5, direct=True)
    table.commit("a", [table.write(rows(1, 2), "a")])
    again = pickle.loads(pickle.dumps(dsi.Table(tmp_path / "t", max_tries=2, threads=1)))
    assert again.dataset().num_rows == 2
    assert again._how == {"max_tries": 2, "threads": 1}
    for wrong in ({"max_tries": 0}, {"headers": ["no header"]}, {"latency_s": -1}):
        with pytest.raises(dsi.InvalidArgument, match=next(iter(wrong))):
            dsi.Table(tmp_path / "t", **wrong)
    with pytest.raises(TypeError):
        dsi.Table(tmp_path / "t", max_attempts=2)

"""`Writer`: what is left of it, how it is stopped, and its options."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import dsi
import numpy
import pyarrow
import pytest

SCHEMA = {
    "features": [
        {"name": "id", "kind": "key", "type": "uint64"},
        {"name": "n", "kind": "dense", "type": "int8"},
        {"name": "clicks", "kind": "list", "type": "int64"},
    ]
}


def test_nothing_is_left_after_an_exception(tmp_path):
    with pytest.raises(RuntimeError), dsi.Writer(tmp_path / "a.dsi", SCHEMA) as writer:
        writer.append([{"n": 1}])
        raise RuntimeError
    assert os.listdir(tmp_path) == []
    with pytest.raises(dsi.InvalidArgument):
        writer.append([{"n": 1}])


def test_nothing_is_left_of_one_that_is_dropped(tmp_path):
    writer = dsi.Writer(tmp_path / "a.dsi", SCHEMA)
    writer.append([{"n": 1}])
    del writer
    assert os.listdir(tmp_path) == []


def test_finish_once(tmp_path):
    writer = dsi.Writer(tmp_path / "a.dsi", SCHEMA)
    assert writer.append([{"n": 1}] * 3) == 3
    assert writer.num_rows == 3
    assert writer.size_bytes > 0
    assert writer.schema["features"][0]["name"] == "id"
    report = writer.finish()
    assert report.num_rows == 3 == writer.num_rows
    assert report.file_bytes == os.path.getsize(tmp_path / "a.dsi")
    for call in (writer.finish, lambda: writer.append([{"n": 1}])):
        with pytest.raises(dsi.InvalidArgument, match="finished"):
            call()


def test_an_existing_file_stays(tmp_path):
    (tmp_path / "a.dsi").write_text("mine")
    for schema in (SCHEMA, None):
        with pytest.raises(dsi.AlreadyExists):
            dsi.Writer(tmp_path / "a.dsi", schema)
    assert (tmp_path / "a.dsi").read_text() == "mine"
    dsi.write([{"n": 1}], tmp_path / "a.dsi", SCHEMA, overwrite=True)
    assert len(dsi.open(tmp_path / "a.dsi")) == 1


def test_no_rows(tmp_path):
    assert dsi.write([], tmp_path / "a.dsi", SCHEMA).num_rows == 0
    assert dsi.open(tmp_path / "a.dsi").to_arrow().num_rows == 0
    with pytest.raises(dsi.InvalidArgument, match="without a schema"):
        dsi.write([], tmp_path / "b.dsi")
    assert (
        dsi.write(pyarrow.table({"a": pyarrow.array([], "int64")}), tmp_path / "c.dsi").num_rows
        == 0
    )


def test_progress_stops_and_raises(tmp_path):
    rows = [{"n": i % 100} for i in range(20_000)]
    seen = []
    dsi.write(rows, tmp_path / "a.dsi", SCHEMA, progress=lambda *at: seen.append(at))
    assert {phase for phase, _, _ in seen} == {"append", "cluster", "encode", "publish"}
    table = dsi.open(tmp_path / "a.dsi").to_arrow()
    os.unlink(tmp_path / "a.dsi")
    for data in (rows, table):
        for stop_at in ("append", "encode", "publish"):
            with pytest.raises(dsi.Cancelled):
                dsi.write(
                    data,
                    tmp_path / "a.dsi",
                    SCHEMA,
                    progress=lambda phase, *_, stop_at=stop_at: phase != stop_at,
                )

            def fail(phase, *_, stop_at=stop_at):
                if phase == stop_at:
                    raise KeyError("mine")

            with pytest.raises(KeyError, match="mine"):
                dsi.write(data, tmp_path / "a.dsi", SCHEMA, progress=fail)
            assert os.listdir(tmp_path) == []


def test_progress_raises_while_stripes_are_written_on_the_way(tmp_path):
    def progress(phase, *_):
        if phase == "encode":
            raise KeyError("mine")

    writer = dsi.Writer(tmp_path / "a.dsi", SCHEMA, stripe_rows=1000, progress=progress)
    with pytest.raises(KeyError, match="mine"):
        writer.append({"id": i, "n": 1, "clicks": [i]} for i in range(20_000))
    del writer
    assert os.listdir(tmp_path) == []


def test_rows_beyond_the_memory_are_spilled(tmp_path):
    def write(name, **options):
        rows = ({"clicks": list(range(i % 300))} for i in range(2_000))
        return dsi.write(rows, tmp_path / name, SCHEMA, stripe_rows=500, **options)

    assert write("a.dsi").spilled_bytes == 0
    assert write("b.dsi", memory_bytes=1 << 18).spilled_bytes > 0
    assert (tmp_path / "a.dsi").read_bytes() == (tmp_path / "b.dsi").read_bytes()
    with pytest.raises(dsi.Error, match="spill folder"):
        write("c.dsi", memory_bytes=1 << 18, spill_folder=str(tmp_path / "no"))
    assert sorted(os.listdir(tmp_path)) == ["a.dsi", "b.dsi"]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"tuning": "fast"}, dsi.InvalidArgument),
        ({"page_values": 1000}, dsi.InvalidArgument),
        ({"nothing": 1}, TypeError),
        ({"cluster_by": ["nobody"]}, dsi.InvalidArgument),
        ({"schema": {"features": [{"name": "a", "kind": "what"}]}}, dsi.BadInput),
        ({"schema": "/nowhere.json"}, dsi.NotFound),
        ({"schema": "{"}, dsi.BadInput),
    ],
)
def test_bad_options(tmp_path, options, error):
    with pytest.raises(error):
        dsi.Writer(tmp_path / "a.dsi", **{"schema": SCHEMA, **options})
    assert os.listdir(tmp_path) == []


def test_schemas_of_every_make(tmp_path):
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    dsi.write([{"n": 1}], tmp_path / "a.dsi", tmp_path / "schema.json")
    dsi.write([{"n": 1}], tmp_path / "b.dsi", json.dumps(SCHEMA))
    dsi.write([{"n": 1}], tmp_path / "c.dsi", tmp_path / "b.dsi")
    found = [dsi.open(tmp_path / f"{name}.dsi").schema for name in "abc"]
    assert found[0] == found[1] == found[2]


def test_without_pyarrow_rows_and_columns_are_taken(tmp_path):
    code = f"""
import sys
for name in ("pyarrow", "polars", "pandas", "torch"):
    sys.modules[name] = None
import dsi, numpy
dsi.write([{{"a": 1, "l": [1, 2]}}], {str(tmp_path / "a.dsi")!r})
dsi.write({{"a": numpy.arange(3)}}, {str(tmp_path / "b.dsi")!r})
assert len(dsi.open({str(tmp_path)!r})) == 4
try:
    dsi.open({str(tmp_path)!r}).to_arrow()
except ModuleNotFoundError as error:
    assert "pip install pyarrow" in str(error), error
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def interrupt_soon():
    """Ctrl-C, in a moment."""
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("phase", ["cluster", "encode", "publish"])
def test_ctrl_c_while_finishing(tmp_path, phase):
    interrupted = threading.Event()

    def progress(at, *_):
        if at == phase:
            os.kill(os.getpid(), signal.SIGINT)
            interrupted.wait()

    def interrupt(*_):
        interrupted.set()
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGINT, interrupt)
    try:
        with (
            pytest.raises(KeyboardInterrupt),
            dsi.Writer(tmp_path / "a.dsi", SCHEMA, progress=progress) as writer,
        ):
            writer.append({"n": numpy.zeros(100_000, "i1")})
            writer.finish()
    finally:
        signal.signal(signal.SIGINT, usual)
    assert os.listdir(tmp_path) == []


def test_ctrl_c_while_appending(tmp_path):
    schema = pyarrow.schema({"a": pyarrow.int64()})

    def batches():
        while True:
            time.sleep(0.01)
            yield pyarrow.record_batch({"a": [1]}, schema)

    def rows():
        while True:
            yield {"a": 1}

    for data in (pyarrow.RecordBatchReader.from_batches(schema, batches()), rows()):
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            dsi.write(data, tmp_path / "a.dsi")
        assert os.listdir(tmp_path) == []


def test_a_forked_process_leaves_the_file_alone(tmp_path):
    writer = dsi.Writer(tmp_path / "a.dsi", SCHEMA)
    writer.append([{"n": 1}])
    child = os.fork()
    if child == 0:
        try:
            writer.append([{"n": 2}])
        except dsi.InvalidArgument:
            del writer
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    writer.append([{"n": 3}])
    writer.finish()
    assert dsi.open(tmp_path / "a.dsi").to_arrow()["n"].to_pylist() == [1, 3]

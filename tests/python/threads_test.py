"""Calls that other threads end, and calls from inside others, do not wait for each other."""

import ctypes
import threading
import time

import dsi
import numpy
import pyarrow
import pytest
from dsi.options import make_options
from dsi.projections import resolve


def allocate(size):
    memory = (ctypes.c_char * (size + 64))()
    return (ctypes.addressof(memory) + 63) // 64 * 64, memory


def in_time(thread):
    thread.join(60)
    return not thread.is_alive()


def test_closing_while_memory_of_python_is_filled(tmp_path):
    numbers = numpy.arange(200_000)
    dsi.write({"s": numbers, "x": numbers * 0.5}, tmp_path / "a.dsi")
    ds = dsi.open(tmp_path / "a.dsi")
    plan = resolve(ds.native, None)
    settings = {"batch_size": 1000, "threads": 2, "read_ahead_bytes": 64 << 20}
    for round in range(40):
        scan = ds.native.scan(make_options(plan, settings), allocate)
        ended = []

        def consume(scan=scan, ended=ended):
            try:
                while scan.next() is not None:
                    pass
            except dsi.InvalidArgument as error:
                ended.append(error)

        thread = threading.Thread(target=consume, daemon=True)
        thread.start()
        time.sleep(0.002 * (round % 6))
        scan.close()
        assert in_time(thread)


@pytest.mark.parametrize("on_main_thread", [True, False])
def test_a_stream_that_finishes_its_writer(tmp_path, on_main_thread):
    schema = pyarrow.schema([("x", pyarrow.int64())])
    writer = dsi.Writer(tmp_path / "a.dsi")
    refused = []

    def batches():
        yield pyarrow.record_batch([pyarrow.array([1, 2])], schema=schema)
        try:
            writer.finish()
        except dsi.InvalidArgument as error:
            refused.append(str(error))
        yield pyarrow.record_batch([pyarrow.array([3])], schema=schema)

    def append():
        writer.append(pyarrow.RecordBatchReader.from_batches(schema, batches()))

    if on_main_thread:
        append()
    else:
        thread = threading.Thread(target=append, daemon=True)
        thread.start()
        assert in_time(thread)
    assert len(refused) == 1 and "inside another call" in refused[0]
    with pytest.raises(dsi.InvalidArgument, match="finished or was given up"):
        writer.finish()
    assert not (tmp_path / "a.dsi").exists()


def test_a_deletion_under_a_job_that_another_takes_meanwhile(tmp_path):
    table = dsi.Table.create(tmp_path / "t")
    for job, first in (("a", 0), ("b", 100)):
        table.commit(job, [table.write({"u": numpy.arange(first, first + 100)}, job)])
    other = dsi.Table(tmp_path / "t")
    taken = []

    def progress(*_):
        if not taken:
            taken.append(other.delete_rows([("u", "==", 150)], job="purge"))
        return True

    with pytest.raises(dsi.InvalidArgument, match="a job of its own"):
        table.delete_rows([("u", "==", 6)], job="purge", progress=progress)
    assert dsi.Table(tmp_path / "t").dataset().count_rows([("u", "in", [6, 150])]) == 1

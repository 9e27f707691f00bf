"""Loaders, datasets and batches across processes, and signals."""

import os
import pickle
import signal
import subprocess
import sys
import time

import dsi
import pytest
import torch
from loading import FEATURES, all_of, contents, rows_of
from torch.utils.data import DataLoader

ORDER = {"batch_size": 190, "shuffle": True, "seed": 3}


@pytest.fixture(scope="module")
def clicks(sessions):
    return dsi.open(sessions)


def test_a_loader_in_a_loader_without_workers_is_itself(clicks):
    loader = clicks.loader(FEATURES, **ORDER)
    assert len(DataLoader(loader, batch_size=None)) == 16
    assert contents(DataLoader(loader, batch_size=None)) == contents(
        clicks.loader(FEATURES, **ORDER)
    )


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_workers_share_the_batches(clicks, start):
    loader = clicks.loader(FEATURES, **ORDER)
    next(iter(loader))  # Threads of a loader that runs do not matter.
    asked = {"batch_size": None, "num_workers": 2, "multiprocessing_context": start}
    batches = list(DataLoader(loader, **asked))
    plain = clicks.loader(FEATURES, **ORDER)
    assert sorted(map(str, contents(batches))) == sorted(map(str, contents(plain)))
    # Workers begin anew with each pass: who wants another order says which epoch it is.
    loader.set_epoch(1)
    assert sorted(rows_of(DataLoader(loader, **asked))) == sorted(rows_of(plain))


def test_workers_that_stay_go_on_with_the_next_epoch(clicks):
    loader = clicks.loader(FEATURES, **ORDER)
    workers = DataLoader(loader, batch_size=None, num_workers=2, persistent_workers=True)
    for _ in range(3):
        assert sorted(rows_of(workers)) == sorted(rows_of(loader))


@pytest.mark.parametrize("stop", [1, 11, 15])
def test_workers_that_stay_begin_an_epoch_together(clicks, stop):
    """Also after a pass that was left when some of them were at their end."""
    loader = clicks.loader("label", **ORDER)
    workers = DataLoader(loader, batch_size=None, num_workers=3, persistent_workers=True)
    for _, batch in zip(range(stop), workers, strict=False):
        assert len(batch)
    time.sleep(0.2)  # What was asked for ahead is made.
    loader.set_epoch(1)
    assert sorted(rows_of(workers)) == sorted(rows_of(loader))


def test_workers_cannot_repeat_a_batch(clicks):
    loader = clicks.loader(FEATURES, remainder="pad", **ORDER)
    with pytest.raises(dsi.InvalidArgument, match="num_workers=0"):
        list(DataLoader(loader, batch_size=None, num_workers=2))


def test_more_workers_than_batches(clicks):
    loader = clicks.loader("label", batch_size=1500)
    batches = DataLoader(loader, batch_size=None, num_workers=3)
    assert all_of(rows_of(batches)) == list(range(3000))


def test_batches_of_workers_can_be_used_as_others(clicks):
    loader = clicks.loader(FEATURES, **ORDER)
    batch = next(iter(DataLoader(loader, batch_size=None, num_workers=1)))
    other = next(iter(clicks.loader(FEATURES, **ORDER)))
    assert torch.equal(batch.to("cpu").kjt_parts().values, other.kjt_parts().values)
    assert batch.kjt().keys() == other.kjt().keys()
    assert batch.slab.is_shared()
    assert len(batch) == 190 and batch.first_row == other.first_row


@pytest.mark.parametrize("framework", ["torch", "numpy"])
def test_batches_of_no_rows_are_pickled(clicks, framework):
    loader = clicks.loader(FEATURES, framework=framework, where=("label", ">", 1), batch_size=1000)
    empty = list(loader)
    assert [len(batch) for batch in empty] == [0, 0, 0]
    for batch in empty:
        files, rows = pickle.loads(pickle.dumps(batch)).rows()
        assert (len(files), len(rows)) == (0, 0)
        assert (str(files.dtype)[-6:], str(rows.dtype)[-6:]) == ("uint32", "uint64")
    assert contents(pickle.loads(pickle.dumps(empty))) == contents(empty)
    if framework == "torch":
        workers = DataLoader(loader, batch_size=None, num_workers=2)
        assert rows_of(workers) == [[], [], []]


def in_child(act):
    """What a forked process finds; its exit code."""
    child = os.fork()
    if child == 0:
        # As in the workers of a DataLoader: torch's own threads stayed behind.
        torch.set_num_threads(1)
        try:
            act()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_forked_process_reads_by_itself(clicks):
    loader = clicks.loader(FEATURES, **ORDER)
    running = iter(loader)
    next(running)
    expected = contents(clicks.loader(FEATURES, **ORDER))

    def act():
        assert clicks.num_rows == 3000
        with pytest.raises(dsi.InvalidArgument, match="forked"):
            next(running)
        assert contents(loader) == expected  # From the start of the epoch.
        loader.close()

    assert in_child(act) == 0
    assert len(list(running)) == 15  # Here it goes on.


def test_a_forked_process_sees_that_files_were_replaced(clicks, sessions, tmp_path):
    copy = tmp_path / "a.dsi"
    copy.write_bytes(sessions.read_bytes())
    dataset = dsi.open(copy)
    dsi.write(dsi.open(sessions).arrow(["label"]), tmp_path / "b.dsi")
    os.replace(tmp_path / "b.dsi", copy)

    def act():
        with pytest.raises(dsi.BadInput, match="open it again"):
            dataset.loader("label")

    assert in_child(act) == 0


def test_a_pickled_dataset_is_held_to_its_files(sessions, tmp_path):
    (tmp_path / "b.dsi").write_bytes(sessions.read_bytes())
    dataset = dsi.open(tmp_path / "*.dsi")
    loader = dataset.loader("label")
    pickled = pickle.dumps(dataset), pickle.dumps(loader)
    assert len(pickle.loads(pickled[0])) == 3000 and len(pickle.loads(pickled[1])) == len(loader)
    dsi.write(dsi.open(sessions).arrow(["label"]), tmp_path / "a.dsi")
    for one in (*pickled, pickle.dumps(loader)):
        with pytest.raises(dsi.BadInput, match="open it again"):
            pickle.loads(one)


def test_datasets_are_pickled_with_how_they_were_opened(sessions):
    dataset = dsi.open([sessions], max_open_files=7, headers=["A: b"])
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy.snapshot == dataset.snapshot
    assert copy.__reduce__()[1] == dataset.__reduce__()[1]
    assert copy.__reduce__()[1][1]["max_open_files"] == 7


STUCK = """
import sys, dsi, threading
ahead = int(sys.argv[2])
loader = dsi.open(sys.argv[1]).loader(batch_size=64, shuffle=True, read_ahead_bytes=ahead)
print("reading", flush=True)
try:
    while True:
        for batch in loader:
            pass
except KeyboardInterrupt:
    state = loader.state_dict()
    loader.close()
    print("stopped", state["epoch"] >= 0, threading.active_count(), flush=True)
"""


@pytest.mark.parametrize("ahead", [0, 1 << 24])
def test_ctrl_c_ends_at_once(sessions, ahead):
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, str(sessions), str(ahead)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "reading\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate()[0] == "stopped True 1\n"
    assert process.returncode == 0


WORKERS = """
import sys, time, dsi
from torch.utils.data import DataLoader
if __name__ == "__main__":
    loader = dsi.open(sys.argv[1]).loader("label", batch_size=1)
    batches = iter(DataLoader(loader, batch_size=None, num_workers=2))
    next(batches)
    print("reading", flush=True)
    try:
        for batch in batches:
            time.sleep(0.02)
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


def test_ctrl_c_ends_workers_too(sessions):
    process = subprocess.Popen(
        [sys.executable, "-c", WORKERS, str(sessions)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    # In the middle of an epoch: Python drops an interrupt that comes while workers are started.
    assert process.stdout.readline() == "reading\n"
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=100)[0] == "stopped\n"
    with pytest.raises(ProcessLookupError):
        for _ in range(600):  # Until no worker is left.
            os.killpg(process.pid, 0)
            time.sleep(0.05)

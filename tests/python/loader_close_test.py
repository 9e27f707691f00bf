"""Loaders and scans that another thread closes while a batch is being made."""

import threading

import dsi
import pytest
from loading import FEATURES


@pytest.fixture(scope="module")
def clicks(sessions):
    return dsi.open(sessions)


def begun(clicks, what, read_ahead_bytes):
    settings = {"batch_size": 64, "read_ahead_bytes": read_ahead_bytes}
    if what == "scan":
        scan = clicks.scan(FEATURES, **settings)
        return scan, scan
    loader = clicks.loader(FEATURES, shuffle=True, rank=0, world=1, **settings)
    if what == "mixture":
        loader = dsi.mix([(loader, 2), (loader.copy(), 1)], exhausted="repeat")
    return loader, iter(loader)


@pytest.mark.parametrize("read_ahead_bytes", [0, 1 << 24])
@pytest.mark.parametrize("what", ["scan", "loader", "mixture"])
def test_closing_ends_the_iteration_of_another_thread(clicks, what, read_ahead_bytes):
    for round in range(8):
        closed, batches = begun(clicks, what, read_ahead_bytes)
        went = threading.Event()
        ended = []

        def consume(batches=batches, went=went, ended=ended):
            try:
                for _ in batches:
                    went.set()
                ended.append(None)
            except dsi.InvalidArgument as error:
                ended.append(error)
            went.set()

        thread = threading.Thread(target=consume)
        thread.start()
        if round % 2 == 0:
            assert went.wait(60)
        closed.close()
        closed.close()
        thread.join(60)
        assert not thread.is_alive() and len(ended) == 1
        assert ended[0] is None or "closed" in str(ended[0])


def test_two_threads_in_one_scan_get_each_batch_once(clicks):
    scan = clicks.scan("label", batch_size=16)
    rows, refused = [], []

    def consume():
        while True:
            try:
                rows.extend(batch.rows()[1].tolist() for batch in scan)
                return
            except dsi.InvalidArgument as error:
                refused.append(str(error))

    threads = [threading.Thread(target=consume) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(row for batch in rows for row in batch) == list(range(clicks.num_rows))
    assert all("one thread at a time" in error for error in refused)

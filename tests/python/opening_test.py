"""Keywords of dsi.open that say how files are opened: what each does, and what is said of another
value."""

import inspect
import os
import pickle
import re
import sys
import threading
import time
from pathlib import Path

import dsi
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "remote"))

from http_server import FaultServer

WRONG = [
    ({"connections": 0}, "connections is 0, expected a whole number from 1"),
    ({"connections": 257}, "connections is 257, expected a whole number from 1 to 256"),
    ({"connections": "8"}, "connections is '8', expected a whole number from 1"),
    ({"first_connections": -1}, "first_connections is -1, expected a whole number from 0"),
    ({"max_tries": 0}, "max_tries is 0, expected a whole number from 1"),
    ({"deadline_s": 0}, "deadline_s is 0, expected seconds above 0 and at most 86400"),
    ({"deadline_s": float("nan")}, "deadline_s is nan, expected seconds above 0"),
    ({"deadline_s": "1"}, "deadline_s is '1', expected a number"),
    ({"connect_timeout_s": 1e9}, "connect_timeout_s is 1000000000.0, expected seconds above 0"),
    ({"stall_timeout_s": 0.5}, "stall_timeout_s is 0.5, expected a whole number from 1"),
    ({"latency_s": -1}, "latency_s is -1, expected seconds from 0 to 86400, or None"),
    ({"bytes_per_s": 0}, "bytes_per_s is 0, expected a number above 0, or None"),
    ({"bytes_per_s": float("inf")}, "bytes_per_s is inf, expected a number above 0, or None"),
    ({"direct": 1}, "direct is 1, expected True or False"),
    ({"s3_region": 1}, "s3_region is 1, expected a str"),
]


@pytest.mark.parametrize(("keywords", "said"), WRONG, ids=[str(one)[:40] for one, _ in WRONG])
def test_what_cannot_be_is_told_at_once(sessions, keywords, said):
    for call in (dsi.open, dsi.verify):
        with pytest.raises(dsi.InvalidArgument) as error:
            call(sessions, **keywords)
        assert said in str(error.value)


@pytest.mark.parametrize("headers", ["A: secret", ["secret"], [": secret"], ["A: secret\nB: c"], 3])
def test_headers_that_are_none_are_not_shown(sessions, headers):
    with pytest.raises(dsi.InvalidArgument, match="headers: expected a list of lines") as error:
        dsi.open(sessions, headers=headers)
    assert "secret" not in str(error.value)


def test_what_is_usual_is_what_the_library_has():
    told = re.findall(r"(\w+): [\w | \[\]]+ = ([^,)]+)", dsi._dsi.OpenOptions.__init__.__doc__)
    usual = {name: value.strip("'") for name, value in told}
    of_open = inspect.signature(dsi.open).parameters
    assert len(usual) > 12
    for name, value in usual.items():
        assert float(of_open[name].default or 0) == float(
            {"None": 0, "False": 0, "True": 1, "": 0, "[]": 0}.get(value, value)
        ), name


@pytest.fixture
def serve(sessions):
    """Servers of a file, each with a fault that every request has."""
    servers = []

    def make(always, data=None):
        servers.append(
            FaultServer(data or Path(sessions).read_bytes(), always=always, every_request=True)
        )
        return servers[-1].url

    yield make
    for server in servers:
        server.close()


def test_a_deadline_ends_waiting(serve):
    def stall(answer):
        answer.wait = 60

    start = time.monotonic()
    with pytest.raises(dsi.IoError):
        dsi.open(serve(stall), deadline_s=0.5)
    with pytest.raises(dsi.IoError):
        dsi.open(serve(stall), max_tries=1, stall_timeout_s=1)
    assert time.monotonic() - start < 20


def test_tries_are_counted(serve):
    asked = []

    def busy(answer):
        asked.append(answer.range)
        answer.refuse(503)

    with pytest.raises(dsi.IoError, match="503"):
        dsi.open(serve(busy), max_tries=2, first_connections=2)
    assert max(asked.count(span) for span in asked) == 2


@pytest.fixture
def wide(tmp_path):
    """A file of three long columns, a megabyte together."""
    random = np.random.default_rng(1)
    columns = {name: random.integers(0, 2**62, 40_000) for name in ("a", "b", "c")}
    kinds = [{"name": name, "kind": "key", "type": "int64"} for name in columns]
    dsi.write(columns, tmp_path / "wide.dsi", {"features": kinds}, keep_order=True)
    return (tmp_path / "wide.dsi").read_bytes()


def test_headers_and_connections(serve, wide):
    now, most, lock = 0, 0, threading.Lock()

    def guard(answer):
        nonlocal now, most
        if answer.asked.get("authorization") != "Bearer token":
            answer.refuse(403)
            return
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.05)
        with lock:
            now -= 1

    url = serve(guard, wide)
    for connections in (1, 4):
        most = 0
        dataset = dsi.open(url, headers=["Authorization: Bearer token"], connections=connections)
        for _ in dataset.scan(["a", "c"], framework="dsi"):
            pass
        assert most == connections
    # What opens it again, here or in another process, asks in the same way.
    again = pickle.loads(pickle.dumps(dataset))
    assert again._how == dataset._how
    assert sum(batch.num_rows for batch in again.scan(["a", "c"], framework="dsi")) == 40_000
    assert [file.state for file in dsi.verify(again)] == ["sound"]
    with pytest.raises(dsi.IoError, match="403"):
        dsi.open(url, max_tries=1)


def test_costs_say_what_is_worth_reading_along(serve, wide):
    """Two of three columns: what lies between is read where one more read takes longer."""
    url = serve(lambda answer: None, wide)
    read = []
    for costs in (
        {"latency_s": 1e-7},
        {"latency_s": 10, "bytes_per_s": 1e9},
        {"bytes_per_s": 1e12},
    ):
        scan = dsi.open(url, **costs).scan(["a", "c"], framework="dsi")
        for _ in scan:
            pass
        read.append((scan.stats["reads"], scan.stats["bytes_read"]))
    assert read[0][0] > read[1][0]
    assert read[0][1] < read[1][1] == read[2][1]


def test_direct_reads_pass_the_page_cache(sessions, tmp_path):
    def flags_of(path):
        for descriptor in Path("/proc/self/fd").iterdir():
            if descriptor.exists() and descriptor.samefile(path):
                info = Path(f"/proc/self/fdinfo/{descriptor.name}").read_text()
                yield int(re.search(r"flags:\s+(\d+)", info)[1], 8)

    path = tmp_path / "a.dsi"
    path.write_bytes(Path(sessions).read_bytes())
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        pytest.skip("the file system has no direct reads")
    plain = dsi.open(path)
    expected = [batch.labels for batch in plain.scan("label", framework="numpy")]
    assert not any(flags & os.O_DIRECT for flags in flags_of(path))
    direct = dsi.open(path, direct=True)
    found = [batch.labels for batch in direct.scan("label", framework="numpy")]
    assert any(flags & os.O_DIRECT for flags in flags_of(path))
    np.testing.assert_array_equal(np.concatenate(found), np.concatenate(expected))

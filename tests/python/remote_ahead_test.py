"""Files behind a server are read before their rows are wanted, and each byte once."""

import shutil
import sys
import time
from itertools import pairwise
from pathlib import Path

import dsi
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "remote"))

from http_server import HAS_NGINX, Nginx

pytestmark = pytest.mark.skipif(not HAS_NGINX, reason="nginx is not installed (nginx-light)")

FILES, STRIPES, STRIPE_ROWS = 3, 4, 1500
TAIL = 256 << 10  # Opening reads so much of the end, which holds pages, too.


@pytest.fixture(scope="module")
def server():
    """Files of 12 MB of lists that nothing makes smaller, and their addresses."""
    server = Nginx()
    random = np.random.default_rng(1)
    server.paths, server.addresses = [], []
    for i in range(FILES):
        path = server.root / f"part-{i}.dsi"
        rows = STRIPES * STRIPE_ROWS
        ids = random.integers(-(2**62), 2**62, (rows, 250))
        table = {
            "row": np.arange(i * rows, (i + 1) * rows),
            "digit": random.integers(0, 10, rows),
            "second": np.arange(rows) // STRIPE_ROWS == 1,
            "ids": list(ids),
        }
        dsi.write(table, path, keep_order=True, stripe_rows=STRIPE_ROWS)
        path.chmod(0o644)
        server.paths.append(path)
        server.addresses.append(f"{server.url}/{path.name}")
    yield server
    server.close()


def ranges(server):
    """(file, begin, end) of what was asked for so far."""
    found = []
    for line in (server.prefix / "access.log").read_text().splitlines():
        spans, uri = line.split('"')[1], line.split('"')[2].strip()
        begin, _, end = spans.removeprefix("bytes=").partition("-")
        if begin and end:
            found.append((uri, int(begin), int(end) + 1))
    return found


def loader(files, **keywords):
    return dsi.open(files).loader(
        [dsi.Jagged("ids"), dsi.Jagged("row")], framework="numpy", batch_size=500, **keywords
    )


ORDERS = {
    "file": {},
    "blocks": {"shuffle": "block", "block_rows": 700, "mixing_rows": 0},
    "mixed": {"shuffle": "block", "block_rows": 700, "mixing_rows": 2500},
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("read_ahead_bytes", [0, 4 << 20, 256 << 20])
def test_batches_are_those_of_the_local_files(server, order, read_ahead_bytes):
    asked = {**ORDERS[order], "read_ahead_bytes": read_ahead_bytes}
    local, remote = (list(loader(where, **asked)) for where in (server.paths, server.addresses))
    assert len(local) == len(remote) == FILES * STRIPES * STRIPE_ROWS // 500
    check_same(local, remote)


# Every stripe has rows that pass, but for the second of each file, which statistics tell.
WHERE = {
    "some": [("digit", "<", 7)],
    "one": [("row", "==", 5), ("digit", "<", 10)],
    "not_the_second": [("second", "==", 0), ("digit", "!=", 3)],
}


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("order", ORDERS)
def test_filtered_batches_are_those_of_the_local_files(server, order, where):
    asked = {**ORDERS[order], "read_ahead_bytes": 64 << 20, "where": WHERE[where]}
    check_same(
        *(list(loader(files, **asked)) for files in (server.paths, server.addresses)),
    )


@pytest.mark.parametrize("order", ORDERS)
def test_files_with_deleted_rows_are_read_ahead(server, order):
    local, remote = [], []
    for i, path in enumerate(server.paths):
        copy = path.with_name(f"less-{order}-{i}.dsi")
        shutil.copy(path, copy)
        first = i * STRIPES * STRIPE_ROWS
        gone = [*range(first + STRIPE_ROWS, first + 2 * STRIPE_ROWS), first + 5, first + 4000]
        assert dsi.delete_rows(copy, ("row", "in", gone)).num_deleted == STRIPE_ROWS + 2
        copy.chmod(0o644)
        local.append(copy)
        remote.append(f"{server.url}/{copy.name}")
    check_same(*(list(loader(files, **ORDERS[order])) for files in (local, remote)))


@pytest.mark.parametrize("order", ["file", "blocks"])
def test_helpers_begin_with_later_stripes(server, order):
    """Without reading ahead: of four threads three decode stripes that no batch has come to."""
    size = {f"/{path.name}": path.stat().st_size for path in server.paths}

    def first_batch(threads, is_enough):
        since = len(ranges(server))
        options = {**ORDERS[order], "read_ahead_bytes": 0, "threads": threads}
        batches = iter(loader(server.addresses, **options))
        next(batches)
        for _ in range(1000):
            asked = ranges(server)[since:]
            pages = [r for r in asked if r[2] <= size[r[0]] - TAIL and r[1] > 4096]
            found = {(uri, (begin + end) * STRIPES // (2 * size[uri])) for uri, begin, end in pages}
            if is_enough(found):
                break
            time.sleep(0.01)
        return len(found)

    assert first_batch(1, lambda found: len(found) > 0) <= 2  # A batch may lie in two.
    assert first_batch(4, lambda found: len(found) >= 4) >= 4


def check_same(local, remote):
    assert len(local) == len(remote) > 0
    for one, other in zip(local, remote, strict=True):
        for name in ("ids", "row"):
            a, b = one.jagged(name), other.jagged(name)
            assert np.array_equal(a.values, b.values) and np.array_equal(a.offsets, b.offsets)


def test_no_byte_is_asked_for_twice(server):
    batches = loader(server.addresses)
    since = len(ranges(server))
    assert sum(1 for _ in batches) == FILES * STRIPES * STRIPE_ROWS // 500
    time.sleep(0.2)  # For the log.
    size = {f"/{path.name}": path.stat().st_size for path in server.paths}
    asked = sorted(r for r in ranges(server)[since:] if r[2] <= size[r[0]] - TAIL and r[1] > 4096)
    assert sum(end - begin for _, begin, end in asked) > sum(size.values()) / 2
    for (file, _, end), (next_file, begin, _) in pairwise(asked):
        assert file != next_file or end <= begin


def test_files_are_opened_and_read_before_their_rows_are_wanted(server):
    # Batches take so much room that few are made ahead: what is asked for is asked by readers.
    wide = dsi.open(server.addresses).loader(
        [dsi.Padded("ids", width=4000)],
        framework="numpy",
        batch_size=500,
        read_ahead_bytes=64 << 20,
    )
    since = len(ranges(server))
    running = iter(wide)
    next(running)
    second = f"/{server.paths[1].name}"
    end = time.monotonic() + 20
    while time.monotonic() < end:
        of_second = [r for r in ranges(server)[since:] if r[0] == second]
        if sum(e - b for _, b, e in of_second) > 2 * TAIL:
            return
        time.sleep(0.05)
    pytest.fail(f"of the second file nobody asked for pages: {ranges(server)[since:]}")

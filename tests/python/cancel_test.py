"""Closing what waits for a server that does not answer any more."""

import http.server
import os
import re
import signal
import subprocess
import threading
import time

import dsi
import pytest
from conftest import BUILD

# Without cancelling an error comes after so long (RemoteOptions::deadline_s).
DEADLINE_SECONDS = 120


class Server(http.server.ThreadingHTTPServer):
    """Serves one file by ranges; once `is_stalled`, half of what is asked for and no more."""

    daemon_threads = True

    def __init__(self, data):
        super().__init__(("127.0.0.1", 0), Handler)
        self.data = data
        self.is_stalled = False
        self.is_waited_for = threading.Event()
        self.is_released = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/rows.dsi"

    def handle_error(self, *_):
        """Connections that are given up are what this is about."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        data = self.server.data
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers["Range"] or "bytes=0-")
        begin, end = asked.groups()
        if begin:
            begin, end = int(begin), min(int(end or len(data)) + 1, len(data))
        else:
            begin, end = max(len(data) - int(end), 0), len(data)
        self.send_response(206)
        self.send_header("ETag", '"one"')
        self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(data)}")
        self.send_header("Content-Length", str(end - begin))
        self.end_headers()
        if not self.server.is_stalled:
            self.wfile.write(data[begin:end])
            return
        self.wfile.write(data[begin : (begin + end) // 2])
        self.wfile.flush()
        self.server.is_waited_for.set()
        self.server.is_released.wait()
        self.close_connection = True


@pytest.fixture
def server(tmp_path):
    import numpy

    path = tmp_path / "rows.dsi"
    columns = {f"n{i}": numpy.random.default_rng(i).random(100_000) for i in range(8)}
    dsi.write(columns, path, stripe_rows=5_000, keep_order=True)
    server = Server(path.read_bytes())
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.is_released.set()
    server.shutdown()
    thread.join()
    server.server_close()


def closed_while_it_waits(server, batches):
    """What the thread got that was taking batches."""
    server.is_stalled = True
    ended = []

    def take():
        try:
            while True:
                next(batches)
        except (dsi.Error, StopIteration) as error:
            ended.append(error)

    thread = threading.Thread(target=take)
    thread.start()
    assert server.is_waited_for.wait(DEADLINE_SECONDS)
    start = time.monotonic()
    batches.close()
    thread.join()
    assert time.monotonic() - start < DEADLINE_SECONDS / 2
    return ended[0]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("read_ahead_bytes", [0, 1 << 18])
def test_closing_does_not_wait_for_a_server(server, threads, read_ahead_bytes):
    scan = dsi.open(server.url).scan(
        framework="numpy", batch_size=1_000, threads=threads, read_ahead_bytes=read_ahead_bytes
    )
    assert "closed" in str(closed_while_it_waits(server, scan))


@pytest.mark.parametrize("mixed", [False, True])
def test_nor_does_closing_a_loader(server, mixed):
    dataset = dsi.open(server.url)
    loader = dataset.loader(framework="numpy", batch_size=1_000, read_ahead_bytes=1 << 18)
    if mixed:
        loader = dsi.mix({"one": (loader, 1), "other": (loader.copy(), 1)})
    closed_while_it_waits(server, iter(loader))


def test_ctrl_c_ends_dsictl(server):
    dsictl = os.environ.get("DSICTL", str(BUILD / "bin" / "dsictl"))
    server.is_stalled = True
    process = subprocess.Popen(
        [dsictl, "cat", server.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.is_waited_for.wait(DEADLINE_SECONDS)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert time.monotonic() - start < DEADLINE_SECONDS / 2
    assert process.returncode == 130, said
    assert b"error" not in said

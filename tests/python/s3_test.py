"""Data on S3, opened as tools of AWS would."""

import os
import pickle
import socketserver
import subprocess
import sys
import threading
from pathlib import Path

import dsi
import pytest


class OneFile(socketserver.BaseRequestHandler):
    """Ranges of one object, to whom is asked for by key LIVE."""

    def handle(self):
        data, server = self.server.data, self.server
        while head := self.request.recv(65536).decode("latin-1"):
            lines = dict(
                line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line
            )
            who = lines.get("authorization", "").partition("credential=")[2].partition("/")[0]
            server.asked.append(who)
            if who != server.key:
                self.request.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                continue
            first, _, last = lines["range"].removeprefix("bytes=").partition("-")
            begin = int(first) if first else max(0, len(data) - int(last))
            end = min(int(last) + 1, len(data)) if first else len(data)
            said = f"bytes {begin}-{end - 1}/{len(data)}"
            self.request.sendall(
                f'HTTP/1.1 206 Partial Content\r\nContent-Range: {said}\r\nETag: "1"\r\n'
                f"Content-Length: {end - begin}\r\n\r\n".encode()
                + data[begin:end]
            )


@pytest.fixture
def bucket(sessions, tmp_path, monkeypatch):
    """A server that has the file under every name, and an environment that leads there."""
    for name in list(os.environ):
        if name.startswith("AWS_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    socketserver.ThreadingTCPServer.daemon_threads = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), OneFile) as server:
        server.data, server.asked, server.key = sessions.read_bytes(), [], "live"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        config = tmp_path / "config"
        config.write_text(
            f"[default]\nendpoint_url = {url}\n[profile live]\nendpoint_url = {url}\n"
            f"credential_process = {sys.executable} '{tmp_path}/who is it.py'\n"
        )
        (tmp_path / "who is it.py").write_text(
            f"open('{tmp_path}/calls', 'a').write('x')\n"
            'print(\'{"Version": 1, "AccessKeyId": "LIVE", "SecretAccessKey": "s3cr3t"}\')\n'
        )
        monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield server
        server.shutdown()


def calls(tmp_path: Path) -> int:
    """How often keys were asked for."""
    return (tmp_path / "calls").stat().st_size


def test_a_profile_says_who_asks_and_where(bucket, sessions, tmp_path, monkeypatch):
    names = [f"s3://bucket/{i}.dsi" for i in range(3)]
    ds = dsi.open(names, s3_profile="live")
    local = dsi.open(sessions)
    assert ds.num_rows == 3 * local.num_rows
    assert ds.schema == local.schema
    assert ds.to_arrow(["label"]).num_rows == ds.num_rows
    assert set(bucket.asked) == {"live"}
    assert calls(tmp_path) == 1  # Once for all files and all that is done with them.
    monkeypatch.setenv("AWS_PROFILE", "live")
    assert dsi.open(names[0]).num_rows == local.num_rows
    assert pickle.loads(pickle.dumps(ds)).num_rows == ds.num_rows


def test_nobody_asks(bucket, sessions):
    with pytest.raises(dsi.IoError, match="not signed"):
        dsi.open("s3://bucket/a.dsi")
    bucket.key = ""
    rows = dsi.open(sessions).num_rows
    assert dsi.open("s3://bucket/a.dsi").num_rows == rows
    assert (
        dsi.open("s3://bucket/a.dsi", s3_profile="live", s3_no_sign_request=True).num_rows == rows
    )


def test_who_is_refused_is_told_who_asked(bucket):
    bucket.key = "other"
    with pytest.raises(dsi.IoError, match=r"signed with the keys of profile .live.") as caught:
        dsi.open("s3://bucket/a.dsi", s3_profile="live")
    assert "s3cr3t" not in str(caught.value)
    with pytest.raises(dsi.InvalidArgument, match=r"profile .none.: none of this name"):
        dsi.open("s3://bucket/a.dsi", s3_profile="none")


def test_a_forked_process_reads_on(bucket):
    """As loaders of PyTorch do."""
    program = (
        "import dsi, os, sys\n"
        "ds = dsi.open('s3://bucket/a.dsi', s3_profile='live')\n"
        "child = os.fork()\n"
        "rows = sum(len(batch) for batch in ds.scan(['label']))\n"
        "if child == 0: os._exit(0 if rows == ds.num_rows else 1)\n"
        "sys.exit(os.waitpid(child, 0)[1])\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)

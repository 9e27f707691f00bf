"""Servers for tests of remote files: a real nginx, and one that breaks as it is told.

Both serve from 127.0.0.1 on a free port and are gone with the test.
"""

import http.client
import os
import re
import shutil
import socket
import socketserver
import subprocess
import tempfile
import threading
import time
from pathlib import Path

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
HAS_NGINX = os.access(NGINX, os.X_OK)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port, process, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as client:
            client.settimeout(1)
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError(f"no server on port {port}: it ended with {process.poll()}")


class Nginx:
    """An nginx with its files in a temporary folder; `locations` goes into its server block."""

    def __init__(self, locations="", tls=None):
        self._folder = tempfile.TemporaryDirectory()
        self.prefix = Path(self._folder.name)
        # Workers of an nginx started by root are another user.
        self.prefix.chmod(0o755)
        self.root = self.prefix / "root"
        self.root.mkdir()
        self.port = free_port()
        secure = ""
        if tls:
            certificate, key = tls
            secure = f"ssl_certificate {certificate}; ssl_certificate_key {key};"
        scratch = "".join(f"{name}_temp_path {name};" for name in
                          ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.prefix / "nginx.conf").write_text(f"""
daemon off; master_process off; pid nginx.pid; error_log error.log;
events {{ worker_connections 512; }}
http {{
  {scratch} log_format asked '$connection $status "$http_range" $uri';
  access_log access.log asked; sendfile on; root {self.root};
  server {{ listen 127.0.0.1:{self.port}{' ssl' if tls else ''}; {secure}
    {locations}
  }}
}}
""")
        self.process = None
        try:
            self.start()
        except RuntimeError:
            self.close()
            raise
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen(
            [NGINX, "-p", f"{self.prefix}/", "-c", "nginx.conf"], stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def put(self, name, data):
        """Replaces a file as a publisher does: by another of that name."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.prefix / "new").write_bytes(data)
        (self.prefix / "new").rename(path)
        return f"{self.url}/{name}"

    def asked(self):
        """(connection, status, range) of each request so far; nginx logs them once they are done."""
        lines = (self.prefix / "access.log").read_text().splitlines()
        return [re.match(r'(\d+) (\d+) "([^"]*)"', line).groups() for line in lines]

    def close(self):
        self.stop()
        self._folder.cleanup()


class FaultServer:
    """Serves one file. `faults` says what becomes of each request that asks for more than the ends of
    the file, one after the other; when they are used up, all goes well. A fault is a function of the
    Answer."""

    def __init__(self, data, faults=(), etag='"1"', always=None, every_request=False):
        self.data = data
        self.etag = etag
        self.modified = "Tue, 24 Nov 2026 10:00:00 GMT"
        self.faults = list(faults)
        self.always = always
        self.every_request = every_request
        self.requests = []  # (path, headers)
        self.lock = threading.Lock()
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    while outer.answer(self.request):
                        pass
                except OSError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 64
            allow_reuse_address = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/file"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, connection):
        head = b""
        while b"\r\n\r\n" not in head:
            got = connection.recv(65536)
            if not got:
                return False
            head += got
        first, *lines = head.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
        headers = {name.strip().lower(): value.strip()
                   for name, _, value in (line.partition(":") for line in lines)}
        path = first.split(" ")[1]
        answer = Answer(self, path, headers)
        with self.lock:
            self.requests.append((path, headers))
            fault = self.always
            if not fault and self.faults and (self.every_request or not answer.is_end):
                fault = self.faults.pop(0)
        if fault:
            fault(answer)
        return answer.send(connection)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Answer:
    """What a request gets, before it is sent."""

    def __init__(self, server, path, headers):
        size = len(server.data)
        self.server, self.path, self.asked = server, path, headers
        self.status = 206
        self.range = headers.get("range", "")
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", self.range)
        if not match:
            self.begin, self.end, self.status = 0, size, 200
        elif match[1]:
            self.begin, self.end = int(match[1]), min(int(match[2]) + 1, size)
        else:
            self.begin, self.end = size - min(int(match[2]), size), size
        self.is_end = self.begin == 0 or not (match and match[1])
        self.body = server.data[self.begin:self.end]
        self.headers = {"ETag": server.etag, "Last-Modified": server.modified}
        if self.status == 206:
            self.headers["Content-Range"] = f"bytes {self.begin}-{self.end - 1}/{size}"
        self.length = None  # Of Content-Length, if not that of the body; False: none.
        self.cut = None     # After so many bytes of the body the connection is closed.
        self.wait = 0

    def refuse(self, status, body=b"", **headers):
        self.status, self.body = status, body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def send(self, connection):
        time.sleep(self.wait)
        if self.status is None:
            return False
        if self.length is not False:
            self.headers["Content-Length"] = len(self.body) if self.length is None else self.length
        head = f"HTTP/1.1 {self.status} {http.client.responses.get(self.status, 'x')}\r\n"
        head += "".join(f"{n}: {v}\r\n" for n, v in self.headers.items() if v is not None) + "\r\n"
        body = self.body if self.cut is None else self.body[:self.cut]
        connection.sendall(head.encode("latin-1") + body)
        return self.cut is None and self.length is None

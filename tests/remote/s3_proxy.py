"""A proxy in front of moto's S3 that does one write at a time, checks signatures and breaks as it is told."""

import http.client
import http.server
import threading

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEY, SECRET, REGION = "AKIDEXAMPLE", "wJalr/XUtn+FEMI", "us-east-1"


def is_signed(request, path):
    """Whether the signature is that of AWS's rules."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    said = headers.get("authorization", "")
    signed = said.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    asked = AWSRequest(method=request.command, url=f"http://{headers['host']}{path}",
                       headers={name: headers[name] for name in signed})
    asked.context.update(timestamp=headers.get("x-amz-date"), payload_signing_enabled=False)
    auth = S3SigV4Auth(Credentials(KEY, SECRET), "s3", REGION)
    expected = auth.signature(auth.string_to_sign(asked, auth.canonical_request(asked)), asked)
    return f"Signature={expected}" in said and {"host", "x-amz-date", "x-amz-content-sha256"} <= set(signed)


class Proxy(http.server.ThreadingHTTPServer):
    """In front of moto, which is not atomic by itself. `faults` are of the next puts of snapshots: each is
    a function (handler, forward) that answers. `rules` are the same for writes of any kind, as (method, text
    in the path, function), each of which is used once."""

    daemon_threads = True

    def __init__(self, port):
        self.moto, self.lock, self.faults, self.unsigned, self.writes = port, threading.Lock(), [], [], []
        self.counting = threading.Lock()
        self.rules, self.in_flight, self.most_in_flight = [], 0, 0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        """Of clients that are killed; a request that is not answered fails the test."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        with self.server.counting:
            self.server.in_flight += 1
            self.server.most_in_flight = max(self.server.most_in_flight, self.server.in_flight)
        try:
            self.answer()
        finally:
            with self.server.counting:
                self.server.in_flight -= 1

    def rule(self):
        for rule in self.server.rules:
            if rule[0] == self.command and rule[1] in self.path:
                self.server.rules.remove(rule)
                return rule[2]
        return None

    def answer(self):
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length)
        if len(body) < length:  # Who asked is gone.
            self.close_connection = True
            return
        headers = {n: v for n, v in self.headers.items() if n.lower() not in ("host", "connection")}

        def forward(without=()):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.moto, timeout=60)
            connection.request(self.command, self.path, body,
                               {n: v for n, v in headers.items() if n.lower() not in without})
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()

        if self.command in ("PUT", "POST", "DELETE"):
            if not is_signed(self, self.path):
                self.server.unsigned.append((self.command, self.path))
            with self.server.lock:
                self.server.writes.append((self.command, self.path))
                fault = self.rule()
                if "_snapshots/" in self.path and self.command == "PUT" and self.server.faults:
                    fault = self.server.faults.pop(0)
                answer = fault(self, forward) if fault else forward()
        else:
            answer = forward()
        if answer is None:
            self.close_connection = True
            return
        status, headers, body = answer
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        shown = dict((n.lower(), v) for n, v in headers).get("content-length", len(body))
        self.send_header("Content-Length", shown if self.command == "HEAD" else str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

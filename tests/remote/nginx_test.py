"""Files behind a real nginx: ranges, connections, redirections, refusals, files that are replaced."""

import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from http_server import HAS_NGINX, Nginx
from remote_case import SKIPPED, RemoteTest, main, pattern

SIZE = 3_000_000
LOCATIONS = """
  location /no_ranges/ { max_ranges 0; }
  location /down/ { return 503; }
  location /forbidden/ { return 403; }
  location /moved/ { rewrite ^/moved/(.*)$ /$1 redirect; }
  location /loop/ { return 302 /loop/; }
  location /slow/ { limit_rate 2m; rewrite ^/slow/(.*)$ /$1 break; }
  location /no_etag/ { etag off; rewrite ^/no_etag/(.*)$ /$1 break; }
  location /bearer/ { if ($http_authorization != "Bearer secret") { return 401; }
                      rewrite ^/bearer/(.*)$ /$1 break; }
"""


class NginxTest(RemoteTest):
    OPTIONS = ("first_connections=2",)  # The ends and nothing else.

    @classmethod
    def setUpClass(cls):
        cls.nginx = Nginx(LOCATIONS)
        cls.addClassCleanup(cls.nginx.close)
        cls.data = pattern(SIZE)
        cls.url = cls.nginx.put("file", cls.data)
        cls.nginx.put("no_ranges/large", cls.data)
        cls.nginx.put("no_ranges/small", cls.data[:3000])

    def test_same_bytes_as_a_local_file(self):
        remote, local = self.open(self.url), self.local(self.data)
        self.assertEqual(remote.opened, f"ok {SIZE}")
        many = [n for i in range(100) for n in (i * 29_000 % SIZE, 1 + i * 37)]
        for numbers in ([0, 1], [0, SIZE], [SIZE - 1, 1], [SIZE, 0], [5, 0], [100, 100_000],
                        [SIZE - 300_000, 300_000], [1_000_000, 50, 4, 100, 900_000, 70], many):
            self.expect_same(self.data, remote, numbers, local)
        for numbers in ([SIZE, 1], [SIZE + 1, 0], [0, SIZE + 1], [2**63, 5], [2**64 - 1, 2]):
            answer = remote.read(*numbers) if numbers[1] <= SIZE + 1 else ""
            self.expect_failure(answer, "truncated", self.url, f"the file has {SIZE}")

    def test_opening_is_one_step_and_keeps_the_ends(self):
        before = len(self.nginx.asked())
        remote = self.open(self.url)
        remote.read(SIZE - 250_000, 250_000, 0, 64)
        time.sleep(0.1)
        asked = self.nginx.asked()[before:]
        self.assertEqual(sorted(r for _, _, r in asked), ["bytes=-262144", "bytes=0-4095"])

    def test_connections_are_there_before_they_are_needed(self):
        before = len(self.nginx.asked())
        remote = self.open(self.url, "first_connections=10")
        remote.read(*[n for i in range(10) for n in (10_000 + i * 100_000, 100)])
        time.sleep(0.1)
        asked = self.nginx.asked()[before:]
        self.assertEqual([r for _, _, r in asked].count("bytes=0-0"), 8)
        self.assertLessEqual(len({connection for connection, _, _ in asked}), 10)

    def test_neighbours_are_asked_for_together(self):
        before = len(self.nginx.asked())
        remote, local = self.open(self.url), self.local(self.data)
        self.expect_same(self.data, remote, [n for i in range(50) for n in (10_000 + i * 7, 7)],
                         local)
        for i in range(1000):  # One behind the other, as blocks of a directory are read.
            self.expect_same(self.data, remote, [500_000 + 300 * i, 290], local)
        time.sleep(0.1)
        self.assertLessEqual(len(self.nginx.asked()) - before, 2 + 1 + 5)

    def test_connections_are_kept(self):
        before = len(self.nginx.asked())
        remote = self.open(self.url, "connections=3")
        for _ in range(5):
            remote.read(*[n for i in range(20) for n in (10_000 + i * 100_000, 100)])
        time.sleep(0.1)
        asked = self.nginx.asked()[before:]
        self.assertEqual(len(asked), 102)
        self.assertLessEqual(len({connection for connection, _, _ in asked}), 3)

    def test_small_and_empty_files(self):
        for size in (0, 1, 100, 4096, 262_144, 262_145, 266_240):
            url = self.nginx.put("small", self.data[:size])
            remote, local = self.open(url), self.local(self.data[:size])
            self.assertEqual(remote.opened, f"ok {size}")
            self.expect_same(self.data, remote, [0, size, size // 2, size - size // 2], local)

    def test_names_are_escaped(self):
        url = self.nginx.put("a file+ü", self.data)
        self.assertEqual(self.open(url).opened, f"ok {SIZE}")

    def test_many_threads_and_a_forked_process(self):
        remote, local = self.open(self.url), self.local(self.data)
        numbers = [100, 1_000_000, 1_500_000, 10, 2_000_000, 300_000]
        expected = local.read(*numbers)
        self.assertEqual(remote.ask("threads", 8, *numbers), expected)
        for _ in range(2):
            self.assertEqual(remote.ask("fork", *numbers), expected)
            self.assertEqual(remote.read(*numbers), expected)
        self.assertEqual(remote.ask("threads", 20, *numbers), expected)

    def test_a_replaced_file_is_an_error(self):
        for location in ("", "no_etag/"):
            self.nginx.put("replaced", self.data)
            remote = self.open(f"{self.nginx.url}/{location}replaced")
            self.assertTrue(remote.read(500_000, 100).startswith("ok"))
            time.sleep(1.1)  # Times of HTTP are whole seconds.
            self.nginx.put("replaced", pattern(SIZE, seed=2))
            self.expect_failure(remote.read(500_000, 100), "i/o error", "replaced since it was opened")
            self.nginx.put("replaced", self.data[:1000])
            self.expect_failure(remote.read(500_000, 100), "i/o error", "since it was opened")
            (self.nginx.root / "replaced").unlink()
            self.expect_failure(remote.read(500_000, 100), "not found", "404")

    def test_redirections_are_followed_and_remembered(self):
        before = len(self.nginx.asked())
        remote, local = self.open(f"{self.nginx.url}/moved/file"), self.local(self.data)
        self.expect_same(self.data, remote, [500_000, 1000, 900_000, 1000], local)
        time.sleep(0.1)
        statuses = [status for _, status, _ in self.nginx.asked()[before:]]
        self.assertEqual(sorted(statuses), ["206"] * 4 + ["302"] * 2)
        self.expect_failure(self.open(f"{self.nginx.url}/loop/").opened, "i/o error",
                            "redirected more than 5 times")

    def test_refusals(self):
        self.expect_failure(self.open(f"{self.nginx.url}/none").opened, "not found", "404")
        self.expect_failure(self.open(f"{self.nginx.url}/forbidden/x").opened, "i/o error", "403")
        begin = time.monotonic()
        said = self.open(f"{self.nginx.url}/down/x", "max_tries=3").opened
        self.expect_failure(said, "i/o error", "503", "(requests: 3, within ")
        self.assertGreater(time.monotonic() - begin, 0.15)
        said = self.open(self.url.replace("http://", "http://user:hidden@") + "x?key=hidden").opened
        self.expect_failure(said, "not found", f"{self.nginx.url}/filex?…")
        self.assertNotIn("hidden", said)
        self.assertNotIn("user", said)

    def test_headers_of_the_caller(self):
        self.expect_failure(self.open(f"{self.nginx.url}/bearer/file").opened, "i/o error", "401")
        remote = self.open(f"{self.nginx.url}/bearer/file", "header=Authorization: Bearer secret")
        self.assertEqual(remote.opened, f"ok {SIZE}")
        bad = self.open(self.url, "header=Authorization: x\r\nRange: bytes=1-2").opened
        self.expect_failure(bad, "invalid argument", "one line")

    def test_a_server_that_ignores_ranges(self):
        self.assertEqual(self.open(f"{self.nginx.url}/no_ranges/small").opened, "ok 3000")
        self.expect_failure(self.open(f"{self.nginx.url}/no_ranges/large").opened, "i/o error",
                            "the server ignores ranges")

    def test_slow_is_no_error(self):
        remote, local = self.open(f"{self.nginx.url}/slow/file"), self.local(self.data)
        self.expect_same(self.data, remote, [100, 2_500_000], local)

    def test_a_server_that_goes_away_and_comes_back(self):
        nginx = Nginx()
        self.addCleanup(nginx.close)
        remote, local = self.open(nginx.put("file", self.data)), self.local(self.data)
        self.expect_same(self.data, remote, [100_000, 100], local)
        nginx.stop()
        begin = time.monotonic()
        answer = self.open(nginx.url + "/file").opened
        self.expect_failure(answer, "i/o error", "requests: 4")
        self.assertLess(time.monotonic() - begin, 30)
        back = threading.Timer(0.7, nginx.start)
        back.start()
        self.expect_same(self.data, remote, [100_000, 100], local)
        back.join()


class TlsTest(RemoteTest):
    def test_certificates_are_checked(self):
        openssl = shutil.which("openssl")
        if openssl is None:
            self.skipTest("no openssl")
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        certificate, key = folder / "cert.pem", folder / "key.pem"
        subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1"],
                       check=True, stderr=subprocess.DEVNULL)
        nginx = Nginx(tls=(certificate, key))
        self.addCleanup(nginx.close)
        data = pattern(SIZE)
        url = nginx.put("file", data)
        said = self.open(url).opened
        self.expect_failure(said, "i/o error", "certificate")
        self.assertNotIn("requests:", said)  # Not worth another try.
        local = self.local(data)
        for remote in (self.open(url, f"ca_file={certificate}"),
                       self.open(url, environment={"SSL_CERT_FILE": str(certificate)})):
            self.expect_same(data, remote, [100_000, 1_000_000], local)
            self.assertEqual(remote.ask("fork", 100_000, 50_000), local.read(100_000, 50_000))
            self.expect_same(data, remote, [100_000, 1_000_000], local)


if __name__ == "__main__":
    if not HAS_NGINX:
        print("skipped: nginx is not installed (package nginx-light)")
        sys.exit(SKIPPED)
    main()

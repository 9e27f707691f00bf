"""dsictl with URLs: whatever it says of a local file it says of the same file behind a server."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from cli_case import DAMAGED, IO, OK, SKIPPED, USAGE, CliTest, main  # noqa: E402
from http_server import HAS_NGINX, FaultServer, Nginx  # noqa: E402


class RemoteDsictlTest(CliTest):
    def setUp(self):
        super().setUp()
        self.nginx = Nginx("location /busy/ { return 503; }")
        self.addCleanup(self.nginx.close)

    def serve(self, path):
        return self.nginx.put(path.name, path.read_bytes())

    def test_verbs_that_read(self):
        local = self.dsi("visits")
        url = self.serve(local) + "?signature=hidden"
        for verb, *options in (["inspect"], ["inspect", "--features"], ["inspect", "--plan", "*"],
                               ["inspect", "--layout"], ["inspect", "--dedup"], ["verify"],
                               ["head"], ["cat"], ["schema"]):
            with self.subTest(verb, options=options):
                here = self.expect(OK, verb, local, *options).stdout.decode()
                there = self.expect(OK, verb, url, *options).stdout.decode()
                self.assertNotIn("hidden", there)
                shown = f"{url.partition('?')[0]}?…"
                if "--plan" not in options:
                    self.assertEqual(self.plain(there, shown), self.plain(here, str(local)))
        self.expect(OK, "bench", url, "--features", "*", "--layout", "jagged", "--repeat", "1")
        self.expect(OK, "dedup", url)
        for out, *more in (["a.jsonl"], ["b.dsi", "--keep-position"]):
            self.expect(OK, "convert", url, self.path(out), "--quiet", *more)
            self.expect(OK, "convert", local, self.path("local." + out), "--quiet", *more)
            self.assertEqual(self.path(out).read_bytes(), self.path("local." + out).read_bytes())

    @staticmethod
    def plain(text, name):
        return " ".join(text.replace(name, "FILE").split())

    def test_damage_is_damage(self):
        local = self.dsi()
        data = bytearray(local.read_bytes())
        data[len(data) // 3] ^= 1
        url = self.nginx.put("damaged.dsi", data)
        local.write_bytes(data)
        here, there = self.expect(DAMAGED, "verify", local), self.expect(DAMAGED, "verify", url)
        self.assertEqual(self.plain(there.stdout.decode(), url),
                         self.plain(here.stdout.decode(), str(local)))
        url = self.nginx.put("cut.dsi", data[:-100])
        self.assertIn(url, self.expect(DAMAGED, "verify", url).stdout.decode())

    def test_what_cannot_be(self):
        local = self.dsi()
        url = self.serve(local)
        said = self.expect(IO, "inspect", f"{self.nginx.url}/none.dsi?key=hidden").said
        self.assertIn("404", said)
        self.assertNotIn("hidden", said)
        self.assertNotIn("hint", said)
        self.assertIn("503", self.expect(IO, "head", f"{self.nginx.url}/busy/x.dsi").said)
        self.assertIn("not from ftp://", self.expect(USAGE, "cat", "ftp://host/x.dsi").said)
        for arguments in ((url, f"{self.nginx.url}/out.dsi"), (url, "s3://bucket/out.jsonl"),
                          (self.path("clicks.jsonl"), "s3://bucket/out.dsi")):
            self.assertIn("local paths only", self.expect(USAGE, "convert", *arguments).said)
        said = self.expect(IO, "convert", f"{self.nginx.url}/x.jsonl?key=hidden", self.path("o.dsi")).said
        self.assertIn("404", said)
        self.assertNotIn("hidden", said)

    def test_headers_and_deadlines(self):
        data, token = self.dsi().read_bytes(), "very-secret"

        def guard(answer):
            if answer.asked.get("authorization") != f"Bearer {token}":
                answer.refuse(403)

        server = FaultServer(data, always=guard)
        self.addCleanup(server.close)
        self.assertIn("403", self.expect(IO, "head", server.url).said)
        header = ["--http-header", f"Authorization: Bearer {token}"]
        for verb in (["head"], ["cat", "--count"], ["inspect"], ["inspect", "--plan", "label"], ["verify"],
                     ["bench", "--features", "label", "--repeat", "1"]):
            result = self.expect(OK, *verb, server.url, *header)
            self.assertNotIn(token, result.stdout.decode())
        said = self.expect(IO, "verify", server.url, "--http-header", "Authorization: Bearer other-secret").said
        self.assertIn("403", said)
        self.assertNotIn("secret", said)

        def stall(answer):
            answer.wait = 60

        silent = FaultServer(data, always=stall, every_request=True)
        self.addCleanup(silent.close)
        start = time.monotonic()
        self.expect(IO, "head", silent.url, "--deadline", "0.5")
        self.assertLess(time.monotonic() - start, 10)

    def test_texts(self):
        rows = b"".join(b'{"a":%d,"b":[%d]}\n' % (i, i % 7) for i in range(900_000))
        url = self.nginx.put("t.jsonl", rows)
        local = self.write("t.jsonl", rows.decode())
        self.expect(OK, "convert", url + "?key=hidden", self.path("there.dsi"), "-q")
        self.expect(OK, "convert", local, self.path("here.dsi"), "-q")
        self.assertEqual(self.path("there.dsi").read_bytes(), self.path("here.dsi").read_bytes())
        bad = self.nginx.put("bad.csv", b"a,b\n1,2\n3\n")
        said = self.expect(USAGE, "convert", bad + "?key=hidden", self.path("o.dsi")).said
        self.assertIn(f"{bad}?…:3: found 1 cells", said)


if __name__ == "__main__":
    if not HAS_NGINX:
        print("skipped: nginx is not installed (package nginx-light)")
        sys.exit(SKIPPED)
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            del os.environ[name]
    main()

"""Datasets behind servers: prefixes of S3 (moto) with pages, listings of nginx, manifests behind URLs. What is found is
seen through dsictl manifest."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from cli_case import DAMAGED, IO, OK, SKIPPED, USAGE, CliTest, main  # noqa: E402
from http_server import HAS_NGINX, Nginx, free_port, wait_for_port  # noqa: E402

try:
    import boto3
    import moto  # noqa: F401
except ImportError:
    moto = None

KEY, SECRET, BUCKET = "AKIDEXAMPLE", "wJalr/XUtn+FEMI", "bucket"
NAMES = ["d/a.dsi", "d/e/b 1+2&<>.dsi", "d/e/日本.dsi", "d/.h/c.dsi", "d/.c.dsi", "d/notes.txt", "other.dsi"]
LISTED = ["d/a.dsi", "d/e/b 1+2&<>.dsi", "d/e/日本.dsi"]


class DatasetTest(CliTest):
    def found(self, where, *more):
        out = self.path("found.json")
        self.expect(OK, "manifest", where, "-o", out, "--force", *more)
        return [file["path"] for file in json.loads(out.read_text())["files"]]


class S3Test(DatasetTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if moto is None:
            raise unittest.SkipTest("moto is not installed")
        port = free_port()
        cls.server = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.server.wait, 30)
        cls.addClassCleanup(cls.server.terminate)
        wait_for_port(port, cls.server, seconds=60)
        url = f"http://127.0.0.1:{port}"
        os.environ.update(AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET, AWS_ENDPOINT_URL=url,
                          AWS_REGION="us-east-1")
        cls.s3 = boto3.client("s3", endpoint_url=url)
        cls.s3.create_bucket(Bucket=BUCKET)

    def test_prefixes_patterns_and_pages(self):
        data = self.dsi().read_bytes()
        for name in NAMES:
            self.s3.put_object(Bucket=BUCKET, Key=name, Body=data)
        whole = [f"s3://{BUCKET}/{name}" for name in LISTED]
        self.assertEqual(self.found(f"s3://{BUCKET}/d/"), whole)
        self.assertEqual(self.found(f"s3://{BUCKET}/"), whole + [f"s3://{BUCKET}/other.dsi"])
        self.assertEqual(self.found(f"s3://{BUCKET}/d/*.dsi"), whole[:1])
        self.assertEqual(self.found(f"s3://{BUCKET}/**/b*"), whole[1:2])
        # Verbs that read rows take them as one table.
        rows = self.json("inspect", f"s3://{BUCKET}/d/")["rows"]
        self.assertEqual(self.json("cat", f"s3://{BUCKET}/d/", "--count")["rows"], rows)
        self.assertEqual(len(self.expect(OK, "head", f"s3://{BUCKET}/d/", "-n", "7").stdout.splitlines()), 7)
        files = self.json("verify", f"s3://{BUCKET}/d/", "--threads", "2")["files"]
        self.assertEqual([(file["path"], file["state"]) for file in files], [(name, "sound") for name in whole])
        said = self.expect(IO, "manifest", f"s3://{BUCKET}/none/", "-o", self.path("m.json")).said
        self.assertIn("no *.dsi there", said)
        said = self.expect(IO, "manifest", "s3://nowhere/x/", "-o", self.path("m.json")).said
        self.assertIn("NoSuchBucket", said)
        # More than a page, which is 1,000 keys.
        for i in range(1005):
            self.s3.put_object(Bucket=BUCKET, Key=f"many/{i:04}.txt", Body=b"")
        self.s3.put_object(Bucket=BUCKET, Key="many/z.dsi", Body=data)
        self.assertEqual(self.found(f"s3://{BUCKET}/many/"), [f"s3://{BUCKET}/many/z.dsi"])
        # A manifest beside the files.
        local = self.path("d/a.dsi")
        local.parent.mkdir()
        local.write_bytes(data)
        self.expect(OK, "manifest", local.parent, "-o", self.path("d/all.json"))
        self.s3.put_object(Bucket=BUCKET, Key="d/all.json", Body=self.path("d/all.json").read_bytes())
        self.assertEqual(self.found(f"s3://{BUCKET}/d/all.json"), whole[:1])


class NginxTest(DatasetTest):
    def test_listings(self):
        nginx = Nginx("location /d/ { autoindex on; autoindex_format json; } location /html/ { autoindex on; }")
        self.addCleanup(nginx.close)
        data = self.dsi().read_bytes()
        for name in NAMES:
            nginx.put(name, data)
        nginx.put("html/a.dsi", data)
        self.assertEqual(self.found(f"{nginx.url}/d/"),
                         [f"{nginx.url}/{name}" for name in
                          ("d/a.dsi", "d/e/%E6%97%A5%E6%9C%AC.dsi", "d/e/b%201%2B2%26%3C%3E.dsi")])
        out = self.path("m.json")
        self.assertIn("name a manifest", self.expect(USAGE, "manifest", f"{nginx.url}/html/", "-o", out).said)
        self.assertIn("404", self.expect(IO, "manifest", f"{nginx.url}/none/", "-o", out).said)

    def test_a_walk_of_too_many_folders_or_entries_ends(self):
        # Every folder below has no entry; what the first one lists is a file.
        # Each of the folders that are listed has nothing in it.
        nginx = Nginx("location = /d/ { try_files /list.json =404; } location ~ ^/d/(.*)/$ { return 200 '[]'; }")
        self.addCleanup(nginx.close)
        nginx.put("d/a.dsi", self.dsi().read_bytes())
        file = {"name": "a.dsi", "type": "file"}

        def expect_most(entries, *words):
            nginx.put("list.json", json.dumps([file, *entries[1:]]).encode())
            self.assertEqual(self.found(f"{nginx.url}/d/"), [f"{nginx.url}/d/a.dsi"])
            nginx.put("list.json", json.dumps([file, *entries]).encode())
            said = self.expect(IO, "manifest", f"{nginx.url}/d/", "-o", self.path("m.json")).said
            for word in (f"{nginx.url}/d/: more than {len(entries)} ", "name a manifest", *words):
                self.assertIn(word, said)

        # What was named is one of the folders, and its file one of the entries.
        expect_most([{"name": f"{i}", "type": "directory"} for i in range(50_000)], " folders in all", "/d/49999/;")
        expect_most([{"name": f"{i}", "type": "file"} for i in range(1_000_000)], " entries in all")

    def test_a_table_is_its_newest_snapshot(self):
        nginx = Nginx("location /d/ { autoindex on; autoindex_format json; }")
        self.addCleanup(nginx.close)
        file, table = self.dsi(), nginx.root / "d" / "t 1"
        self.expect(OK, "table", "create", table, "-q")
        for job in ("a", "b"):
            messages = self.write("m", self.expect(OK, "table", "stage", table, file, "--job", job).stdout)
            self.expect(OK, "table", "commit", table, messages, "--job", job, "-q")
        self.expect(OK, "table", "stage", table, file, "--job", "c")
        for path in [nginx.root, *nginx.root.rglob("*")]:
            path.chmod(0o755)
        of_a, of_b = (f"{nginx.url}/d/t%201/data/{job}/" for job in ("a", "b"))
        self.assertEqual([path.rsplit("/", 1)[0] + "/" for path in self.found(f"{nginx.url}/d/t%201/")], [of_a, of_b])
        self.assertEqual(len(self.found(f"{nginx.url}/d/t 1/")), 2)
        self.assertEqual(len(self.found(f"{nginx.url}/d/t%201/@2")), 1)
        self.assertEqual(len(self.json("verify", f"{nginx.url}/d/t%201/")["files"]), 2)
        self.assertEqual(self.expect(OK, "head", f"{nginx.url}/d/t%201/@2").stdout, self.expect(OK, "head", file).stdout)
        next((nginx.root / "d/t 1/data/b").iterdir()).write_bytes(b"another one")
        said = self.expect(DAMAGED, "verify", f"{nginx.url}/d/t%201/")
        self.assertIn("1 of 2 files is damaged", said.said)
        said = self.expect(IO, "manifest", f"{nginx.url}/d/t%201/@7", "-o", self.path("m.json")).said
        self.assertIn("no snapshot 7", said)


if __name__ == "__main__":
    if not HAS_NGINX:
        print("skipped: nginx is not installed (package nginx-light)")
        sys.exit(SKIPPED)
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("AWS_"):
            del os.environ[name]
    main()

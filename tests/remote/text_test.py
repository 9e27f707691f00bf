"""Texts behind URLs: what dsictl makes of them is what it makes of local ones."""

import gzip
import json
import os
import subprocess
import sys
import unittest

from moto_case import ProxiedMotoCase
from remote_case import SKIPPED

DSICTL = os.environ.get("DSICTL", "")


class TextTest(ProxiedMotoCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.days = {}
        for day in range(3):
            rows = "".join(json.dumps({"session_id": 100 * day + i // 5, "day": day, "clicks": [i, i + 1]}) + "\n"
                           for i in range(20_000))
            cls.days[f"day={day}/part.jsonl.gz"] = gzip.compress(rows.encode(), 1)
        for name, data in {**cls.days, "day=0/_SUCCESS": b"", "day=1/notes.txt": b"x"}.items():
            cls.s3.put_object(Bucket="bucket", Key=f"logs/{name}", Body=data)
            path = cls.folder / "logs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def convert(self, *arguments, code=0):
        done = subprocess.run([DSICTL, "convert", *map(str, arguments), "--force", "-q"], capture_output=True, text=True,
                              env=self.environment, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_same_bytes_as_local_files(self):
        here, there = self.folder / "here.dsi", self.folder / "there.dsi"
        self.convert(self.folder / "logs", here)
        for where in ("s3://bucket/logs/", "s3://bucket/logs/day=*/*.gz", "s3://bucket/logs/**/part.*"):
            with self.subTest(where):
                self.convert(where, there, *(["--format", "jsonl"] if "part" in where else []))
                self.assertEqual(there.read_bytes(), here.read_bytes())
        self.convert(self.folder / "logs/day=1/part.jsonl.gz", here)
        self.convert("s3://bucket/logs/day=1/part.jsonl.gz", there, "--threads", "1")
        self.assertEqual(there.read_bytes(), here.read_bytes())

    def test_what_is_not_there(self):
        out = self.folder / "none.dsi"
        self.assertIn("no texts below it", self.convert("s3://bucket/none/", out, code=3))
        self.assertIn("no object has such a name", self.convert("s3://bucket/logs/*.csv", out, code=3))
        self.assertIn("404", self.convert("s3://bucket/none.jsonl", out, code=3))
        self.assertIn("does not tell the format", self.convert("s3://bucket/logs/day=1/notes.txt", out, code=2))
        self.s3.put_object(Bucket="bucket", Key="bad.jsonl.gz", Body=self.days["day=0/part.jsonl.gz"][:-9])
        self.assertIn("s3://bucket/bad.jsonl.gz", self.convert("s3://bucket/bad.jsonl.gz", out, code=1))
        self.assertFalse(out.exists())


if __name__ == "__main__":
    if not DSICTL:
        print("skipped: DSICTL does not name the program")
        sys.exit(SKIPPED)
    unittest.main()

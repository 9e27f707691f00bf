"""Rows deleted by key or condition: what is left, by dsictl and by the reference decoder, and what is told."""

import json
import os
import subprocess
import sys
from pathlib import Path

from cli_case import IO, OK, USAGE, CliTest, main

REFERENCE = Path(os.environ.get("DSI_SOURCE_DIR", ".")) / "spec/reference/dsi_reference.py"


class DeleteTest(CliTest):
    def setUp(self):
        super().setUp()
        self.rows = [{"user": i // 5, "name": f"u{i % 4}", "label": i % 3, "clicks": [i, i + 1]} for i in range(500)]
        text = self.write("t.jsonl", "".join(json.dumps(row) + "\n" for row in self.rows))
        self.file = self.path("t.dsi")
        self.expect(OK, "convert", text, self.file, "--session-key", "user", "-q", "--stripe-rows", "100")

    def left(self, path=None):
        text = self.expect(OK, "cat", path or self.file).stdout
        self.expect(OK, "verify", path or self.file)
        reference = subprocess.run([sys.executable, REFERENCE, path or self.file], capture_output=True, check=False)
        if b"No module named" not in reference.stderr:  # Of compressions and XXH3.
            self.assertEqual(reference.returncode, 0, reference.stderr)
            found = [json.loads(line) for line in reference.stdout.splitlines()]
            self.assertEqual(found, [json.loads(line) for line in text.splitlines()])
        return [json.loads(line) for line in text.splitlines()]

    def expected(self, goes):
        return [row for row in self.rows if not goes(row)]

    def test_by_key(self):
        report = self.json("delete", self.file, "--key", "user", "--values", "3,7", "--values", "99,500")
        self.assertEqual(report, [{"path": str(self.file), "rows": 500, "deleted": 15, "deleted_rows": 15,
                                   "bytes": self.file.stat().st_size}])
        self.assertEqual(self.left(), self.expected(lambda row: row["user"] in (3, 7, 99)))
        gone = self.write("gone.txt", "u1\r\nu3\n")
        said = self.expect(OK, "delete", self.file, "--key", "name", "--values-from", gone).stdout.decode()
        self.assertIn("deleted", said)
        left = self.expected(lambda row: row["user"] in (3, 7, 99) or row["name"] in ("u1", "u3"))
        self.assertEqual(self.left(), left)
        self.expect(OK, "rewrite", self.file, self.path("erased.dsi"), "-q")
        self.assertEqual(self.left(self.path("erased.dsi")), left)
        self.assertEqual(self.json("inspect", self.path("erased.dsi"))["rows"], len(left))

    def test_by_condition_in_many_files(self):
        other = self.path("u.dsi")
        self.expect(OK, "rewrite", self.file, other, "-q")
        before = self.file.read_bytes()
        report = self.json("delete", self.path("[tu].dsi"), "--where", "label = 1", "--where", "user < 10", "-n")
        self.assertEqual([file["deleted"] for file in report], [17, 17])
        self.assertEqual(self.file.read_bytes(), before)
        self.expect(OK, "delete", self.path("[tu].dsi"), "--where", "label = 1", "--where", "user < 10", "-q")
        left = self.expected(lambda row: row["label"] == 1 and row["user"] < 10)
        self.assertEqual(self.left(), left)
        self.assertEqual(self.left(other), left)

    def test_refused(self):
        before = self.file.read_bytes()
        for options in ([], ["--key", "user"], ["--key", "user", "--values", "x"], ["--values", "1"],
                        ["--key", "clicks", "--values", "1"], ["--key", "usr", "--values", "1"],
                        ["--where", "nothing = 1"]):
            self.expect(USAGE, "delete", self.file, *options)
        self.expect(IO, "delete", self.file, "--key", "user", "--values-from", self.path("no.txt"))
        self.expect(IO, "delete", self.path("no.dsi"), "--key", "user", "--values", "1")
        self.assertEqual(self.file.read_bytes(), before)


if __name__ == "__main__":
    main()

"""What tests of remote files share: the program that reads by URI, and data to read."""

import os
import random
import subprocess
import sys
import unittest
from pathlib import Path

HELPER = Path(os.environ.get("DSI_BUILD_DIR", "")) / "bin" / "remote_read_helper"
SKIPPED = 77
# Nothing of the machine's own may be asked, and no proxy stand between.
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith("AWS_") and not name.lower().endswith("_proxy")
         and name not in ("CURL_CA_BUNDLE", "SSL_CERT_FILE")}
CLEAN |= {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.devnull,
          "AWS_SHARED_CREDENTIALS_FILE": os.devnull}


def pattern(size, seed=1):
    return random.Random(seed).randbytes(size)


class Reading:
    """A file that the library has open in a process of its own."""

    def __init__(self, uri, *options, environment=None):
        self.process = subprocess.Popen(
            [HELPER, uri, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**CLEAN, **(environment or {})})
        self.opened = self.process.stdout.readline().rstrip("\n")

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def read(self, *numbers):
        return self.ask("read", *numbers)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(60)


class RemoteTest(unittest.TestCase):
    OPTIONS = ()  # Of every file.

    def open(self, uri, *options, **more):
        reading = Reading(uri, *self.OPTIONS, *options, **more)
        self.addCleanup(lambda: self.assertIn(reading.close(), (0, 3)))
        return reading

    def expect_failure(self, answer, code, *words):
        """Says what went wrong, and nothing of what is secret."""
        self.assertTrue(answer.startswith(f"error {code} "), answer)
        for word in words:
            self.assertIn(word, answer)

    def expect_same(self, data, reading, numbers, local):
        """The same digest as of a local file of the same bytes."""
        answer = reading.read(*numbers)
        self.assertTrue(answer.startswith("ok "), answer)
        self.assertEqual(answer, local.read(*numbers))

    def local(self, data):
        """A local file of these bytes, open."""
        import tempfile
        file = tempfile.NamedTemporaryFile()
        self.addCleanup(file.close)
        file.write(data)
        file.flush()
        return self.open(file.name)


def main():
    if not HELPER.is_file():
        print(f"skipped: {HELPER} is not built")
        sys.exit(SKIPPED)
    unittest.main()

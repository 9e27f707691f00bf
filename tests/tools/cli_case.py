"""What tests of the command line share: running dsictl in a temporary folder and judging how it ends."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DSICTL = os.environ.get("DSICTL", "")
SKIPPED = 77

OK, DAMAGED, USAGE, IO, UNSUPPORTED, DIFFERENT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

PROFILES = {
    "clicks": ["--rows", "3000"],
    "news": ["--rows", "1500"],
    "visits": ["--rows", "3000"],
    "p3": ["--rows", "120"],
    "wide": ["--rows", "60", "--features", "700"],
    "sweep": ["--rows", "500"],
}


def run(*arguments, **options):
    return subprocess.run([DSICTL, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, **options)


class CliTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def expect(self, code, *arguments, warns=False, **options):
        """Runs dsictl and checks how it ends: messages only with failures, and always with them;
        warnings where they are expected. Beside a schema it says what was decided for a text."""
        result = run(*arguments, **options)
        said = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, code, f"{arguments}: {said}")
        if code != OK:
            self.assertIn("dsictl: ", said)
        elif warns:
            self.assertIn("dsictl: warning: ", said)
        elif arguments[0] == "schema":
            self.assertNotIn("warning", said, arguments)
        else:
            self.assertEqual(said, "", arguments)
        result.said = said
        return result

    def path(self, name):
        return self.folder / name

    def names(self):
        return sorted(p.name for p in self.folder.iterdir())

    def write(self, name, text):
        data = text.encode() if isinstance(text, str) else text
        self.path(name).write_bytes(data)
        return self.path(name)

    def table(self, profile="clicks"):
        path = self.path(f"{profile}.jsonl")
        self.expect(OK, "generate", "--profile", profile, *PROFILES[profile], "--quiet", path)
        return path

    def dsi(self, profile="clicks", *options):
        path = self.path(f"{profile}.dsi")
        self.expect(OK, "convert", self.table(profile), path, "--keep-position", "--quiet", *options)
        return path

    def json(self, *arguments):
        return json.loads(self.expect(OK, *arguments, "--json").stdout)


def main():
    if not DSICTL:
        print("skipped: DSICTL does not name the program")
        sys.exit(SKIPPED)
    unittest.main()

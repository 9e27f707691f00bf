"""The library and the reference decoder say the same of golden files, of files of the fuzz corpus and
of randomly edited ones. Many more edits are an entry of their own: see campaign.py.
"""

import os
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from answers import ROOT, Answer, Library, difference, reference_answer  # First: may skip.
from campaign import describe, run
from edits import Seed
from seed_files import seeds

# Left by who attacked the software; not there for everyone.
FOUND = ROOT.parent / "shared" / "found"
EDITS = 2000


class BothDecoders(unittest.TestCase):
    def test_stored_files(self):
        library = Library()
        paths = [*(ROOT / "tests" / "golden").rglob("*.dsi"), *(ROOT / "fuzz" / "corpus").rglob(
            "*.dsi"), *FOUND.glob("*.dsi")]
        self.assertGreater(len(paths), 10)
        for path in sorted(paths):
            with self.subTest(path.name):
                data = path.read_bytes()
                ours, reference = library.answer(data), reference_answer(data, 2**22)
                self.assertIsNone(difference(ours, reference), f"{ours}\n{reference}")
                if (ROOT / "tests" / "golden" / "valid") in path.parents:
                    self.assertEqual(ours.outcome, "sound")
        library.close()

    def test_edits(self):
        found, failures = run(EDITS)
        self.assertEqual([describe(f) for f in failures], [])
        # The edits are worth their time: many break a rule, many leave the file sound.
        self.assertGreater(found["reference damaged"], EDITS // 2)
        self.assertGreater(found["reference sound"], EDITS // 20)
        self.assertGreater(found["equal rule"], found["outcome with a rule"] * 3 // 4)

    def test_seals_are_made_anew(self):  # F-010
        for name, data, _ in seeds():
            seed, copy = Seed(name, data), bytearray(data)
            seed.fit(copy)
            seed.reseal(copy)
            self.assertEqual(bytes(copy), data, name)
            self.assertEqual(seed.edited(1), Seed(name, data).edited(1))

    def test_differences_are_seen(self):
        good, bad = Answer("sound", set(), 1, ""), Answer("damaged", {"F-002"}, None, "")
        self.assertIsNone(difference(good, good))
        self.assertIsNone(difference(good, Answer("resource", set(), None, "")))
        for ours, reference in ((good, bad), (bad, good), (good, good._replace(digest=2)),
                                (Answer("crash", set(), None, ""), good),
                                (Answer("over_budget", set(), None, ""), bad),
                                (Answer("contradiction", set(), None, ""), bad)):
            self.assertIsNotNone(difference(ours, reference))


if __name__ == "__main__":
    unittest.main()

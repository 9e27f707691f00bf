"""The reference decoder (spec/reference) against files of its independent encoder.

Good files decode to what went in; every flipped bit and every cut is damage.
"""

import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from example_files import FOLDER, editor, everything, expected_rows  # First: may skip.
import walk_example
from build_example import Builder, Col, smallest, three
from dsi_nodes import Damage
from dsi_reference import File


class GoodFiles(unittest.TestCase):
    def test_smallest(self):
        self.assertEqual(list(File(smallest().bytes()).rows()), [{"x": 7}])

    def test_three(self):
        file = File(three().bytes())
        self.assertEqual(file.metadata, {"made": "by hand"})
        self.assertEqual(list(file.rows()), [
            {"clicks": [5, 6], "price": 1.0}, {"clicks": [5, 6], "price": None},
            {"clicks": [], "price": 0.5}])
        self.assertEqual([r["price"] for r in file.rows(["price"], raw_bits=True)],
                         [0x3F800000, None, 0x3F000000])

    def test_no_rows(self):  # F-052
        for columns in ([], [Col("x", "dense", "int64")]):
            self.assertEqual(list(File(Builder(columns, []).bytes()).rows()), [])

    def test_everything(self):
        builder, columns, stripes = everything()
        file = File(builder.bytes())
        file.verify()
        signed = {"count": 64, "cart.ids": 64, "hist.item": 64, "hist.time": 32, "time": 64,
                  "tiny": 8}
        for found, expected in zip(file.rows(raw_bits=True), expected_rows(columns, stripes)):
            for name, value in expected.items():
                if name in signed and isinstance(value, int):
                    bits = signed[name]
                    value = value - (1 << bits) if value >> bits - 1 else value
                self.assertEqual(found[name], value, name)
        self.assertEqual(len(list(file.rows(["time"]))), 1502)

    def test_tuning(self):  # F-053: absent, known, of a later version
        self.assertEqual(File(smallest().bytes()).footer.tuning, 0)
        for tuning in (0, 3, 255):
            file = File(smallest(tuning=tuning).bytes())
            file.verify()
            self.assertEqual((file.footer.tuning, list(file.rows())), (tuning, [{"x": 7}]))

    def test_page_of_the_specification_is_current(self):
        text = (FOLDER.parent / "smallest.md").read_text(encoding="utf-8")
        self.assertEqual(text, "\n".join(walk_example.page()) + "\n")

    def test_same_input_gives_same_bytes(self):
        self.assertEqual(everything()[0].bytes(), everything()[0].bytes())


class AccidentsToTheBytes(unittest.TestCase):
    def refused(self, data):
        with self.assertRaises(Damage):
            File(data)

    def test_every_flipped_bit(self):  # F-010, F-011
        for data in (smallest().bytes(), three().bytes()):
            for bit in range(8 * len(data)):
                broken = bytearray(data)
                broken[bit // 8] ^= 1 << bit % 8
                self.refused(bytes(broken))

    def test_every_length(self):  # F-031
        for data in (smallest().bytes(), three().bytes()):
            for size in range(len(data)):
                self.refused(data[:size])
                self.refused(data[size + 1:])
            self.refused(data + bytes(8))

    def test_flipped_bits_of_a_large_file(self):
        data, rng = everything()[0].bytes(), random.Random(2)
        for _ in range(40):
            broken = bytearray(data)
            broken[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            self.refused(bytes(broken))

    def test_moved_page(self):  # F-010: a page knows its place
        data = bytearray(everything()[0].bytes())
        pages = File(bytes(data)).stripes[0].pages
        a, b = next((a, b) for a in pages for b in pages
                    if a.offset < b.offset and a.stored_size == b.stored_size)
        part = data[a.offset:a.offset + a.stored_size]
        data[a.offset:a.offset + a.stored_size] = data[b.offset:b.offset + b.stored_size]
        data[b.offset:b.offset + b.stored_size] = part
        self.refused(bytes(data))


class CommandLine(unittest.TestCase):
    def run_on(self, data, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.dsi")
            if data is not None:
                Path(path).write_bytes(data)
            done = subprocess.run(
                [sys.executable, "-B", str(FOLDER / "dsi_reference.py"), *options, path],
                capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_exit_codes(self):
        data = three().bytes()
        self.assertEqual(self.run_on(data, "--verify"), (0, ""))
        self.assertEqual(self.run_on(data[:-1]), (1, ""))
        newer = smallest(edit=editor("trailer", None, {"incompat": 4})).bytes()
        self.assertEqual(self.run_on(newer, "--verify"), (2, ""))
        self.assertEqual(self.run_on(None)[0], 3)

    def test_rows(self):
        code, text = self.run_on(three().bytes(), "--raw-bits")
        self.assertEqual((code, text), (0, '{"clicks": [5, 6], "price": "0x3f800000"}\n'
                                           '{"clicks": [5, 6]}\n'
                                           '{"clicks": [], "price": "0x3f000000"}\n'))


if __name__ == "__main__":
    unittest.main()

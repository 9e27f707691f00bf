"""The reference decoder reads the examples of spec/encodings.md to their values (E-010 to E-120).

An example is a block of a line `u16 5 5 9 5 of 1 2 = sparse(raw u32, raw u16)`, values and what a
dictionary has, and of lines with bytes, and words about them after two spaces.
"""

import os
import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from example_files import FOLDER  # noqa: F401  First: may skip, and puts spec/reference on the path.
from dsi_nodes import float_bits, node

ROOT = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BLOCK = re.compile(r"^```node\n(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"(u8|u16|u32|u64|f32|text) (.*?)(?: of ([\d ]+))? = (.*)")


def values_of(kind, text):
    if kind == "text":
        return list(text.encode())
    values = []
    for word in text.split():
        if word[0] == "×":
            values += values[-1:] * (int(word[1:]) - 1)
        else:
            values.append(float_bits(float(word), 4) if kind == "f32" else int(word))
    return values


def bytes_of(lines):
    data = bytearray()
    for line in lines.splitlines():
        for word in line.split("  ")[0].replace("|", "").split():
            data += data[-1:] * (int(word[1:]) - 1) if word[0] == "×" else bytes.fromhex(word)
    return bytes(data)


class SpecNodes(unittest.TestCase):
    def test_every_example(self):
        encodings = set()
        for title, lines in BLOCK.findall((ROOT / "spec" / "encodings.md").read_text("utf-8")):
            with self.subTest(title):
                kind, text, shared, _ = TITLE.fullmatch(title).groups()
                data, width = bytes_of(lines), 1 if kind == "text" else int(kind[1:]) // 8
                values = values_of(kind, text)
                found, _, end = node(
                    data, 0, len(data), (width,), len(values), title,
                    dictionary=shared and (lambda width, text=shared: values_of("u64", text)))
                self.assertEqual((found, end), (values, len(data)))
                encodings.add(data[0])
        self.assertEqual(encodings, set(range(14)) - {7, 10})


if __name__ == "__main__":
    unittest.main()

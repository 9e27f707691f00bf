"""The reference decoder reads every golden node to its values (E-010 to E-120)."""

import json
import os
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from example_files import FOLDER  # noqa: F401  First: may skip, and puts spec/reference on the path.
from dsi_nodes import node

ROOT = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
GOLDEN = ROOT / "tests" / "golden" / "nodes"


def in_decimal(text):
    return [int(word) for word in text.split()]


class GoldenNodes(unittest.TestCase):
    def test_every_golden_node(self):
        decoded, encodings = set(), set()
        for page in sorted(GOLDEN.glob("*.json")):
            for name, entry in json.loads(page.read_text()).items():
                path = GOLDEN / page.stem / f"{name}.node"
                with self.subTest(f"{page.stem}/{name}"):
                    data, shared = path.read_bytes(), entry.get("dictionary")
                    values, width, end = node(
                        data, 0, len(data), (entry["width"],), entry["count"], name,
                        dictionary=shared and (lambda width, text=shared: in_decimal(text)))
                    self.assertEqual(values, in_decimal(entry["values"]))
                    self.assertEqual((width, end), (entry["width"], len(data)))
                    decoded.add(path)
                    encodings.add(data[0])
        self.assertEqual(encodings, set(range(14)) - {7, 10})
        self.assertEqual(decoded, set(GOLDEN.glob("*/*.node")))


if __name__ == "__main__":
    unittest.main()

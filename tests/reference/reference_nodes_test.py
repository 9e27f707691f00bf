"""Nodes (spec/encodings.md): what the encoder makes is read; what a rule forbids is refused."""

import random
import sys
import unittest

sys.dont_write_bytecode = True
import example_files  # First: may skip.
import encode_nodes as en
from dsi_nodes import Damage, DsiError, float_bits, node


class Nodes(unittest.TestCase):
    def decode(self, data, width, count, **more):
        values, _, end = node(data, 0, len(data), (width,), count, "test", **more)
        self.assertEqual(end, len(data))
        return values

    def test_round_trips(self):  # E-010 to E-100
        rng = random.Random(5)
        for width in (1, 2, 4, 8):
            for count in (1, 2, 7, 1023, 1024, 1025, 2048, 2100):
                top = 1 << 8 * width
                several = [rng.choice([3, 9, top - 1]) for _ in range(count)]
                wide = [rng.randrange(top) for _ in range(count)]
                cases = [(en.raw, wide), (en.constant, [top - 1] * count), (en.packed, wide),
                         (en.packed, [v % 7 + top - 9 for v in wide]),
                         (lambda v, w: en.packed(v, w, False), [v & 31 for v in wide]),
                         (en.packed, [5] * count), (en.runs, several), (en.dictionary, several),
                         (en.split(3, 0), wide),
                         (en.split(0, 2), [v & ~3 for v in wide]),
                         (en.split(3, 1, 1), [v & 0xFE for v in wide]),
                         (en.compressed(1), several), (en.compressed(2), several),
                         (en.compressed(1, en.packed), wide)]
                if width >= 4:
                    prices = [float_bits(rng.randrange(-900, 70000) / 100, width)
                              for _ in range(count)]
                    cases += [(en.decimal(2), prices), (en.decimal(3, en.packed), prices),
                              (en.decimal(2), prices + [1 << 8 * width - 1, top - 1])]
                cases += [(en.delta, wide)] if count > 1 else []
                cases += [(en.skewed, [v & 0xFFFFF for v in wide]), (en.signed_split(1, 0), wide),
                          (en.signed_split(4 * width, 1), [v & ~1 for v in wide])]
                cases += [(en.sparse, [4] * (count - 1) + [6])] if count > 2 else []
                for encode, values in cases:
                    data = encode(values, width)
                    self.assertEqual(self.decode(data, width, len(values)), values)

    def test_decimal_example(self):  # E-120: the example of the spec.
        values = [float_bits(1.5, 4), float_bits(-2.25, 4), 0x7FC00000, float_bits(0.5, 4)]
        data = en.decimal(2, code_width=2)(values, 4)
        self.assertEqual(data[:24].hex(" ").upper(), "0D 04 02 00 04 00 00 00 50 00 00 00 "
                         "01 00 00 00 1F FF FF FF 00 00 00 00")
        self.assertEqual(self.decode(data, 4, 4), values)

    def test_broken(self):
        v, low = [1, 2, 3], [1, 1, 2]
        inner = en.raw(v, 4)
        nested = en.raw
        for _ in range(6):
            nested = (lambda inner: lambda x, w: en.runs(x, w, inner))(nested)

        def set_byte(data, at, value):
            data = bytearray(data)
            data[at] = value
            return bytes(data)

        def compressed(frame, aux=len(inner), codec=1):
            return en.header(11, 4, 3, frame, param=codec, aux=aux)
        frame = en.zstandard.ZstdCompressor(write_checksum=True).compress(inner)
        unsized = en.zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress(inner)
        cases = [
            ("E-001", inner[:8]), ("E-001", set_byte(inner, 2, 1)),
            ("E-005", set_byte(inner, 3, 1)),
            ("E-001", set_byte(inner, 12, 1)), ("E-001", set_byte(inner, 31, 1)),
            ("E-001", set_byte(inner, 10, 1)), ("E-002", set_byte(inner, 1, 8)),
            ("E-001", set_byte(inner, 1, 3)), ("E-002", set_byte(inner, 4, 2)),
            ("E-001", set_byte(inner, 4, 0)), ("E-003", nested(v, 4)),
            ("E-005", set_byte(inner, 0, 100)),
            ("E-010", set_byte(inner, 8, 8)),
            ("E-011", en.header(1, 4, 3, b"\0" * 4 + b"\1" + b"\0" * 3)),
            ("E-011", en.header(1, 4, 3, b"\0" * 4)), ("E-001", en.header(1, 4, 3, b"\0" * 16)),
            ("E-005", en.header(2, 4, 3, b"\0" * 8, flags=2)), ("E-020", en.header(2, 4, 3, b"")),
            ("E-020", en.header(2, 4, 3, b"\x21" + b"\0" * 63)),
            ("E-020", en.header(2, 4, 3, b"\1\1" + b"\0" * 14)),
            ("E-022", en.header(2, 4, 3, b"\1" + b"\0" * 7 + b"\x08" + b"\0" * 7)),
            ("E-030", en.header(3, 4, 1, b"\0" * 8)[:24]),
            ("E-002", en.header(3, 4, 3, b"\0" * 8 + inner)),
            ("E-040", en.header(4, 4, 3, en.raw([2, 2], 4) + en.raw([1, 2], 4), aux=2)),
            ("E-040", en.header(4, 4, 3, en.raw([3, 0], 4) + en.raw([1, 2], 4), aux=2)),
            ("E-040", en.header(4, 4, 3, b"", aux=4)), ("E-040", en.header(4, 4, 3, b"", aux=0)),
            ("E-050", en.header(5, 4, 3, en.raw([1, 2], 4) + en.raw([0, 1, 2], 1), aux=2)),
            ("E-002", en.header(5, 4, 3, en.raw([1, 2], 4) + en.raw([0, 1, 1], 8), aux=2)),
            ("E-051", en.shared(v)(v, 4)), *[("E-005", en.header(i, 4, 3, b"\0\0")) for i in (7, 10, 14)],
            ("E-070", en.header(8, 4, 3, b"\0" * 8, aux=3)),
            ("E-070", en.header(8, 4, 3, b"\0" * 8 + en.raw([1, 1], 4) + en.raw([1, 1], 4), aux=2)),
            ("E-070", en.header(8, 4, 3, b"\0" * 8 + en.raw([3], 4) + en.raw([1], 4), aux=1)),
            ("E-080", en.header(9, 4, 3, b"", param=16, aux=16)),
            ("E-080", en.header(9, 4, 3, en.raw([2**31, 0, 0], 4) + en.raw(v, 1), param=2)),
            ("E-080", en.header(9, 4, 3, en.raw(v, 4) + en.raw([4, 0, 0], 1), param=2)),
            ("E-120", en.header(13, 4, 3, bytes(8) + inner, param=11)),
            ("E-120", en.header(13, 4, 3, bytes(8) + inner, aux=3)),
            ("E-120", en.header(13, 4, 3, bytes(7) + b"\1" + inner)),
            ("E-120", en.header(13, 4, 3, bytes(8) + en.raw([1 << 24] * 3, 4))),
            ("E-120", en.header(13, 4, 3, bytes(8) + inner + en.raw([3], 4) + en.raw([1], 4),
                                aux=1)),
            ("E-002", en.header(13, 4, 3, bytes(8) + en.raw(v, 8))),
            ("E-001", en.header(13, 4, 3, bytes(8) + inner + inner)),
            ("E-002", en.header(9, 4, 3, en.raw(v, 8), aux=1)), ("E-101", compressed(frame, 40)),
            ("E-100", compressed(frame, codec=3)), ("E-100", compressed(frame, 4096 + 97)),
            ("E-101", compressed(frame[:-1])), ("E-101", compressed(frame + b"x")),
            ("E-101", compressed(unsized)), ("E-101", compressed(b"\x50\x2a\x4d\x18\0\0\0\0")),
            ("E-101", compressed(frame[:4] + bytes([frame[4] & ~4]) + frame[5:-4])),
            ("E-101", compressed(frame[:-1] + bytes([frame[-1] ^ 1]))),
            ("E-102", compressed(b"\0" * 8, codec=2)),
            ("E-100", en.compressed(1, en.compressed(2))(v, 4)),
            ("E-005", en.header(9, 4, 3, en.raw(v, 4) + en.raw(v, 1), param=2, flags=2)),
            ("E-080", en.header(9, 4, 3, en.raw(v, 4), flags=1)),
            ("E-110", set_byte(en.skewed(v, 4), 2, 1)), ("E-110", set_byte(en.skewed(v, 4), 2, 9)),
            ("E-110", set_byte(en.skewed(v, 4), 16 + 7, 1)),
            ("E-110", set_byte(en.skewed(v, 4), 16 + 64, 25)),
            ("E-110", set_byte(en.skewed(v, 4), 16 + 66, 1)),
            ("E-110", set_byte(en.skewed(v, 4), 16 + 72 + 16, 2)),
            ("E-110", set_byte(en.skewed(v, 4), 16 + 72 + 24 + 16 + 2, 1)),
            ("E-110", en.header(12, 4, 3, b"\0" * 71, param=2)),
            ("E-002", en.compressed(1)(v, 8)[:1] + b"\4" + en.compressed(1)(v, 8)[2:])]
        for i, (rule, data) in enumerate(cases):
            with self.subTest(i=i, rule=rule):
                with self.assertRaises(DsiError) as caught:
                    self.decode(data, 4, 1 if rule == "E-030" else 3)
                self.assertEqual(caught.exception.rule, rule)
        with self.assertRaises(DsiError) as caught:
            self.decode(en.header(13, 2, 3, bytes(8) + en.raw(v, 2)), 2, 3)
        self.assertEqual(caught.exception.rule, "E-120")
        self.assertEqual(self.decode(en.sparse(low, 4), 4, 3), low)
        for n in range(4):  # E-051
            self.assertEqual(self.decode(en.shared(v[:n])(v, 4), 4, 3, dictionary=lambda width: v[:n]),
                             v)
        shared = [en.shared(v)(v, 4), en.shared(v[:1])(v, 4),
                  en.header(6, 4, 3, en.raw([2, 2, 0], 1) + en.raw(v, 4), aux=3),
                  en.header(6, 4, 3, en.raw([2, 2, 2], 1) + en.raw(v + v, 4), aux=6)]
        for data in shared:
            with self.assertRaises(Damage) as caught:
                self.decode(data, 4, 3, dictionary=lambda width: [1, 2])
            self.assertEqual(caught.exception.rule, "E-051")

    def test_random_bytes(self):  # No node ends in anything but values or one of the two errors.
        rng, decoded = random.Random(6), 0

        def decimal(values, width):
            return en.decimal(1)([float_bits(v / 10, width) for v in values], width)
        encoders = [en.raw, en.packed, en.delta, en.runs, en.dictionary, en.sparse, en.split(3, 0),
                    en.skewed, decimal, en.compressed(1), en.compressed(2), en.shared(list(range(9)))]
        for i in range(6000):
            values = [rng.randrange(9) for _ in range(rng.choice([3, 20,
                1030 if i % 50 == 0 else 9]))]
            data = bytearray(encoders[i % len(encoders)](values + [3], 4))
            for _ in range(rng.randrange(1, 3)):
                data[rng.randrange(len(data))] = rng.choice([0, 1, 2, 4, 8, 127, 255])
            try:
                found = self.decode(bytes(data), 4, len(values) + 1,
                                    dictionary=lambda width: list(range(9)))
                self.assertTrue(all(0 <= v < 1 << 32 for v in found))
                decoded += 1
            except DsiError:
                pass
        self.assertGreater(decoded, 100)


if __name__ == "__main__":
    unittest.main()

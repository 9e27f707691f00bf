"""The statistics section (F-082, F-083): what is stated of columns in stripes, and what is true."""

from __future__ import annotations

import os.path
import struct
from collections import namedtuple

from dsi_nodes import need

WIDTH = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 4, 11: 8}
BYTES = 12
KINDS = (1, 6, 7, 8, 9)  # Dense, label, key, timestamp, string.
NO_BOUNDS, NO_TEXT = 15, 255
PREFIX = 24
# least and greatest: numbers, of floats their bits, or the first bytes of strings; None where there
# are none.
Statistics = namedtuple("Statistics", "least greatest num_missing")


def has_statistics(c):  # F-082
    return c.kind in KINDS


def is_known(c):
    return 1 <= c.kind <= 9 and 1 <= c.type <= 12


def order(kind, value):
    """A number that is greater the greater the value: of floats, −0.0 is less than +0.0."""
    if kind not in (10, 11):
        return value
    sign = 1 << 8 * WIDTH[kind] - 1
    return sign - 1 - value if value & sign else value


def is_nan(kind, bits):
    return bits & 2**31 - 1 > 0x7F800000 if kind == 10 else bits & 2**63 - 1 > 0x7FF << 52


def in_type(kind, value):
    bits = 8 * WIDTH[kind]
    if kind in (10, 11):
        return value < 1 << bits and not is_nan(kind, value)
    if kind in (2, 3, 4, 5):
        return -1 << bits - 1 <= value < 1 << bits - 1
    return value < (2 if kind == 1 else 1 << bits)


class Bytes:
    def __init__(self, data, what):
        self.data, self.at, self.what = data, 0, what

    def byte(self):
        need(self.at < len(self.data), "F-083", self.what, "ends inside an entry")
        self.at += 1
        return self.data[self.at - 1]

    def text(self, most):
        size = self.byte()
        need(size <= most, "F-083", self.what, f"{size} bytes, at most {most}")
        return bytes(self.byte() for _ in range(size))

    def number(self, size):
        part = bytes(self.byte() for _ in range(size))
        need(not part or part[-1], "F-083", self.what, "more bytes than the number needs")
        return int.from_bytes(part, "little")


def read_statistics(content, columns, rows):
    """Per column that has any: one Statistics per stripe. `rows`: those of each stripe."""
    heads = 4 * len(columns)
    need(len(content) >= heads, "F-082", "statistics", f"{len(content)} bytes")
    found, begin = {}, 0
    for c, (end,) in zip(columns, struct.iter_unpack("<I", content[:heads])):
        what = f"statistics of column {c.ordinal}"
        need(begin <= end <= len(content) - heads, "F-082", what, f"bytes {begin} to {end}")
        part, begin = content[heads + begin:heads + end], end
        if not part or not is_known(c):
            continue
        need(has_statistics(c), "F-082", what, "it is of a kind that has none")
        source = Bytes(part, what)
        found[c.ordinal] = [entry(source, c.type, n, what) for n in rows]
        need(source.at == len(part), "F-082", what, "bytes behind the last stripe's")
    need(begin == len(content) - heads, "F-082", "statistics", "bytes behind the last column's")
    return found


def entry(source, kind, num_rows, what):  # F-083
    least = greatest = None
    if kind == BYTES:
        least, greatest = text_bounds(source, what)
    elif (tag := source.byte()) != NO_BOUNDS:
        need(tag & 15 <= 8 and tag >> 4 <= 8, "F-083", what, f"tag {tag}")
        low, high = source.number(tag & 15), source.number(tag >> 4)
        if kind in (10, 11):
            width = WIDTH[kind]
            need(max(low, high) < 1 << 8 * width, "F-083", what, "a float of too many bytes")
            least, greatest = (int.from_bytes(v.to_bytes(width, "little"), "big")
                               for v in (low, high))
        else:
            least = low if kind not in (2, 3, 4, 5) else low >> 1 if low % 2 == 0 else -(low + 1 >> 1)
            greatest = least + high
        need(in_type(kind, least) and in_type(kind, greatest) and
             order(kind, least) <= order(kind, greatest), "F-083", what, "no bounds of the type")
    missing = shift = 0
    while True:
        part = source.byte()
        missing |= (part & 127) << shift
        if part < 128:
            break
        shift += 7
        need(shift < 28, "F-083", what, "a count of more than 28 bits")
    need(part or not shift, "F-083", what, "more bytes than the number needs")
    need(missing <= num_rows, "F-083", what, f"{missing} of {num_rows} rows missing")
    need(least is None or missing < num_rows, "F-083", what, "bounds of no value")
    need(least is not None or missing == num_rows or kind in (10, 11), "F-083", what, "no bounds")
    return Statistics(least, greatest, missing)


def text_bounds(source, what):  # F-083
    if source.data[source.at:source.at + 1] == bytes([NO_TEXT]):
        source.byte()
        return None, None
    least = source.text(PREFIX)
    shared = source.byte()
    need(shared <= len(least), "F-083", what, f"{shared} of {len(least)} bytes in common")
    rest = source.text(PREFIX - shared)
    need(shared == len(least) or rest and rest[0] > least[shared], "F-083", what,
         "the greatest is not above the least, or more is in common")
    return least, least[:shared] + rest


def statistics_of(kind, unique, index):
    """The truth: `unique` are the values of the unique rows, floats as bits, `index` may be None
    where none of them is missing."""
    values = [v[:PREFIX] if kind == BYTES else int(v) for v in unique if v is not None]
    if kind in (10, 11):
        values = [v for v in values if not is_nan(kind, v)]
    missing = sum(unique[u] is None for u in index) if None in unique else 0
    if not values:
        return Statistics(None, None, missing)
    ordered = sorted(values, key=lambda v: order(kind, v))
    return Statistics(ordered[0], ordered[-1], missing)


def section(columns):
    """The bytes of the section: of each column its type and what its stripes have, or nothing."""
    parts = [encoded(*c) if c else b"" for c in columns]
    ends = [sum(map(len, parts[:i + 1])) for i in range(len(parts))]
    return struct.pack(f"<{len(ends)}I", *ends) + b"".join(parts)


def encoded(kind, of_stripes):
    out = b""
    for s in of_stripes:
        if s.least is None:
            out += bytes([NO_TEXT if kind == BYTES else NO_BOUNDS])
        elif kind == BYTES:
            shared = len(os.path.commonprefix([s.least, s.greatest]))
            rest = s.greatest[shared:]
            out += bytes([len(s.least)]) + s.least + bytes([shared, len(rest)]) + rest
        else:
            low = s.least if s.least >= 0 else -2 * s.least - 1
            low = low if s.least < 0 or kind not in (2, 3, 4, 5) else 2 * s.least
            high = s.greatest - s.least
            if kind in (10, 11):
                low, high = (int.from_bytes(v.to_bytes(WIDTH[kind], "little"), "big")
                             for v in (s.least, s.greatest))
            parts = [v.to_bytes((v.bit_length() + 7) // 8, "little") for v in (low, high)]
            out += bytes([len(parts[0]) | len(parts[1]) << 4]) + parts[0] + parts[1]
        left = s.num_missing
        while left > 127:
            out, left = out + bytes([left & 127 | 128]), left >> 7
        out += bytes([left])
    return out

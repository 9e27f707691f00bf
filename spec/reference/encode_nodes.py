"""Encoders of single nodes, written from `spec/encodings.md` alone; for examples and tests.

Every function takes raw values (non-negative integers of `width` bytes) and returns one node,
header and padding included. Children are given as functions `(values, width) -> node`.
"""

from __future__ import annotations

import struct

import lz4.block
import xxhash
import zstandard


def pad8(data):
    return data + bytes(-len(data) % 8)


def little(values, width):
    return b"".join(v.to_bytes(width, "little") for v in values)


def header(encoding, width, count, payload, param=0, flags=0, aux=0):  # E-001
    head = struct.pack("<4B3I", encoding, width, param, flags, count, len(payload), aux)
    return head + pad8(payload)


def raw(values, width):  # E-010
    return header(0, width, len(values), little(values, width))


def constant(values, width):  # E-011
    return header(1, width, len(values), struct.pack("<Q", values[0]))


def linear(numbers, b):  # E-022
    stream = sum(v << i * b for i, v in enumerate(numbers))
    return pad8(stream.to_bytes((len(numbers) * b + 7) // 8, "little"))


def lanes(numbers, b, width):  # E-021
    bits = 8 * width
    count = 1024 // bits
    words = bytearray(128 * b)
    for lane in range(count):
        stream = sum(v << i * b for i, v in enumerate(numbers[lane::count]))
        for w in range(b):
            word = stream >> w * bits & ((1 << bits) - 1)
            at = (w * count + lane) * width
            words[at:at + width] = word.to_bytes(width, "little")
    return bytes(words)


def packed(values, width, bases=True):  # E-020
    blocks = [values[i:i + 1024] for i in range(0, len(values), 1024)]
    low = [min(block) if bases else 0 for block in blocks]
    numbers = [[v - base for v in block] for block, base in zip(blocks, low)]
    bit_widths = [max(block).bit_length() for block in numbers]
    payload = pad8(little(low, width)) if bases else b""
    payload += pad8(bytes(bit_widths))
    for block, b in zip(numbers, bit_widths):
        payload += lanes(block, b, width) if len(block) == 1024 else linear(block, b)
    return header(2, width, len(values), payload, flags=int(bases))


def delta(values, width, child=packed):  # E-030
    bits = 8 * width
    top = 1 << bits
    zigzag = []
    for a, b in zip(values, values[1:]):
        d = (b - a) % top
        d = d - top if d >= top // 2 else d
        zigzag.append(((d << 1) ^ (d >> bits - 1)) % top)
    payload = struct.pack("<Q", values[0]) + child(zigzag, width)
    return header(3, width, len(values), payload)


def runs(values, width, child=raw):  # E-040
    lengths, entries = [], []
    for v in values:
        if entries and entries[-1] == v:
            lengths[-1] += 1
        else:
            lengths.append(1)
            entries.append(v)
    payload = child(lengths, 4) + child(entries, width)
    return header(4, width, len(values), payload, aux=len(entries))


def dictionary(values, width, child=raw, code_width=1):  # E-050
    entries = sorted(set(values))
    payload = child(entries, width) + child([entries.index(v) for v in values], code_width)
    return header(5, width, len(values), payload, aux=len(entries))


def shared(ids, child=raw, code_width=2):  # E-051
    def encode(values, width):
        codes = [ids.index(v) if v in ids else len(ids) for v in values]
        literals = [v for v in values if v not in ids]
        payload = child(codes, code_width) + (child(literals, width) if literals else b"")
        return header(6, width, len(values), payload, aux=len(literals))
    return encode


def sparse(values, width, child=raw):  # E-070
    default = max(set(values), key=values.count)
    positions = [i for i, v in enumerate(values) if v != default]
    payload = struct.pack("<Q", default) + child(positions, 4)
    payload += child([values[i] for i in positions], width)
    return header(8, width, len(values), payload, aux=len(positions))


def split(r, s, high_width=None, child=raw):  # E-080
    def encode(values, width):
        payload = child([v >> s >> r for v in values], high_width or width)
        if r:
            low_width = next(w for w in (1, 2, 4, 8) if 8 * w >= r)
            payload += child([v >> s & ((1 << r) - 1) for v in values], low_width)
        return header(9, width, len(values), payload, param=r, aux=s)
    return encode


def signed_split(r, s, child=raw):  # E-080, flag 1
    def encode(values, width):
        top = 8 * width - 1
        low = [(v >> s & ((1 << r - 1) - 1)) | (v >> top) << r - 1 for v in values]
        payload = child([(v & ((1 << top) - 1)) >> s >> r - 1 for v in values], width)
        payload += child(low, next(w for w in (1, 2, 4, 8) if 8 * w >= r))
        return header(9, width, len(values), payload, param=r, flags=1, aux=s)
    return encode


def skewed(values, width, child=raw):  # E-110: four bits or all that may be
    most = {8: 56, 4: 24}.get(width, 8 * width)
    least = min(values)
    selectors = [int(v - least >= 16) for v in values]
    stream, at = 0, 0
    for v, c in zip(values, selectors):
        stream |= (v - least) << at
        at += most if c else 4
    words = [stream >> 64 * i & (1 << 64) - 1 for i in range((at + 63) // 64)]
    payload = struct.pack("<8Q8B", least, least, *[0] * 6, 4, most, *[0] * 6)
    return header(12, width, len(values), payload + child(selectors, 1) + child(words, 8), param=2)


def decimal(exponent, child=raw, code_width=None):  # E-120
    def encode(values, width):
        form, reach = ("<f", 1 << 24) if width == 4 else ("<d", 1 << 51)
        integers, positions = [], []
        for i, v in enumerate(values):
            number, = struct.unpack(form, v.to_bytes(width, "little"))
            finite = abs(number) < 1e300
            integer = round(number * 10**exponent) if finite else 0
            if finite and -reach <= integer < reach and struct.pack(
                    form, integer / 10**exponent) == v.to_bytes(width, "little"):
                integers.append(integer)
            else:
                integers.append(None)
                positions.append(i)
        base = min(i for i in integers if i is not None)
        codes = [0 if i is None else i - base for i in integers]
        least = next(w for w in (1, 2, 4, 8) if max(codes) < 1 << 8 * w)
        payload = struct.pack("<Q", base % (1 << 8 * width)) + child(codes, code_width or least)
        if positions:
            payload += child(positions, 4) + child([values[i] for i in positions], width)
        return header(13, width, len(values), payload, param=exponent, aux=len(positions))
    return encode


def stored(codec, child=raw):  # E-100: frames that show the inner node as it is
    def encode(values, width):
        inner = child(values, width)
        if codec == 1:  # One segment, its size in 4 bytes; one block, the last, of raw bytes; XXH64.
            frame = struct.pack("<IBI", 0xFD2FB528, 0xA4, len(inner))
            frame += struct.pack("<I", len(inner) << 3 | 1)[:3] + inner
            frame += struct.pack("<I", xxhash.xxh64_intdigest(inner) & 0xFFFFFFFF)
        else:  # Literals alone: their number is 15 and then in bytes of 255 and less.
            more = len(inner) - 15
            frame = b"\xf0" + b"\xff" * (more // 255) + bytes([more % 255]) + inner
        return header(11, width, len(values), frame, param=codec, aux=len(inner))
    return encode


def compressed(codec, child=raw):  # E-100
    def encode(values, width):
        inner = child(values, width)
        frame = (zstandard.ZstdCompressor(level=3, write_checksum=True).compress(inner) if codec == 1 else
                 lz4.block.compress(inner, store_size=False))
        return header(11, width, len(values), frame, param=codec, aux=len(inner))
    return encode

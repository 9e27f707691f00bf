"""Frames of Zstandard and blocks of LZ4: what E-101 and E-102 of `spec/encodings.md` allow.

Libraries differ, from release to release, in what they let pass. So the heads of a Zstandard frame
are read here before the library decodes it, and LZ4 is decoded here alone.
"""

from __future__ import annotations

import zstandard


class BrokenFrame(Exception):
    """What the frame breaks; the rule is that of its codec."""


def need(ok, text):
    if not ok:
        raise BrokenFrame(text)


def number(data):
    return int.from_bytes(data, "little")


def zstandard_frame(frame, raw_size):  # E-101
    need(frame[:4] == b"\x28\xb5\x2f\xfd" and len(frame) > 4, "no Zstandard frame")
    descriptor = frame[4]
    size_code, single = descriptor >> 6, descriptor >> 5 & 1
    need(descriptor & 31 == 4 and (size_code or single), f"frame header descriptor {descriptor:#x}")
    head = 5 + (not single) + (1 << size_code)
    need(head <= len(frame), "header cut short")
    content = number(frame[head - (1 << size_code):head]) + (256 if size_code == 1 else 0)
    need(content == raw_size, f"content size {content}, expected {raw_size}")
    window = content if single else (8 + (frame[5] & 7)) << (7 + (frame[5] >> 3))
    need(1 <= window <= 2**26, f"window of {window} bytes")
    at, last = head, False
    while not last:
        need(len(frame) - at >= 3, "block header cut short")
        header, at = number(frame[at:at + 3]), at + 3
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        need(kind < 3, "block of type 3")
        need(size <= min(window, 2**17), f"block of {size} bytes")
        stored = 1 if kind == 1 else size
        need(stored <= len(frame) - at, "block cut short")
        if kind == 2:
            _compressed_block(frame[at:at + size], min(window, 2**17))
        at += stored
    need(len(frame) - at == 4, f"{len(frame) - at} bytes after the last block, expected 4")
    try:
        raw = zstandard.ZstdDecompressor(max_window_size=2**26).decompress(
            frame, max_output_size=raw_size, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise BrokenFrame(f"does not decompress: {error}") from None
    need(len(raw) == raw_size, f"{len(raw)} bytes came out, expected {raw_size}")
    return raw


def _compressed_block(block, most):
    need(len(block) >= 3, "compressed block of under 3 bytes")
    kind, form = block[0] & 3, block[0] >> 2 & 3
    if kind < 2:  # As they are, or one that repeats.
        head = (1, 2, 1, 3)[form]
        count = number(block[:head]) >> (3 if head == 1 else 4)
        stored = count if kind == 0 else 1
    else:  # Coded by Huffman.
        head, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
        count = number(block[:head]) >> 4 & ((1 << bits) - 1)
        stored = number(block[:head]) >> (4 + bits)
        need(count >= (6 if form else 1), f"{count} coded literals")
    need(head <= len(block) and stored <= len(block) - head, "literals cut short")
    need(count <= most, f"{count} literals")
    rest = block[head + stored:]
    need(rest, "no number of sequences")
    size = 1 if rest[0] < 128 else 2 if rest[0] < 255 else 3
    need(size <= len(rest), "number of sequences cut short")
    need(size != 2 or rest[0] > 128 or rest[1] >= 128, "few sequences in two bytes")
    if rest[0] == 0:
        need(len(rest) == 1, "bytes after no sequences")
    else:
        need(size < len(rest), "no sequences")
        need(rest[size] & 3 == 0, "reserved bits of the modes")


def lz4_block(block, raw_size):  # E-102
    out, at = bytearray(), 0

    def byte():
        nonlocal at
        need(at < len(block), "cut short")
        at += 1
        return block[at - 1]

    def length(code):
        more = 255 if code == 15 else 0
        while more == 255:
            more = byte()
            code += more
            need(code <= raw_size + 15, "more than comes out")
        return code

    while True:
        token = byte()
        literals = length(token >> 4)
        need(literals <= len(block) - at and literals <= raw_size - len(out), "literals")
        out += block[at:at + literals]
        at += literals
        if at == len(block):
            need(token & 15 == 0 and (literals >= 5 or literals == len(out)), "the end")
            need(len(out) == raw_size, f"{len(out)} bytes came out, expected {raw_size}")
            return bytes(out)
        need(raw_size - len(out) >= 12, "a match near the end")
        distance = byte() | byte() << 8
        need(1 <= distance <= len(out), f"distance {distance}")
        match = length(token & 15) + 4
        need(match <= raw_size - len(out) - 5, "a match up to the end")
        start = len(out) - distance
        out += (out[start:] * (match // distance + 1))[:match]

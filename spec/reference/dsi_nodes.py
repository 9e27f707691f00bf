"""Nodes: what `spec/encodings.md` says, and the two errors of the reference decoder."""

from __future__ import annotations

import struct

from dsi_frames import BrokenFrame, lz4_block, zstandard_frame

NODE_FIELDS = {4: "aux", 5: "aux", 6: "aux", 8: "aux", 9: "param aux", 11: "param aux", 12: "param",
               13: "param aux"}
HAVE_FLAG = (2, 9)  # Bit 0 of flags.

RESERVED = (7, 10)  # E-005


class DsiError(Exception):
    def __init__(self, rule, where, text):
        super().__init__(f"{rule}: {where}: {text}")
        self.rule, self.where, self.text = rule, where, text


class Damage(DsiError):
    """A rule forbids what the file holds; no value that depends on it is returned."""


class Unsupported(DsiError):
    """The file, or the column asked for, needs something newer than this decoder."""

    before = ()  # Values of the stream in front of what is not known.


class Exhausted(DsiError):
    """The file asks for more values than the caller's budget allows (F-090)."""


class Budget:
    """How many values a decoder may still make, those of nodes inside of nodes and rows included."""

    def __init__(self, values):
        self.left = values

    def spend(self, values, where):
        self.left -= values
        if self.left < 0:
            raise Exhausted("F-090", where, f"{values} values are more than the budget has left")


def need(ok, rule, where, text):
    if not ok:
        raise Damage(rule, where, text)


def pad8(size):
    return (size + 7) // 8 * 8


def blocks_of(count, size):
    return (count + size - 1) // size


def numbers(data, width):
    return [int.from_bytes(data[i:i + width], "little") for i in range(0, len(data), width)]


def node(buf, at, end, widths, count, where, depth=1, dictionary=None, budget=None):
    """Decodes the node that starts at `at`; returns (values, width, where the node ends).

    `widths` are the widths the place allows; `dictionary` is what a shared dictionary node at this
    very place may refer to, None where none may stand.
    """
    need(depth <= 6, "E-003", where, "nodes nest deeper than 6")  # E-003
    need(end - at >= 16, "E-001", where, f"{end - at} bytes left for a node header of 16")  # E-001
    encoding, width, param, flags, found, size, aux = struct.unpack_from("<4B3I", buf, at)
    where = f"{where}/{encoding}"
    need(width in (1, 2, 4, 8), "E-001", where, f"width {width}")  # E-001
    need(found >= 1, "E-001", where, "count 0")  # E-001
    need(width in widths, "E-002", where, f"width {width}, expected one of {widths}")  # E-002
    need(found == count, "E-002", where, f"count {found}, expected {count}")  # E-002
    if budget:
        budget.spend(count, where)
    need(size <= end - at - 16 and pad8(size) <= end - at - 16, "E-001", where,
         f"payload of {size} bytes, {end - at - 16} bytes left")  # E-001
    start, stop, done = at + 16, at + 16 + size, at + 16 + pad8(size)
    need(not any(buf[stop:done]), "E-001", where, "padding after the payload is not zero")  # E-001
    if encoding > 13 or encoding in RESERVED:  # E-005
        raise Unsupported("E-005", where, f"unknown encoding {encoding}")
    if flags > (encoding in HAVE_FLAG):  # E-005
        raise Unsupported("E-005", where, f"flags {flags:#x} of encoding {encoding}")
    for field, value in (("param", param), ("aux", aux)):  # E-001
        need(value == 0 or field in NODE_FIELDS.get(encoding, ""), "E-001", where,
             f"{field} is {value}, expected 0")
    bits, limit = 8 * width, 1 << 8 * width
    cursor = start

    def child(child_widths, child_count):
        nonlocal cursor
        values, child_width, cursor = node(buf, cursor, stop, child_widths, child_count, where,
                                           depth + 1, budget=budget)
        return values, child_width

    def one_value(rule):
        nonlocal cursor
        need(size >= 8, rule, where, f"payload of {size} bytes, expected at least 8")
        value, = struct.unpack_from("<Q", buf, cursor)
        need(value < limit, rule, where, "bits above the width are set")
        cursor += 8
        return value

    def take(length):
        nonlocal cursor
        need(length <= stop - cursor, "E-020", where, "payload too short for its count")
        cursor += length
        return buf[cursor - length:cursor]

    def take_padded(length):
        padding = take(pad8(length))
        need(not any(padding[length:]), "E-020", where, "padding in the payload is not zero")
        return padding[:length]

    if encoding == 0:  # E-010: raw
        need(size == count * width, "E-010", where, f"payload {size}, not count x width")
        values, cursor = numbers(buf[start:stop], width), stop
    elif encoding == 1:  # E-011: constant
        values = [one_value("E-011")] * count
    elif encoding == 2:  # E-020: packed
        blocks = blocks_of(count, 1024)
        bases = numbers(take_padded(blocks * width), width) if flags else [0] * blocks
        bit_widths = take_padded(blocks)
        values = []
        for base, b in zip(bases, bit_widths):
            need(b <= bits, "E-020", where, f"bit width {b} above {bits}")
            n = min(1024, count - len(values))
            if n == 1024:  # E-021: lane-interleaved
                lanes, words = 1024 // bits, take(128 * b)
                streams = [int.from_bytes(b"".join(
                    words[(w * lanes + j) * width:(w * lanes + j + 1) * width] for w in range(b)),
                    "little") for j in range(lanes)]
                packed = [streams[i % lanes] >> (i // lanes * b) & ((1 << b) - 1)
                          for i in range(1024)]
            else:  # E-022: linear
                stream = int.from_bytes(take_padded((n * b + 7) // 8), "little")
                need(stream >> n * b == 0, "E-022", where, "unused bits are not zero")
                packed = [stream >> i * b & ((1 << b) - 1) for i in range(n)]
            values += [(base + p) % limit for p in packed]  # E-004
    elif encoding == 3:  # E-030: delta
        need(count >= 2, "E-030", where, f"count {count}, expected at least 2")
        values = [one_value("E-030")]
        for z in child((width,), count - 1)[0]:
            values.append((values[-1] + ((z >> 1) ^ -(z & 1))) % limit)  # E-004
    elif encoding == 4:  # E-040: runs
        need(1 <= aux <= count, "E-040", where, f"{aux} runs of {count} values")
        lengths, entries = child((4,), aux)[0], child((width,), aux)[0]
        need(min(lengths) >= 1, "E-040", where, "a run of length 0")
        need(sum(lengths) == count, "E-040", where, f"runs of {sum(lengths)} values, not {count}")
        values = [v for v, length in zip(entries, lengths) for _ in range(length)]
    elif encoding == 5:  # E-050: dictionary
        need(1 <= aux <= min(count, 2**31), "E-050", where, f"{aux} entries for {count} values")
        entries, codes = child((width,), aux)[0], child((1, 2, 4), count)[0]
        need(max(codes) < aux, "E-050", where, f"code {max(codes)}, {aux} entries")
        values = [entries[c] for c in codes]
    elif encoding == 6:  # E-051: shared dictionary
        need(dictionary is not None, "E-051", where, "a shared dictionary may not stand here")
        need(aux <= count, "E-051", where, f"{aux} literals of {count} values")
        codes, entries = child((1, 2, 4), count)[0], dictionary(width)
        n = len(entries)
        need(n < 2**31, "E-051", where, f"{n} ids")
        need(max(codes) <= n, "E-051", where, f"code {max(codes)}, {n} ids")
        need(codes.count(n) == aux, "E-051", where, f"{codes.count(n)} codes for {aux} literals")
        literals = iter(child((width,), aux)[0] if aux else [])
        values = [entries[c] if c < n else next(literals) for c in codes]
    elif encoding == 8:  # E-070: sparse
        need(1 <= aux < count, "E-070", where, f"{aux} exceptions of {count} values")
        values = [one_value("E-070")] * count
        replace(values, child((4,), aux)[0], child((width,), aux)[0], "E-070", where)
    elif encoding == 9:  # E-080: split
        r, s = param, aux
        need(r + s < bits, "E-080", where, f"r {r} + s {s} reach the width of {bits} bits")
        high = child(tuple(w for w in (1, 2, 4, 8) if w <= width), count)[0]
        need(max(high) < 1 << (bits - r - s), "E-080", where, "high part too large")
        low = [0] * count
        if r:
            low = child((next(w for w in (1, 2, 4, 8) if 8 * w >= r),), count)[0]
            need(max(low) < 1 << r, "E-080", where, f"low part does not fit in {r} bits")
        need(flags <= min(1, r), "E-080", where, f"flags {flags} with {r} low bits")
        r -= flags
        values = [((h << r) | (v & ((1 << r) - 1))) << s | (v >> r) << (bits - 1)
                  for h, v in zip(high, low)]
    elif encoding == 12:  # E-110: skewed
        need(2 <= param <= 8, "E-110", where, f"{param} classes")
        need(size >= 72, "E-110", where, f"payload {size}")
        bases = struct.unpack_from("<8Q", buf, start)
        widths = bytes(buf[start + 64:start + 72])
        most = {8: 56, 4: 24}.get(width, bits)
        for k, (base, w) in enumerate(zip(bases, widths)):
            need(base < 1 << bits and w <= most, "E-110", where, f"class {k}: base {base}, {w} bits")
            need(k < param or (base, w) == (0, 0), "E-110", where, f"class {k} of {param}")
        cursor = start + 72
        selectors = child((1,), count)[0]
        need(max(selectors) < param, "E-110", where, f"class {max(selectors)} of {param}")
        total = sum(widths[c] for c in selectors)
        words = child((8,), (total + 63) // 64)[0] if total else []
        stream = sum(word << 64 * i for i, word in enumerate(words))
        need(stream >> total == 0, "E-110", where, "bits after the last offset")
        values, at = [], 0
        for c in selectors:
            values.append((bases[c] + (stream >> at & ((1 << widths[c]) - 1))) % (1 << bits))
            at += widths[c]
    elif encoding == 13:  # E-120: decimal
        need(width >= 4, "E-120", where, f"floats of {width} bytes")
        need(param <= (10 if width == 4 else 22), "E-120", where, f"exponent {param}")
        need(aux < count, "E-120", where, f"{aux} exceptions of {count} values")
        base, reach = one_value("E-120"), 1 << (24 if width == 4 else 51)
        codes = child(tuple(w for w in (1, 2, 4, 8) if w <= width), count)[0]
        integers = [(base + c + limit // 2) % limit - limit // 2 for c in codes]  # E-004
        need(min(integers) >= -reach and max(integers) < reach, "E-120", where,
             f"integers {min(integers)} to {max(integers)}")
        values = [float_bits(i / 10**param, width) for i in integers]
        if aux:
            replace(values, child((4,), aux)[0], child((width,), aux)[0], "E-120", where)
    else:  # E-100: compressed
        need(param in (1, 2), "E-100", where, f"codec {param}")
        need(aux <= 4096 + 32 * count, "E-100", where, f"raw size {aux} for {count} values")
        inner, cursor = decompress(bytes(buf[start:stop]), param, aux, where), stop
        need(inner[:1] != b"\x0b", "E-100", where, "compressed twice")
        values, _, last = node(inner, 0, len(inner), (width,), count, where, depth + 1, budget=budget)
        need(last == len(inner), "E-100", where, "bytes after the inner node")
    need(cursor == stop, "E-001", where, f"{stop - cursor} bytes left in the payload")  # E-001
    return values, width, done


def replace(values, positions, entries, rule, where):  # E-070, E-120
    need(all(a < b for a, b in zip(positions, positions[1:])), rule, where,
         "positions do not increase")
    need(positions[-1] < len(values), rule, where, f"position {positions[-1]} of {len(values)}")
    for position, v in zip(positions, entries):
        values[position] = v


def float_bits(value, width):
    # A quotient of two float32 numbers rounds to float32 by way of float64 as it does at once.
    return int.from_bytes(struct.pack("<f" if width == 4 else "<d", value), "little")


def decompress(frame, codec, raw_size, where):
    rule, decode = ("E-101", zstandard_frame) if codec == 1 else ("E-102", lz4_block)
    try:
        return decode(frame, raw_size)
    except BrokenFrame as error:
        raise Damage(rule, where, str(error)) from None

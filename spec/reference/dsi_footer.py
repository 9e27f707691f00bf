"""The core footer (F-050): a FlatBuffer of `format/core.fbs`, read by hand, every bound checked."""

from __future__ import annotations

import struct
from collections import namedtuple

from dsi_nodes import need

MAX_STRIPES = 2**19
# Of a canonical footer: where table and vtable start, and the fields by the order of core.fbs.
VTABLE, TABLE, TABLE_SIZE = 4, 44, 169
FIELDS = [4, 12, 140, 144, 148, 20, 44, 68, 92, 116, 152, 156, 160, 164, 168]

TableRef = namedtuple("TableRef", "offset record_size count seal")
StripeRef = namedtuple("StripeRef", "first_row num_rows num_sessions flags reserved data_offset "
                                    "data_size groups streams pages")
SectionRef = namedtuple("SectionRef", "kind flags offset size seal")


class Footer:
    def __init__(self, buf, canonical=True):
        """`canonical`: the bytes must be in the one form of version 1.0."""
        self.buf, self.used, self.starts, where = buf, bytearray(len(buf)), [], "core footer"
        table = self._uint(0, 4)
        self._inside(table, 4, 4)
        soffset, = struct.unpack_from("<i", buf, table)
        self.table, vtable = table, table - soffset
        self._inside(vtable, 4, 2)
        vsize, self.size = struct.unpack_from("<HH", buf, vtable)
        need(vsize >= 4 + 2 * len(FIELDS) and vsize % 2 == 0, "F-050", where, "bad vtable")
        self._inside(vtable, vsize, 2)
        self._inside(table, self.size, 4)
        self.fields = list(struct.unpack_from(f"<{vsize // 2 - 2}H", buf, vtable + 4))
        self._use(table, 4)
        self._use(vtable, vsize)
        self.num_rows, self.num_sessions = self._scalar(0, 8), self._scalar(1, 8)
        self.num_features, self.num_slots = self._scalar(2, 4), self._scalar(3, 4)
        self.page_values = self._scalar(4, 4)
        self.columns, self.name_index, self.names, self.groups, self.id_spaces = (
            TableRef(*self._struct(i, "<QIIQ", 24)) for i in range(5, 10))
        self.cluster_keys = [k for k, in self._vector(10, "<I", 4, 4)]
        self.stripes = [
            StripeRef(*s[:7], TableRef(*s[7:11]), TableRef(*s[11:15]), TableRef(*s[15:]))
            for s in self._vector(11, "<QIIIIQQ" + 3 * "QIIQ", 112, 8)]
        self.sections = [SectionRef(*s) for s in self._vector(12, "<IIQQQ", 32, 8)]
        self.writer = bytes(b for b, in self._vector(13, "<B", 1, 1, string=True))
        self.tuning = self._scalar(14, 1)  # F-053
        if canonical:
            need((table, vtable, self.size, self.fields) == (TABLE, VTABLE, TABLE_SIZE, FIELDS),
                 "F-050", where, "its fields are elsewhere than they should be")
            self._check_places(where)
            need(not any(b for b, used in zip(buf, self.used) if not used), "F-050", where,
                 "a byte that belongs to no field is not zero")

    def _check_places(self, where):
        position = TABLE + TABLE_SIZE
        sizes = (4 * len(self.cluster_keys), 112 * len(self.stripes), 32 * len(self.sections),
                 len(self.writer) + 1)
        for start, size, align in zip(self.starts, sizes, (4, 8, 8, 4)):
            position += -(position + (4 if align == 8 else 0)) % align
            need(start == position, "F-050", where, f"vector at {start}, expected at {position}")
            position += 4 + size
        need(len(self.buf) == (position + 7) // 8 * 8, "F-050", where, "bytes after its last field")

    def _inside(self, at, size, align):
        need(0 <= at and at % align == 0 and at <= len(self.buf) and size <= len(self.buf) - at,
             "F-050", "core footer", f"{size} bytes at {at} are outside or not aligned to {align}")

    def _use(self, at, size):
        self.used[at:at + size] = b"\1" * size

    def _uint(self, at, size):
        self._inside(at, size, size)
        self._use(at, size)
        return int.from_bytes(self.buf[at:at + size], "little")

    def _place(self, field, size, align):
        offset = self.fields[field]
        need(4 <= offset and offset + size <= self.size, "F-050", "core footer",
             f"field {field} lies outside its table")
        self._inside(self.table + offset, size, align)
        self._use(self.table + offset, size)
        return self.table + offset

    def _scalar(self, field, size):
        return self._uint(self._place(field, size, size), size)

    def _struct(self, field, form, size):
        return struct.unpack_from(form, self.buf, self._place(field, size, 8))

    def _vector(self, field, form, size, align, string=False):
        at = self._place(field, 4, 4)
        distance = self._uint(at, 4)
        need(distance >= 4, "F-050", "core footer", f"field {field} is a vector at itself")
        start = at + distance
        self.starts.append(start)
        count = self._uint(start, 4)
        need(size != 112 or count <= MAX_STRIPES, "F-090", "core footer", f"{count} stripes")
        self._inside(start + 4, count * size + string, align)
        self._use(start + 4, count * size + string)
        need(not string or self.buf[start + 4 + count] == 0, "F-050", "core footer",
             "the string has no terminator")
        return [struct.unpack_from(form, self.buf, start + 4 + i * size) for i in range(count)]

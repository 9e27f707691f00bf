#!/usr/bin/env python3
"""The reference decoder of dsi files: slow, small, written from the specification alone.

It refuses everything that `spec/format.md` and `spec/encodings.md` forbid. Each check names the
rule it holds; `Damage` and `Unsupported` carry that rule, the place and what was found.

    with open("day.dsi", "rb") as f:
        for row in File(f.read()).rows(["clicks"]):
            print(row["clicks"])

A `File` proves what needs no decoding of a value: seals, tiling, tables, directory, stream and
page records. `rows` decodes the columns asked for, whole streams at a time; `verify` all.
"""

from __future__ import annotations

import argparse
import json
import math
import struct
import sys
from bisect import bisect_right
from collections import namedtuple
from itertools import accumulate

import xxhash

from dsi_footer import Footer, TableRef
from dsi_nodes import Budget, Damage, Exhausted, Unsupported, blocks_of, need, node, pad8
from dsi_statistics import read_statistics, statistics_of

MASK64 = 2**64 - 1
NONE16, NONE32 = 0xFFFF, 0xFFFFFFFF
MAGIC, END_MAGIC = b"\x89DSI\r\n\x1a\n", b"DSI!\r\n\x1a\n"
HEADER_SIZE, TRAILER_SIZE = 64, 80
(SEAL_HEADER, SEAL_PAGE, SEAL_BLOCK, SEAL_SEALS, SEAL_SECTION, SEAL_FOOTER,
 SEAL_TRAILER) = range(1, 8)
MAX_COLUMNS, MAX_SLOTS, MAX_ROWS, MAX_GROUP_CHAIN = 2**22, 2**24, 2**24, 8
MAX_VALUES, MAX_PAGE, MAX_LIST_CODE = 2**32 - 1, 2**28, 2**31
MAX_VERSION, MAX_METADATA = 2**24 - 1, 2**30
KNOWN_SECTIONS, KINDS_IN_BLOCKS, REQUIRED, IN_BLOCKS = (1, 2, 3, 4, 5, 7), (3, 4), 1, 2
BUDGET = 2**26  # Of this decoder, not of the format.
DENSE, LIST, WEIGHTED, SEQUENCE, EMBEDDING, LABEL, KEY, TIMESTAMP, STRING = range(1, 10)
BOOL, BYTES = 1, 12
COMPRESSED, MAX_PAGE_VALUES = 2**31, 2**20
TYPE_WIDTH = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 4, 11: 8, 12: 1}
SIGNED, FLOATS, INTEGERS = {2, 3, 4, 5}, {10, 11}, set(range(2, 10))


def name_hash(name):
    return xxhash.xxh3_64_intdigest(name.encode(), 0)


def seal(data, kind, offset, salt):  # F-010
    seed = salt ^ (offset * 0x9E3779B97F4A7C15 & MASK64) ^ (kind << 56)
    return xxhash.xxh3_64_intdigest(data, seed)


Column = namedtuple(
    "Column", "id_less_hash default_bits stored_bytes num_values name_offset name_size "
    "feature_name_size place num_columns group max_length fixed_length tiers_slot id_space "
    "num_tiers reserved1 kind type flags time_unit reserved2 name feature_name ordinal")
Group = namedtuple("Group", "name_offset name_size source reserved owner num_columns parent "
                            "reserved2 name")
IdSpace = namedtuple("IdSpace", "name_offset name_size width reserved name")
Stream = namedtuple("Stream", "num_values constant first_page num_pages offset_in_page size width "
                              "form reserved max")
Page = namedtuple("Page", "offset stored_size num_values seal")
Stripe = namedtuple("Stripe", "ordinal num_rows groups streams pages")


class File:
    """`budget`: values that are made before `Exhausted`, those of all calls together (F-090)."""

    def __init__(self, data, budget=BUDGET):
        self.budget = Budget(budget)
        self.data, self.extents, self.metadata, self.precisions = bytes(data), [], {}, {}
        self.contents = {}  # Of compressed pages (F-065), by stripe and page.
        self.statistics, self.deleted, self.overlay = {}, [], None
        self._read_header_and_trailer()
        self._read_directory()
        self._check_columns()
        self._check_slots()
        self._read_sections()
        self._read_stripes()
        self._check_tiling()

    @classmethod
    def parts_of(cls, data):
        """Proves header, trailer and core footer alone."""
        file = cls.__new__(cls)
        file.budget, file.data, file.extents = Budget(BUDGET), data, []
        file._read_header_and_trailer()

    # -- Container --

    def _extent(self, offset, size, what, rule):
        need(offset % 8 == 0, "F-002", what, f"offset {offset} is not a multiple of 8")  # F-002
        need(offset <= len(self.data) and size <= len(self.data) - offset, rule, what,
             f"{size} bytes at {offset} are not inside the file")
        self.extents.append((offset, offset + size, what))
        return self.data[offset:offset + size]

    def _check_tiling(self):  # F-002
        position = 0
        for offset, end, what in sorted(self.extents):
            need(offset == position or self.may_have_gaps and offset > position, "F-002", what, f"starts at {offset}, expected {position}")
            position = end
        need(position == len(self.data), "F-002", "file", f"bytes after {position} in no extent")

    def _read_header_and_trailer(self):
        data, size = self.data, len(self.data)
        need(data[:8] == MAGIC[:len(data)], "F-020", "header", "not a dsi file")  # F-020
        need(size >= HEADER_SIZE + TRAILER_SIZE, "F-031", "file", f"{size} bytes")  # F-031
        header = self._extent(0, HEADER_SIZE, "header", "F-031")
        need(seal(header[:56], SEAL_HEADER, 0, 0) == struct.unpack("<Q", header[56:])[0], "F-020",
             "header", "wrong seal")  # F-011
        major, minor, header_size, self.salt = struct.unpack_from("<HHIQ", header, 8)
        if major != 1:  # F-020
            raise Unsupported("F-020", "header", f"major version {major}")
        need(header_size == HEADER_SIZE, "F-020", "header", f"header size {header_size}")
        need(not any(header[24:56]), "F-003", "header", "reserved bytes are not zero")  # F-003
        end = size - TRAILER_SIZE
        trailer = self._extent(end, TRAILER_SIZE, "trailer", "F-031")
        need(trailer[72:] == END_MAGIC, "F-030", "trailer", "no magic: truncated?")  # F-030
        (at, footer_size, end_major, end_minor, compat, _, incompat, stated, footer_seal, salt,
         own_seal) = struct.unpack_from("<QIHH7Q", trailer)
        need(seal(trailer[:64], SEAL_TRAILER, end, 0) == own_seal, "F-030", "trailer",
             "wrong seal")  # F-011
        need(stated == size, "F-031", "trailer", f"states {stated} bytes, found {size}")  # F-031
        if incompat:  # F-030, F-032
            raise Unsupported("F-030", "trailer", f"incompat flags {incompat:#x}")
        self.may_have_gaps = bool(compat & 1)  # F-033
        need((end_major, end_minor, salt) == (major, minor, self.salt), "F-030", "trailer",
             "version or salt differs from the header's")
        need(footer_size % 8 == 0 and 8 <= footer_size <= 2**26, "F-030", "trailer",
             f"core footer of {footer_size} bytes")
        need(at + footer_size == end, "F-032", "trailer", "core footer does not end here")  # F-032
        self.footer_at = at
        footer = self._extent(at, footer_size, "core footer", "F-032")
        need(seal(footer, SEAL_FOOTER, at, self.salt) == footer_seal, "F-030", "core footer",
             "wrong seal")  # F-011
        self.footer = Footer(footer, canonical=minor == 0)
        for i, s in enumerate(self.footer.sections):  # F-080, F-004
            if s.kind not in KNOWN_SECTIONS and s.flags & REQUIRED:
                rule = "F-085" if s.kind == 6 else "F-080"
                raise Unsupported(rule, f"section {i}", f"required, of kind {s.kind}")

    def _table(self, ref, record_size, what, rule="F-041"):
        """The bytes of all records of a sealed table."""
        size = ref.record_size % COMPRESSED
        compressed = size != ref.record_size  # F-042
        # F-041: a newer version may have added fields at the end.
        need(size == record_size or record_size > 1 and record_size < size <= 4096 and
             size % 8 == 0, "F-041", what, f"records of {size} bytes")
        if ref.count == 0:  # F-040
            need(ref.offset == 0 and ref.seal == 0 and not compressed, "F-040", what,
                 "empty, but with a place")
            return b""
        if compressed:
            body = self._compressed_table(ref, size, what)
            return b"".join(body[i:i + record_size] for i in range(0, len(body), size))
        used, step = ref.count * size, 4096 // size * size
        blocks = blocks_of(used, step)
        extent = self._extent(ref.offset, pad8(used) + 8 * blocks, what, rule)  # F-041
        body, seals = extent[:pad8(used)], extent[pad8(used):]
        need(seal(seals, SEAL_SEALS, ref.offset + len(body), self.salt) == ref.seal, "F-040", what,
             "wrong seal of the block seals")
        for i, block_seal in enumerate(struct.unpack(f"<{blocks}Q", seals)):  # F-040
            need(seal(body[i * step:(i + 1) * step], SEAL_BLOCK, ref.offset + i * step,
                      self.salt) == block_seal, "F-040", what, f"wrong seal of block {i}")
        need(not any(body[used:]), "F-002", what, "padding is not zero")  # F-002
        if size == record_size:
            return body[:used]
        return b"".join(body[i:i + record_size] for i in range(0, used, size))

    def _compressed_table(self, ref, size, what):  # F-042
        per_block = 4096 // size
        blocks, offset = blocks_of(ref.count, per_block), ref.offset
        need(offset <= len(self.data) and 16 * blocks <= len(self.data) - offset, "F-041", what,
             f"{blocks} blocks at {offset} are not inside the file")
        entries = self.data[offset:offset + 16 * blocks]
        need(seal(entries, SEAL_SEALS, offset, self.salt) == ref.seal, "F-040", what,
             "wrong seal of the block seals")
        at, records, places = offset + 16 * blocks, [], []
        for i, (block_seal, end) in enumerate(struct.iter_unpack("<QQ", entries)):
            n = min(per_block, ref.count - i * per_block)
            need(at + 16 <= end <= at + 16 + pad8(n * size) and end % 8 == 0 and
                 end <= len(self.data), "F-042", what, f"block {i} from {at} to {end}")
            places.append((i, block_seal, at, end, n))
            at = end
        self._extent(offset, at - offset, what, "F-042")
        for i, block_seal, at, end, n in places:
            need(seal(self.data[at:end], SEAL_BLOCK, at, self.salt) == block_seal, "F-040", what,
                 f"wrong seal of block {i}")
            content = self._content(at, end, n * size, f"{what} block {i}", "F-042")
            records += [content[k::n] for k in range(n)]
        return b"".join(records)

    def _content(self, at, end, size, where, rule):
        """The bytes that a node of width 1 holds."""
        need(self.data[at] in (0, 11), rule, where, f"encoding {self.data[at]}")  # E-010, E-100
        try:
            values, _, done = node(self.data, at, end, (1,), size, where, budget=self.budget)
        except Unsupported as e:
            raise Damage(rule, where, str(e)) from None
        need(done == end, "E-001", where, f"{end - done} bytes after the node")
        return bytes(values)

    def _read_sections(self):
        known = set()
        for i, s in enumerate(self.footer.sections):  # F-080
            what = f"section {i}"
            need(s.flags <= 3, "F-080", what, f"flags {s.flags:#x}")
            need(s.kind != 6, "F-085", what, "not required")  # F-085
            need(s.kind not in KNOWN_SECTIONS or (s.kind in KINDS_IN_BLOCKS) == bool(
                s.flags & IN_BLOCKS) and (s.kind not in (4, 7) or s.flags & REQUIRED), "F-080", what,
                 f"flags {s.flags:#x}")
            if s.flags & IN_BLOCKS:
                need(0 < s.size < 2**32, "F-080", what, f"{s.size} bytes in blocks")
                content = self._table(TableRef(s.offset, 1, s.size, s.seal), 1, what, "F-080")
            else:
                extent = self._extent(s.offset, pad8(s.size), what, "F-080")
                need(seal(extent, SEAL_SECTION, s.offset, self.salt) == s.seal, "F-080", what,
                     "wrong seal")
                need(not any(extent[s.size:]), "F-002", what, "padding is not zero")  # F-002
                content = extent[:s.size]
            if s.kind not in KNOWN_SECTIONS:
                continue
            need(s.kind not in known, "F-080", what, f"second section of kind {s.kind}")
            known.add(s.kind)
            if s.kind == 2:
                self._read_precisions(content, what)
                continue
            if s.kind == 3:
                self.statistics = read_statistics(content, self.columns, [
                    stripe.num_rows for stripe in self.footer.stripes])
                continue
            if s.kind == 4:
                self._read_deleted(content, what)
                continue
            if s.kind == 5:
                self._read_previous(content, s, what)
                continue
            if s.kind == 7:
                self._read_overlay(content, what)
                continue
            need(s.size <= MAX_METADATA, "F-080", what, f"{s.size} bytes")

            def no_key_twice(pairs):
                need(len(dict(pairs)) == len(pairs), "F-080", what, "a key stands twice")
                return dict(pairs)
            try:
                self.metadata = json.loads(content.decode("utf-8"),
                                           object_pairs_hook=no_key_twice)
                need(isinstance(self.metadata, dict) and all(
                    isinstance(v, str) for v in self.metadata.values()), "F-080", what,
                    "user metadata is not an object of strings")
                for text in self.metadata.items():
                    "".join(text).encode("utf-8")  # An escape may name a surrogate.
            except (ValueError, RecursionError) as error:
                raise Damage("F-080", what, f"user metadata: {error}") from None

    def _read_deleted(self, content, what):  # F-084
        stripes, begin = self.footer.stripes, 0
        heads = 8 * len(stripes)
        need(len(content) >= heads, "F-084", what, f"{len(content)} bytes")
        for s, (count, end) in zip(stripes, struct.iter_unpack("<II", content[:heads])):
            size = end - begin
            need(count <= s.num_rows and 0 <= size <= 16 + pad8(s.num_rows) and size % 8 == 0 and
                 (size > 0) == (0 < count < s.num_rows), "F-084", what,
                 f"{count} of {s.num_rows} rows, {size} bytes")
            need(end <= len(content) - heads, "F-084", what, f"a node that ends at {end}")
            self.deleted.append((count, content[heads + begin:heads + end]))
            begin = end
        need(begin == len(content) - heads, "F-084", what, "bytes behind the last node")

    def is_deleted(self, stripe):
        """Of each row of a stripe, whether no scan gives it."""
        count, part = self.deleted[stripe.ordinal] if self.deleted else (0, b"")
        if not part:
            self.budget.spend(stripe.num_rows, "deleted rows")
            return [count > 0] * stripe.num_rows
        where = f"deleted rows of stripe {stripe.ordinal}"
        flags, _, done = node(part, 0, len(part), (1,), stripe.num_rows, where, budget=self.budget)
        need(done == len(part), "E-001", where, "bytes after the node")
        need(max(flags) <= 1 and sum(flags) == count, "F-084", where,
             f"{sum(flags)} flags, {count} stated")
        return [flag == 1 for flag in flags]

    def _read_previous(self, content, section, what):  # F-034
        need(len(content) == 8 and self.may_have_gaps, "F-034", what, "in a file without gaps")
        end, = struct.unpack("<Q", content)
        need(end % 8 == 0 and HEADER_SIZE + TRAILER_SIZE <= end <= section.offset, "F-034", what,
             f"a file of {end} bytes")
        try:
            File.parts_of(self.data[:end])
        except (Damage, Unsupported) as error:
            raise Damage("F-034", what, f"a file of {end} bytes: {error}") from None

    def _read_overlay(self, content, what):  # F-087
        need(len(content) >= 32 and len(content) % 16 == 0, "F-087", what, f"{len(content)} bytes")
        (base, base_rows), *ranges = struct.iter_unpack("<QQ", content)
        last = -1
        for first, end in ranges:
            need(last < first < end <= base_rows, "F-087", what,
                 f"rows {first} to {end} of {base_rows}, behind {last}")
            last = end
        need(not self.footer.cluster_keys, "F-087", what, "in a file with cluster keys")
        need(all(s.kind != 4 for s in self.footer.sections), "F-087", what,
             "in a file with deleted rows")
        sizes = [end - first for first, end in ranges]
        need(sum(sizes) == self.footer.num_rows, "F-087", what,
             f"{sum(sizes)} rows, the file has {self.footer.num_rows}")
        row_ends = set(accumulate(s.num_rows for s in self.footer.stripes))
        need(row_ends.issuperset(accumulate(sizes)), "F-087", what,
             "a stripe has rows of two ranges")
        self.overlay = base, base_rows, ranges

    def rows_fingerprint(self):  # F-086
        content = struct.pack("<Q", self.salt)
        for s in self.footer.stripes:
            content += struct.pack("<4Q", s.num_rows, s.groups.seal, s.streams.seal, s.pages.seal)
        return xxhash.xxh3_64_intdigest(content, 0)

    def _read_precisions(self, records, what):  # F-081
        need(records and len(records) % 16 == 0, "F-081", what, f"{len(records)} bytes")
        last = -1
        for ordinal, precision, error in struct.iter_unpack("<IId", records):
            need(last < ordinal < len(self.columns), "F-081", what, f"column {ordinal}")
            need(1 <= precision <= 3, "F-081", what, f"precision {precision}")
            need(math.isfinite(error) and math.copysign(1, error) > 0, "F-081", what,
                 f"error {error}")
            c, last = self.columns[ordinal], ordinal
            need(not is_known(c) or c.type in FLOATS and c.kind in (
                DENSE, LIST, WEIGHTED, SEQUENCE, EMBEDDING), "S-014", what, f"column {ordinal} is stored exactly")  # S-014
            self.precisions[ordinal] = ("fp16", "bf16", "int8")[precision - 1], error

    # -- Directory --

    def _name(self, offset, size, what):
        need(1 <= size <= 4095, "S-013", what, f"name of {size} bytes")  # S-013
        need(offset <= len(self.names) and size <= len(self.names) - offset, "F-071", what,
             f"name of {size} bytes at {offset} is not in the heap")  # F-071
        return self._valid_name(self.names[offset:offset + size], what)

    def _valid_name(self, name, what):  # S-013
        need(0 not in name, "S-013", what, f"NUL in the name {name[:40]!r}")
        try:
            return name.decode("utf-8")
        except UnicodeDecodeError:
            raise Damage("S-013", what, f"name {name[:40]!r} is not UTF-8") from None

    def _read_directory(self):
        footer = self.footer
        need(1024 <= footer.page_values <= 2**20 and footer.page_values % 1024 == 0, "F-050",
             "core footer", f"page_values {footer.page_values}")  # F-050
        need(footer.columns.count <= MAX_COLUMNS, "F-090", "columns", f"{footer.columns.count}")
        need(footer.id_spaces.count <= NONE16, "F-090", "id spaces", f"{footer.id_spaces.count}")
        need(footer.num_slots <= MAX_SLOTS, "F-090", "core footer", f"{footer.num_slots} slots")
        self.names = self._table(footer.names, 1, "names")
        try:  # F-071
            need("\0" not in self.names.decode("utf-8"), "F-071", "names", "NUL in the heap")
        except UnicodeDecodeError:
            raise Damage("F-071", "names", "the heap is not UTF-8") from None
        self.columns, self.groups, self.id_spaces = [], [], []
        table = self._table(footer.columns, 72, "columns")
        for i, r in enumerate(struct.iter_unpack("<4QI4H4IH6BI", table)):  # F-070
            what = f"column {i}"
            need(not r[15] and not r[20], "F-003", what, "reserved field is not zero")  # F-003
            raw = self._name(r[4], r[5], what).encode()
            need(1 <= r[6] <= r[5], "F-070", what, f"feature_name_size {r[6]} of {r[5]}")
            self.columns.append(Column(*r, raw.decode(), self._valid_name(raw[:r[6]], what), i))
        table, chain = self._table(footer.groups, 24, "groups"), []
        for i, r in enumerate(struct.iter_unpack("<IHBB4I", table)):  # F-073
            what = f"group {i}"
            need(r[3] == r[7] == 0, "F-003", what, "reserved field is not zero")  # F-003
            need(r[2] <= 3 and (r[2] or not i), "F-073", what, f"source {r[2]}")
            need(r[1] or r[0] == 0, "F-073", what, "a place of no name")
            need(r[6] < i or r[6] == 0, "F-073", what, f"parent {r[6]}")
            chain.append(chain[r[6]] + 1 if r[6] else 1)
            need(chain[i] <= MAX_GROUP_CHAIN, "F-073", what, "too many parents above it")
            self.groups.append(Group(*r, self._name(r[0], r[1], what) if r[1] else ""))
        table = self._table(footer.id_spaces, 8, "id spaces")
        for i, r in enumerate(struct.iter_unpack("<IHBB", table)):  # F-074
            what = f"id space {i}"
            need(r[3] == 0, "F-003", what, "reserved field not zero")  # F-003
            need(r[2] in (4, 8), "F-074", what, f"width {r[2]}")
            need(r[1] or r[0] == 0, "F-073", what, "a place of no name")
            self.id_spaces.append(IdSpace(*r, self._name(r[0], r[1], what) if r[1] else ""))
        self.cluster_keys = footer.cluster_keys
        need(all(k < len(self.columns) for k in footer.cluster_keys), "F-050", "core footer",
             "a cluster key is no column")
        need(self.groups, "F-073", "groups", "no group 0")  # F-073
        g = self.groups[0]
        need((g.source, g.name_offset, g.name_size, g.owner) == (0, 0, 0, NONE32), "F-073", "group 0", "is not the group of rows")
        for i, g in enumerate(self.groups):
            need(g.owner == NONE32 or g.owner < len(self.columns), "F-073", f"group {i}",
                 f"owner {g.owner}")
            need(g.num_columns == sum(c.group == i for c in self.columns), "F-073", f"group {i}",
                 f"num_columns {g.num_columns}")
            need(g.num_columns or i == 0, "F-073", f"group {i}", "no column")

    def _check_columns(self):
        self.features, i = [], 0
        while i < len(self.columns):
            first, what = self.columns[i], f"column {i}"
            n = first.num_columns
            need(1 <= n <= len(self.columns) - i, "F-070", what, f"{n} columns")
            feature = self.columns[i:i + n]
            for place, c in enumerate(feature):
                need(c.place == place, "F-070", f"column {c.ordinal}", f"place {c.place}")
            for c in feature:  # F-079: what the columns of a feature share
                need(shared_fields(c) == shared_fields(first), "F-079", f"column {c.ordinal}",
                     "differs from its feature's first column")
                dotted = c.name.startswith(c.feature_name + ".") and (
                    len(c.name) > len(c.feature_name) + 1)
                same = c.name == c.feature_name
                need(dotted if c.kind in (WEIGHTED, SEQUENCE) else
                     same or dotted and c.kind not in range(1, 10), "F-070", what,
                     "feature name against name")
                self._check_schema(c, f"column {c.ordinal}")
            if first.kind == WEIGHTED:  # S-012
                need(n == 2 and all(c.type in kinds or c.type not in TYPE_WIDTH for c, kinds in zip(
                    feature, (INTEGERS, FLOATS))), "S-012", what,
                     "a weighted feature is integers and floats")
            elif first.kind in range(1, 10) and first.kind != SEQUENCE:
                need(n == 1, "F-070", what, f"{n} columns of kind {first.kind}")
            self.features.append(feature)
            i += n
        need(self.footer.num_features == len(self.features), "F-050", "core footer",
             f"num_features {self.footer.num_features}, found {len(self.features)}")  # F-050
        need(len({feature_id(f[0]) for f in self.features}) == len(self.features), "F-070",
             "columns", "a feature's id stands twice")
        need(len({c.name for c in self.columns}) == len(self.columns), "F-075", "columns",
             "a column name stands twice")  # F-075
        owner = {c.name: leader(c) for c in self.columns}
        for f in self.features:
            need(owner.setdefault(f[0].feature_name, f[0].ordinal) == f[0].ordinal, "F-075",
                 f"column {f[0].ordinal}", "the feature's name is taken")
        index = [(name_hash(c.name) >> 32, c.ordinal) for c in self.columns] + [
            (name_hash(f[0].feature_name) >> 32, f[0].ordinal | 1 << 31)
            for f in self.features if f[0].name != f[0].feature_name]
        stored = list(struct.iter_unpack(
            "<II", self._table(self.footer.name_index, 8, "name index")))
        need(stored == sorted(index), "F-072", "name index", "is not that of the columns")  # F-072

    def _check_schema(self, c, what):
        need(c.group < len(self.groups), "F-070", what, f"group {c.group}")  # F-070
        need(c.flags < 16, "F-003", what, f"flags {c.flags:#x}")  # F-003
        need(c.time_unit <= 4, "F-070", what, f"time unit {c.time_unit}")
        need(c.default_bits == 0 or c.flags & 4, "F-070", what, "default without its flag")
        need(2 <= c.num_tiers <= 8 and may_have_windows(c) if c.tiers_slot != NONE32
             else c.num_tiers == 0, "D-014", what, f"{c.num_tiers} tiers")  # D-014
        need(c.id_space == NONE16 or c.id_space < len(self.id_spaces), "F-074", what,
             f"id space {c.id_space}")  # F-074
        if not is_known(c):
            return  # S-010: fatal only when the column is asked for.
        width = TYPE_WIDTH[c.type]
        need(c.default_bits < 1 << 8 * width, "F-070", what, "default does not fit the type")
        need(c.type != BOOL or c.default_bits <= 1, "S-011", what, "default is no bool")  # S-011
        need(c.kind != STRING or c.type == BYTES, "S-012", what, "a string not of bytes")  # S-012
        need(c.type != BYTES or c.kind in (STRING, KEY), "S-012", what, "bytes in another kind")
        need(c.kind != TIMESTAMP or c.type == 5 and c.time_unit, "S-012", what,
             "a timestamp that is no int64 with a unit")
        need(c.kind == TIMESTAMP or c.time_unit == 0, "F-070", what, f"time unit {c.time_unit}")
        need((c.fixed_length > 0) == (c.kind == EMBEDDING), "S-012", what,
             f"fixed_length {c.fixed_length}")
        need(c.kind != EMBEDDING or c.type not in (BOOL, BYTES), "S-012", what,
             "an embedding not of numbers")
        need(not c.flags & 8 or c.kind in (LIST, WEIGHTED, SEQUENCE) and c.type in (4, 5, 8, 9),
             "S-015", what, "hashed")  # S-015
        need(c.id_space == NONE16 or self.id_spaces[c.id_space].width == width, "F-074", what,
             "width of the id space")  # F-074

    def _check_slots(self):  # F-076, F-077, F-078
        self.first_dictionary = 3 * len(self.columns)
        self.first_index = self.first_dictionary + len(self.id_spaces)
        first_tier, end = self.first_index + len(self.groups) - 1, self.footer.num_slots
        need(first_tier <= end, "F-076", "core footer", f"{end} slots, {first_tier} before tiers")
        tiers = [s for c in self.columns for s in tier_slots(c)[1:]]
        need(all(first_tier <= s < end for s in tiers), "F-076", "directory", "no such slot")
        need(len(set(tiers)) == len(tiers), "F-077", "directory", "a slot serves two purposes")
        need(len(tiers) == end - first_tier, "F-078", "directory", "a slot serves no purpose")
        self.used_slots = set(tiers) | set(range(self.first_dictionary, first_tier))
        self.used_slots |= {values_slot(c) for c in self.columns}
        self.used_slots |= {shape_slot(f[0]) for f in self.features}
        self.used_slots |= {windows_slot(f[0]) for f in self.features if may_have_windows(f[0])}

    def _index_slot(self, g):  # F-076
        return self.first_index + g - 1

    def _dictionary_slot(self, i):  # F-076
        return self.first_dictionary + i

    # -- Stripes --

    def _read_stripes(self):
        footer, self.stripes, row, position = self.footer, [], 0, HEADER_SIZE
        for i, ref in enumerate(footer.stripes):  # F-051
            what = f"stripe {i}"
            need(ref.first_row == row, "F-051", what, f"first_row {ref.first_row}, not {row}")
            need(1 <= ref.num_rows, "F-051", what, "no rows")
            need(ref.num_rows <= MAX_ROWS, "F-052", what, f"{ref.num_rows} rows")  # F-052, F-090
            need(ref.num_sessions <= ref.num_rows, "F-051", what, "more sessions than rows")
            need(ref.flags <= (i > 0), "F-051", what, f"flags {ref.flags:#x}")
            need(footer.cluster_keys or not (ref.num_sessions or ref.flags), "F-051", what,
                 "sessions without a key")
            need(ref.reserved == 0, "F-003", what, "reserved field is not zero")  # F-003
            if self.may_have_gaps:
                end = ref.data_offset + ref.data_size
                need(ref.data_offset >= HEADER_SIZE and ref.data_offset % 8 == 0 and
                     ref.data_size % 8 == 0 and end <= self.footer_at, "F-051", what,
                     f"data at {ref.data_offset}")
                need((ref.pages.count == 0) == (ref.data_size == 0), "F-062", what, "no page")
            else:
                need(ref.data_offset == position, "F-051", what, f"data at {ref.data_offset}")
            row, position = row + ref.num_rows, position + ref.data_size
            need(ref.groups.count == len(self.groups), "F-060", what, "count of group records")
            need(ref.streams.count == blocks_of(footer.num_slots, 3), "F-061", what,
                 "count of stream records")
            groups = list(struct.iter_unpack("<II", self._table(ref.groups, 8, f"{what} groups")))
            streams = [Stream(*r) for r in struct.iter_unpack(
                "<QQIIIIBBHI", self._table(ref.streams, 120, f"{what} streams"))]
            pages = [Page(*r) for r in struct.iter_unpack(
                "<QIIQ", self._table(ref.pages, 24, f"{what} pages"))]
            stripe = Stripe(i, ref.num_rows, groups, streams, pages)
            self._check_groups(stripe, what)
            self._check_pages(stripe, ref, what)
            self._check_streams(stripe, what)
            self.stripes.append(stripe)
        need(footer.num_rows == row, "F-050", "core footer", f"num_rows {footer.num_rows}")  # F-050
        need(footer.num_sessions == sum(s.num_sessions for s in footer.stripes), "F-050",
             "core footer", f"num_sessions {footer.num_sessions}")
        for c in self.columns:  # F-070: totals
            found = sum(s.streams[t].num_values for s in self.stripes for t in tier_slots(c))
            need(c.num_values == found, "F-070", f"column {c.ordinal}", f"not {found} num_values")
            slots = tier_slots(c)
            if c.place == 0:
                slots += [shape_slot(c), windows_slot(c)]
            if c.id_space < len(self.id_spaces) and not any(
                    b.id_space == c.id_space for b in self.columns[:c.ordinal]):
                slots.append(self._dictionary_slot(c.id_space))
            if any(s.streams[slot].form > 4 for s in self.stripes for slot in slots):
                continue  # F-061
            found = sum(self._stored(s, slot) for s in self.stripes for slot in slots)
            need(c.stored_bytes == found, "F-070", f"column {c.ordinal}", f"stored: {found}")

    def _stored(self, stripe, slot):
        s = stripe.streams[slot]
        if s.form == 3:
            return sum(p.stored_size for p in stripe.pages[s.first_page:s.first_page + s.num_pages])
        return s.size

    def _check_groups(self, stripe, what):
        for g, (form, num_unique) in enumerate(stripe.groups):
            here = f"{what} group {g}"
            need(g or form == 0, "F-073", here, f"form {form} in the group of rows")  # F-073
            need(1 <= num_unique <= stripe.num_rows, "D-003", here,
                 f"{num_unique} unique rows of {stripe.num_rows}")  # D-003
            need(form or num_unique == stripe.num_rows, "D-001", here,
                 f"identity with {num_unique} unique rows of {stripe.num_rows}")  # D-001

    def _check_pages(self, stripe, ref, what):  # F-062
        position = ref.data_offset
        for i, p in enumerate(stripe.pages):
            here = f"{what} page {i}"
            need(p.num_values <= MAX_PAGE_VALUES or p.num_values >= COMPRESSED, "F-065", here,
                 f"num_values {p.num_values:#x}")
            need(p.offset == position or self.may_have_gaps and p.offset > position, "F-062", here,
                 f"offset {p.offset}, expected {position}")
            need(p.stored_size % 8 == 0 and 16 <= p.stored_size, "F-062", here,
                 f"stored_size {p.stored_size}")
            need(p.stored_size <= MAX_PAGE, "F-090", here, f"{p.stored_size} bytes")  # F-090
            page = self._extent(p.offset, p.stored_size, here, "F-062")
            need(seal(page, SEAL_PAGE, p.offset, self.salt) == p.seal, "F-010", here, "wrong seal")
            if p.num_values > MAX_PAGE_VALUES:  # F-065
                size = p.num_values ^ COMPRESSED
                need(size <= MAX_PAGE_VALUES and size % 8 == 0 and size >= p.stored_size, "F-065",
                     here, f"num_values {p.num_values:#x}")
                self.contents[stripe.ordinal, i] = self._content(
                    p.offset, p.offset + p.stored_size, size, here, "F-065")
            position = p.offset + p.stored_size
        end = ref.data_offset + ref.data_size
        need(position == end or self.may_have_gaps and position < end, "F-062", what,
             "data_size differs")

    def _check_streams(self, stripe, what):  # F-061
        shapes = {shape_slot(f[0]) for f in self.features}
        shapes |= {windows_slot(f[0]) for f in self.features}
        owners, packed = {}, {i: [] for i, p in enumerate(stripe.pages)
                              if p.num_values == 0 or p.num_values > MAX_PAGE_VALUES}
        for slot, s in enumerate(stripe.streams):
            here = f"{what} slot {slot}"
            need(s.width in (1, 2, 4, 8), "F-061", here, f"width {s.width}")
            need(s.reserved == 0 or s.form > 4, "F-003", here, "reserved field is not zero")  # F-003
            need(slot in self.used_slots or (s.form, s.width) == (0, 1), "F-078", here,
                 "a slot that serves nothing is not empty")
            need(s.max == 0 or slot in shapes, "F-061", here, "max of another stream")
            need(s.num_values <= MAX_VALUES, "F-090", here, f"{s.num_values} values")  # F-090
            place = (s.first_page, s.num_pages, s.offset_in_page, s.size)
            if s.form > 4:
                need(s.num_values, "F-061", here, f"form {s.form} without values")
                continue
            need(s.form in (1, 2, 3) or s.constant == 0, "F-061", here, "constant in another form")
            if s.form == 0:
                need(not any((s.num_values, s.max) + place), "F-061", here, "empty, but not zero")
                continue
            need(s.num_values, "F-061", here, f"form {s.form} without values")
            if s.form == 1:
                need(not any(place), "F-061", here, "constant with a page")
                need(s.constant < 1 << 8 * s.width, "F-061", here, "bits above the width are set")
                continue
            if s.form == 4:
                need(not any(place[1:]), "F-061", here, "alias with a place")
                need(s.first_page < len(stripe.streams), "F-061", here, "alias of no slot")
                to = stripe.streams[s.first_page]
                need(to.form in (2, 3) or to.form > 4, "F-061", here, f"alias of a stream of form {to.form}")
                need((s.num_values, s.width, s.max) == (to.num_values, to.width, to.max), "F-061",
                     here, "alias of a stream that differs")
                continue
            need(s.first_page <= len(stripe.pages) and s.num_pages <= len(stripe.pages) -
                 s.first_page, "F-061", here, "pages outside the page table")
            pages = range(s.first_page, s.first_page + s.num_pages)
            if s.form == 2:
                need(s.num_values <= self.footer.page_values, "F-061", here,
                     f"{s.num_values} values in a packed stream")
                need(s.num_pages == 1 and s.first_page in packed, "F-061", here, "no packed page")
                room = self._content_size(stripe, s.first_page)
                need(s.offset_in_page % 8 == 0, "F-061", here, "offset_in_page")
                need(s.offset_in_page <= room and s.size <= room - s.offset_in_page, "F-064", here,
                     "node outside its page")  # F-064
                packed[s.first_page].append((s.offset_in_page, s.size))
                continue
            need(s.offset_in_page == 0, "F-061", here, "paged, but with a place")
            need(s.size % 1024 == 0 and s.size <= MAX_PAGE_VALUES and
                 s.size != self.footer.page_values, "F-061", here, f"{s.size} values a page")
            per_page = s.size or self.footer.page_values
            need(s.num_pages == blocks_of(s.num_values, per_page), "F-061", here,
                 f"{s.num_pages} pages for {s.num_values} values")
            left = s.num_values
            for p in pages:
                need(p not in owners, "F-063", here, f"page {p} belongs to two streams")  # F-063
                owners[p], n = slot, min(left, per_page)
                need(stripe.pages[p].num_values == n, "F-062", here,
                     f"page {p} of {stripe.pages[p].num_values} values, expected {n}")  # F-062
                left -= n
        self._check_sources(stripe, what)
        loose = self.may_have_gaps or any(s.form > 4 for s in stripe.streams)
        need(loose or len(owners) + len(packed) == len(stripe.pages), "F-063", what,
             "page without a stream")
        for i, nodes in packed.items():
            here, end = f"{what} page {i}", self._content_size(stripe, i)
            need(nodes or loose, "F-063", here, "page without a stream")  # F-063
            position = 0
            for at, size in sorted(nodes) + [(end, 0)]:
                need(position == at or loose and position < at, "F-064", here,
                     f"node at {at}, expected {position}")  # F-064
                position = at + size

    def _check_sources(self, stripe, what):  # F-066
        columns = {values_slot(c): c for c in self.columns}
        for slot in range(len(stripe.streams)):
            here, source = f"{what} slot {slot}", self._source(stripe, slot)
            if source is None:
                continue
            ordinal, space = source
            c, s = columns.get(slot), stripe.streams[slot]
            need(c is not None and may_have_windows(c) and c.num_tiers == 0 and s.width >= 4,
                 "F-066", here, "a source for other than lists of width 4 or 8 without tiers")
            need(0 <= ordinal < len(self.columns), "F-066", here, f"source column {ordinal}")
            to = stripe.streams[values_slot(self.columns[ordinal])]
            need((to.form > 4 or to.form in (2, 3) and to.constant == 0) and to.width == s.width,
                 "F-066", here,
                 f"a source of form {to.form} and width {to.width}, source {to.constant:#x}")
            own = self.columns[ordinal].id_space
            need(space == (-1 if own == NONE16 else own), "F-066", here,
                 f"a source of id space {own}, stated as {space}")

    @staticmethod
    def _source(stripe, slot):  # F-066
        """Ordinals of the source of a stream and of its id space, −1 for none; None without a source."""
        s = stripe.streams[slot]
        if s.form == 4:
            s = stripe.streams[s.first_page]
        if s.form not in (2, 3) or s.constant == 0:
            return None
        return s.constant % 2**32 - 1, (s.constant >> 32) - 1

    def _content_size(self, stripe, page):  # F-065
        content = self.contents.get((stripe.ordinal, page))
        return stripe.pages[page].stored_size if content is None else len(content)

    # -- Values --

    def _stream(self, stripe, slot, width, count, rule, dictionary=None):
        """The values of a stream that must hold `count` values of `width` bytes."""
        s, where = stripe.streams[slot], f"stripe {stripe.ordinal} slot {slot}"
        need(s.num_values == count, rule, where, f"{s.num_values} values, expected {count}")
        need(s.form == 0 or s.width == width, rule, where, f"width {s.width}, expected {width}")
        if s.form <= 1:
            self.budget.spend(count, where)  # A few bytes may state 2**32 - 1 values.
            return [s.constant] * count
        if s.form == 4:  # F-061: an alias, which has its own dictionary, but for a source.
            s = stripe.streams[s.first_page]
        if s.form > 4:  # F-061
            raise Unsupported("F-061", where, f"form {s.form}")
        values = []
        for p in range(s.first_page, s.first_page + s.num_pages):
            page, here = stripe.pages[p], f"{where} page {p}"
            content = self.contents.get((stripe.ordinal, p)) if s.form == 2 else None
            at = s.offset_in_page + (page.offset if content is None else 0)
            end = at + (s.size if s.form == 2 else page.stored_size)
            try:
                part, _, done = node(self.data if content is None else content, at, end, (width,),
                                     page.num_values if s.form == 3 else count, here,
                                     dictionary=dictionary, budget=self.budget)
            except Unsupported as error:
                error.before = values
                raise
            need(done == end, "E-001", here, f"{end - done} bytes after the node")  # E-001
            values += part
        return values

    def index(self, stripe, g):
        """The unique row of each row of the stripe in group `g`."""
        chain = [g]
        while stripe.groups[chain[-1]][0] in (4, 5, 6):  # F-073: parents have lower ordinals.
            parent = self.groups[chain[-1]].parent
            need(parent, "D-001", f"stripe {stripe.ordinal} group {chain[-1]}", "no parent")
            chain.append(parent)
        rows = unsupported = None
        for g in reversed(chain):
            try:
                rows = self._index(stripe, g, rows)
            except Unsupported as error:
                unsupported, rows = error, None
        if unsupported:
            raise unsupported
        return rows

    def _index(self, stripe, g, parent_rows):
        form, num_unique = stripe.groups[g]
        where, slot = f"stripe {stripe.ordinal} group {g}", self._index_slot(g)
        n = stripe.num_rows
        if form > 6:  # D-001
            raise Unsupported("D-001", where, f"form {form}")
        self.budget.spend(n, where)
        if form == 0:
            if g:
                self._stream(stripe, slot, 4, 0, "D-001")
            return list(range(n))
        if form == 1:
            lengths = self._stream(stripe, slot, 4, num_unique, "D-001")
            need(min(lengths) >= 1, "D-001", where, "a run of length 0")
            need(sum(lengths) == n, "D-001", where, f"runs of {sum(lengths)} rows, not {n}")
            return [k for k, length in enumerate(lengths) for _ in range(length)]
        num_owners = stripe.groups[self.groups[g].parent][1]
        if form == 4:
            return self._via_parent(stripe, slot, num_owners, num_unique, parent_rows, where)
        if form == 6:
            return self._as_of(stripe, slot, num_unique, parent_rows, where)
        values = self._stream(stripe, slot, 1 if form == 2 else 4, n, "D-001")
        if form == 2:
            need(max(values) <= 1 and values[0] == 1, "D-001", where, "new-row bits are no bits")
            need(sum(values) == num_unique, "D-001", where, f"{sum(values)} ones, not {num_unique}")
            return [ones - 1 for ones in accumulate(values)]
        if form == 5:
            return parent_rows and versions(values, parent_rows, num_owners, num_unique, where)
        self._all_used(values, num_unique, where)
        return values

    @staticmethod
    def _all_used(values, num_unique, where):
        need(max(values) < num_unique, "D-001", where, f"unique row {max(values)} of {num_unique}")
        used = len(set(values))
        need(used == num_unique, "D-002", where, f"{used} of {num_unique} are used")  # D-002

    def _via_parent(self, stripe, slot, num_owners, num_unique, owners, where):  # D-001
        num_values = stripe.streams[slot].num_values
        e = max(0, num_values - num_owners) // 2
        need(e <= stripe.num_rows, "D-001", where, f"{e} exceptions of {stripe.num_rows} rows")
        values = self._stream(stripe, slot, 4, num_owners + 2 * e, "D-001")
        values, gaps, others = values[:num_owners], values[num_owners:-e or None], values[-e:]
        self._all_used(values + others[:e], num_unique, where)
        if e == 0:
            return owners and [values[owner] for owner in owners]
        rows = list(accumulate(gaps))
        need(min(gaps[1:], default=1) >= 1, "D-001", where, "two exceptions of one row")
        need(rows[-1] < stripe.num_rows, "D-001", where, f"an exception at row {rows[-1]}")
        if owners is None:
            return None
        index = [values[owner] for owner in owners]
        for row, unique in zip(rows, others):
            need(index[row] != unique, "D-001", where, f"row {row} is an exception and is none")
            index[row] = unique
        self._all_used(index, num_unique, where)
        return index

    def _as_of(self, stripe, slot, num_unique, owners, where):  # D-006
        counts = self._stream(stripe, slot, 4, num_unique, "D-001")
        need(min(counts) >= 1, "D-006", where, "a unique row of no row")
        need(sum(counts) == stripe.num_rows, "D-006", where, f"{sum(counts)} rows in all")
        if owners is None:
            return None
        rows = sorted(self._rows_in_time(stripe), key=owners.__getitem__)  # Stable.
        index, at = [0] * len(rows), 0
        for unique, count in enumerate(counts):
            need(owners[rows[at]] == owners[rows[at + count - 1]], "D-006", where,
                 f"unique row {unique} is of two owners")
            for row in rows[at:at + count]:
                index[row] = unique
            at += count
        return index

    def _rows_in_time(self, stripe):
        c = self.columns[self.cluster_keys[-1]] if self.cluster_keys else None
        if c is not None:
            self._need_known(c)
        need(c is not None and c.kind == TIMESTAMP, "D-006", f"stripe {stripe.ordinal}",
             "no time column")
        need(c.id_space == NONE16, "D-006", f"stripe {stripe.ordinal}", "time of an id space")
        g = c.group
        while stripe.groups[g][0] in (4, 5, 6):
            need(stripe.groups[g][0] != 6, "D-006", f"stripe {stripe.ordinal}",
                 "the time is told by time")
            g = self.groups[g].parent
        values, index = self._column(stripe, c, False), self.index(stripe, c.group)
        times = [values[u] for u in index]
        return sorted(range(len(times)), key=lambda row: (
            times[row] is not None, 0 if times[row] is None else times[row]))

    @staticmethod
    def _need_known(c):
        if not is_known(c):  # S-010, S-011
            raise Unsupported("S-011" if 1 <= c.kind <= 9 else "S-010", f"column {c.ordinal}",
                              f"kind {c.kind}, type {c.type}")

    def _shape(self, stripe, c):
        """The codes of the column's feature: one per unique row."""
        if c.kind not in (LIST, WEIGHTED, SEQUENCE):
            self._need_known(c)
        num_unique = stripe.groups[c.group][1]
        where, lists = f"stripe {stripe.ordinal} shape of column {leader(c)}", is_list(c)
        codes = self._stream(stripe, shape_slot(c), 4 if lists else 1, num_unique, "D-010")  # D-010
        top = max(codes)
        need(top <= (MAX_LIST_CODE if lists else 1), "F-090" if lists else "D-010", where,
             f"code {top}")  # F-090
        need(top == stripe.streams[shape_slot(c)].max, "D-010", where, f"max is not {top}")  # F-061
        return codes

    def _column_records(self, stripe, c):
        """What the records of the column's streams tell by themselves (F-004)."""
        lists, streams = is_list(c), stripe.streams
        shape, num_unique = streams[shape_slot(c)], stripe.groups[c.group][1]
        where = f"stripe {stripe.ordinal} column {c.ordinal}"
        if not is_known(c) and c.kind not in (LIST, WEIGHTED, SEQUENCE):
            return
        need((shape.num_values, shape.width) == (num_unique, 4 if lists else 1), "D-010", where,
             f"{shape.num_values} codes of width {shape.width}")
        need(shape.max <= (MAX_LIST_CODE if lists else 1), "D-010", where, f"code {shape.max}")
        need(shape.form != 1 or shape.constant == shape.max, "D-010", where, "not the greatest code")
        windowed = False
        if is_list(c):
            windows = streams[windows_slot(c)]
            windowed = windows.num_values != 0
            need(windows.num_values in (0, num_unique) and windows.width == 4, "D-013", where,
                 f"{windows.num_values} codes of width {windows.width}")
            need(windows.max == 0 or c.num_tiers, "D-014", where, f"reach {windows.max}, no tiers")
        if not is_known(c):
            return
        for slot in tier_slots(c):
            need(streams[slot].width == TYPE_WIDTH[c.type], "F-061", where,
                 f"values of width {streams[slot].width}")
        greatest = (shape.max - 1 if lists else c.fixed_length or 1) if shape.max else 0
        most, found = num_unique * greatest, sum(streams[slot].num_values for slot in tier_slots(c))
        least = most if shape.form == 1 and not windowed else greatest
        need(least <= found <= most, "D-013" if windowed else "D-011", where,
             f"{found} values, the shape allows {least} to {most}")

    def dictionary(self, stripe, i):
        slot = self._dictionary_slot(i)
        return self._stream(stripe, slot, self.id_spaces[i].width,
                            stripe.streams[slot].num_values, "F-074")  # F-074, E-051

    def _shared(self, stripe, c):  # E-051
        """What the codes of the column refer to: a function from the width to values, or None."""
        source = self._source(stripe, values_slot(c))
        if source is None:
            return None if c.id_space == NONE16 else (lambda width: self.dictionary(stripe, c.id_space))
        ordinal, space = source
        own = None if space < 0 else lambda width: self.dictionary(stripe, space)
        slot = values_slot(self.columns[ordinal])
        return lambda width: self._stream(
            stripe, slot, width, stripe.streams[slot].num_values, "F-066", own)

    def _nodes(self, stripe, slot):
        """Decodes the nodes of a stream by itself, with any dictionary of the right size."""
        if any(not is_known(c) and (slot in tier_slots(c) or slot in (
                shape_slot(c), windows_slot(c)) and c.kind not in (LIST, WEIGHTED, SEQUENCE))
               for c in self.columns):
            return  # S-010, S-011
        spaces = [c.id_space for c in self.columns if slot in tier_slots(c) and c.id_space != NONE16]
        s, ids = stripe.streams[slot], None
        source = self._source(stripe, slot)
        if spaces or source:
            size = stripe.streams[values_slot(self.columns[source[0]]) if source else
                                  self._dictionary_slot(spaces[0])].num_values
            self.budget.spend(size, f"slot {slot}")
            ids = [0] * size
        if s.form > 1:
            try:
                self._stream(stripe, slot, s.width, s.num_values, "E-001",
                             None if ids is None else lambda width: ids)
            except Unsupported as error:
                self._first_values(stripe, slot, error.before)
                raise

    def _first_values(self, stripe, slot, values):
        """What is wrong with values in front of a node of an unknown encoding (F-004)."""
        where = f"stripe {stripe.ordinal} slot {slot}"
        if any(slot == shape_slot(c) for c in self.columns):
            need(max(values, default=0) <= stripe.streams[slot].max, "D-010", where, "a code above max")
        if any(slot in tier_slots(c) and c.type == BOOL and is_known(c) for c in self.columns):
            need(max(values, default=0) <= 1, "S-011", where, "a bool above 1")
        if not self._index_slot(1) <= slot < self._index_slot(len(self.groups)):
            return
        g = slot - self._index_slot(0)
        form, num_unique = stripe.groups[g]
        if form in (1, 6):
            need(min(values, default=1) >= 1, "D-001", where, "a run of length 0")
        if form == 2:
            need(max(values, default=0) <= 1 and values[:1] != [0], "D-001", where, "no bits")
        begin = end = len(values)
        if form == 4:
            begin = stripe.groups[self.groups[g].parent][1]
            end = begin + max(0, stripe.streams[slot].num_values - begin) // 2
            rows, gaps = list(accumulate(values[begin:end])), values[begin + 1:end]
            need(max(rows, default=0) < stripe.num_rows, "D-001", where, "an exception of no row")
            need(min(gaps, default=1) >= 1, "D-001", where, "two exceptions of one row")
        if form in (3, 4):
            need(max(values[:begin] + values[end:], default=0) < num_unique, "D-001", where,
                 f"a unique row beyond {num_unique}")

    def _column(self, stripe, c, raw_bits):
        """The value of each unique row of the column's group."""
        codes, where = self._shape(stripe, c), f"stripe {stripe.ordinal} column {c.ordinal}"
        self._need_known(c)
        step, listed = c.fixed_length or 1, is_list(c)
        sizes = [(code - 1 if listed else step) if code else 0 for code in codes]
        shared = self._shared(stripe, c)
        starts, chains, count = self._starts(stripe, c, sizes, where)
        need(stripe.streams[values_slot(c)].width == TYPE_WIDTH[c.type], "F-061", where,
             f"width {stripe.streams[values_slot(c)].width}")
        entries = self._entries(stripe, c, sizes, starts, chains, count, shared, where)
        need(c.type != BOOL or not entries or max(entries) <= 1, "S-011", where, "a bool above 1")
        entries, values, at = typed(entries, c.type, raw_bits), [], 0
        for k, (code, size) in enumerate(zip(codes, sizes)):
            if code == 0:
                values.append(None)
                continue
            at = at if starts is None else starts[k]
            part = entries[at:at + size]
            at += size
            if c.type == BYTES:
                values.append(bytes(part))
            else:
                values.append(part if listed or c.kind == EMBEDDING else part[0])
        return values

    def _starts(self, stripe, c, sizes, where):
        """Where the entries of each unique row start, None for one after another; the chains of
        the pool; its size."""
        slots = tier_slots(c)
        windows = stripe.streams[windows_slot(c)] if is_list(c) else None
        top = windows.max if windows else 0
        need(top == 0 or c.num_tiers, "D-014", where, f"reach {top} without tiers")  # D-014
        need(top or not any(stripe.streams[slot].num_values for slot in slots[1:]), "D-014", where,
             "a tier is not empty")
        need(windows is None or windows.width == 4, "D-013", where, "width of the windows")
        if windows is None or windows.num_values == 0:  # D-011
            return None, (), sum(sizes)
        self.budget.spend(sum(sizes), where)  # Windows overlap: few entries may be many lists.
        codes = self._stream(stripe, windows_slot(c), 4, len(sizes), "D-013")  # D-013
        starts, chains = place_windows(codes, sizes, where)
        count, found = chains[-1][1] if chains else 0, sum(
            stripe.streams[slot].num_values for slot in slots)
        need(count == found, "D-013", where, f"windows of {count} values, the pool has {found}")
        need(count <= MAX_VALUES, "F-090", where, f"a pool of {count} values")  # F-090
        return starts, chains, count

    def _entries(self, stripe, c, sizes, starts, chains, count, shared, where):
        """The values streams of a column, put together from its tiers (D-014)."""
        width = TYPE_WIDTH[c.type]
        top = stripe.streams[windows_slot(c)].max if is_list(c) else 0
        if top == 0:
            return self._stream(stripe, values_slot(c), width, count,
                                "D-011" if starts is None else "D-013", shared)  # D-011, D-013
        newest_first, reach = c.flags & 1, 0
        for size, start in zip(sizes, starts):
            if size:
                begin, end = chains[bisect_right(chains, (start, MAX_VALUES + 1)) - 1]
                reach = max(reach, start - begin if newest_first else end - start - size)
        need(top == reach + 1, "D-014", where, f"max is {top}, the reach {reach}")
        bounds = [0] + [16 << k for k in range(1, c.num_tiers)] + [count]
        pool = [0] * count
        for tier, slot in enumerate(tier_slots(c)):
            at = []
            for begin, end in chains:
                low, high = (min(b, end - begin) for b in bounds[tier:tier + 2])
                at += range(begin + low, begin + high) if newest_first else range(
                    end - high, end - low)
            for place, value in zip(at, self._stream(stripe, slot, width, len(at), "D-014",
                                                     shared)):
                pool[place] = value
        return pool

    def rows(self, column_names=None, raw_bits=False):
        """Yields one dict per row: column name -> value, None where missing. By default of all columns
        whose kind and type are known (S-010, S-011).

        With raw_bits a float is the integer of its bits; without, a signalling float32 NaN may be
        quieted by Python.
        """
        by_name = {c.name: c for c in self.columns}
        columns = [c for c in self.columns if is_known(c)] if column_names is None else [
            by_name[n] for n in column_names]
        for stripe in self.stripes:
            indexes = {g: self.index(stripe, g) for g in {c.group for c in columns}}
            values = [(c.name, self._column(stripe, c, raw_bits), indexes[c.group])
                      for c in columns]
            deleted = self.is_deleted(stripe)
            for row in range(stripe.num_rows):
                if not deleted[row]:
                    yield {name: unique[index[row]] for name, unique, index in values}

    def verify(self):
        """Decodes everything."""
        for _ in self.decode():
            pass

    def decode(self):
        """Yields every stripe with its indexes by group and, by column, the values of its unique
        rows, floats as bits. Damage anywhere is preferred over what is merely unsupported, which is
        raised at the end."""
        unsupported = None

        def tried(check, *arguments):
            nonlocal unsupported
            try:
                return check(*arguments)
            except Unsupported as error:
                unsupported = unsupported or error
                return None
        for c in self.columns:
            tried(self._need_known, c)
        for s in self.stripes:
            needed = self._needed(s)
            indexes = []
            for g in range(len(self.groups)):
                whole = s.groups[g][0] not in (4, 5, 6) or g in needed  # F-004
                indexes.append(tried(self.index, s, g) if whole else
                               tried(self._index, s, g, None))
            for i in range(len(self.id_spaces)):
                tried(self.dictionary, s, i)
            columns = [tried(self._column, s, c, True) for c in self.columns]
            tried(self.is_deleted, s)
            self._check_statistics(s, indexes, columns)
            yield s, indexes, columns
            for slot in range(len(s.streams) if unsupported else 0):  # F-004
                tried(self._nodes, s, slot)
            for c in self.columns if unsupported else ():  # F-004
                self._column_records(s, c)
        if unsupported:
            raise unsupported

    def _check_statistics(self, stripe, indexes, columns):  # F-083
        for ordinal, of_stripes in self.statistics.items():
            unique, index = columns[ordinal], indexes[self.columns[ordinal].group]
            if unique is None or index is None and None in unique:
                continue  # Unsupported.
            found = statistics_of(self.columns[ordinal].type, unique, index)
            need(found == of_stripes[stripe.ordinal], "F-083",
                 f"statistics of stripe {stripe.ordinal} column {ordinal}",
                 f"{of_stripes[stripe.ordinal]}, the values say {found}")

    def _needed(self, stripe):
        """Groups whose indexes say where the values of known columns stand (F-004)."""
        needed = set()
        for c in self.columns:
            g = c.group if is_known(c) else 0
            needed.add(g)
            while g and stripe.groups[g][0] in (4, 5, 6):
                g = self.groups[g].parent
                needed.add(g)
        return needed

    def readable(self):
        """Names of the columns that need nothing newer than this decoder in any stripe."""
        names = []
        for c in self.columns:
            try:
                self._need_known(c)
                for s in self.stripes:
                    self.index(s, c.group)
                    self._column(s, c, True)
                names.append(c.name)
            except Unsupported:
                pass
        return names


def zigzag(code):  # D-005
    return code >> 1 if code % 2 == 0 else -(code + 1 >> 1)


def versions(steps, owners, num_owners, num_unique, where):  # D-005
    """The unique row of each row: those of an owner are its versions, owner after owner."""
    last, counts, version = [0] * num_owners, [0] * num_owners, []
    for owner, step in zip(owners, steps):
        last[owner] += zigzag(step)
        need(0 <= last[owner] <= MAX_VERSION, "D-005", where, f"version {last[owner]}")
        counts[owner] = max(counts[owner], last[owner] + 1)
        version.append(last[owner])
    need(sum(counts) == num_unique, "D-005", where, f"{sum(counts)} versions, not {num_unique}")
    before = [0, *accumulate(counts)]
    rows = [before[owner] + v for owner, v in zip(owners, version)]
    used = len(set(rows))
    need(used == num_unique, "D-002", where, f"{used} of {num_unique} are used")  # D-002
    return rows


def place_windows(codes, sizes, where):  # D-013
    """Where the entries of each unique row start, and the chains of the pool."""
    starts, begins = [], []
    low = end = start = 0  # Windows have filled [low, end) of the newest chain.
    for code, size in zip(codes, sizes):
        if size == 0:
            need(code == 0, "D-013", where, f"code {code} of a row without entries")
        elif code % 2 == 0:
            need(not begins or low == begins[-1], "D-013", where, "a chain is not filled")
            begins.append(end)
            start = low = end + code // 2
            end = start + size
        else:
            start += zigzag((code - 1) // 2)
            chain = bisect_right(begins, start) - 1
            need(chain >= 0, "D-013", where, f"a window at {start} is in no chain")
            if chain + 1 < len(begins):
                need(start + size <= begins[chain + 1], "D-013", where,
                     f"the window at {start} of {size} leaves its chain")
            else:
                need(start < end and start + size > low, "D-013", where,
                     f"the window at {start} shares nothing with its chain")
                low, end = min(low, start), max(end, start + size)
        starts.append(start)
    need(not begins or low == begins[-1], "D-013", where, "the last chain is not filled")
    return starts, list(zip(begins, begins[1:] + [end]))


def values_slot(c):  # F-076
    return 3 * c.ordinal


def shape_slot(c):  # F-076
    return 3 * leader(c) + 1


def windows_slot(c):  # F-076
    return 3 * leader(c) + 2


def leader(c):  # F-070
    return c.ordinal - c.place


def feature_id(c):  # F-070
    return (c.id_less_hash + name_hash(c.feature_name)) % 2**64


def may_have_windows(c):  # D-013
    return is_list(c) or not is_known(c)


def tier_slots(c):
    """D-014: the slots of a column's values, that of the values stream first."""
    return [values_slot(c)] + list(range(c.tiers_slot, c.tiers_slot + max(c.num_tiers - 1, 0)))


def is_known(c):  # S-010, S-011
    return 1 <= c.kind <= 9 and c.type in TYPE_WIDTH


def is_list(c):  # D-010
    return c.kind in (LIST, WEIGHTED, SEQUENCE) or c.type == BYTES


def shared_fields(c):  # F-079
    return c._replace(place=0, name_offset=0, name_size=0, name="", ordinal=0, default_bits=0,
                      flags=c.flags & 3, stored_bytes=0, num_values=0, id_space=0, tiers_slot=0,
                      type=0)


def typed(entries, kind, raw_bits):  # S-011
    if kind == BOOL:
        return [bool(v) for v in entries]
    if kind in SIGNED:
        top = 1 << 8 * TYPE_WIDTH[kind]
        return [v - top if v >= top // 2 else v for v in entries]
    if kind in FLOATS and not raw_bits:
        form, width = ("<f", 4) if kind == 10 else ("<d", 8)
        return [struct.unpack(form, v.to_bytes(width, "little"))[0] for v in entries]
    return entries


def main():
    parser = argparse.ArgumentParser(description="Reference decoder of dsi files.")
    parser.add_argument("file")
    parser.add_argument("--verify", action="store_true", help="print nothing, only check")
    parser.add_argument("--raw-bits", action="store_true", help="floats as hex bit patterns")
    options = parser.parse_args()
    try:
        with open(options.file, "rb") as f:
            file = File(f.read())
        names, code = None, 0
        try:
            file.verify()
        except Unsupported as error:  # It concerns the columns that need it.
            print(f"unsupported: {error}", file=sys.stderr)
            names, code = file.readable(), 2
        if options.verify:
            return code
        digits = {c.name: 2 * TYPE_WIDTH[c.type] for c in file.columns if c.type in FLOATS}
        for row in file.rows(names, raw_bits=options.raw_bits):
            for name, value in list(row.items()):
                if value is None:
                    del row[name]
                elif isinstance(value, bytes):
                    row[name] = value.decode("utf-8", "surrogateescape")
                elif options.raw_bits and name in digits:
                    form = f"0x{{:0{digits[name]}x}}".format
                    row[name] = [*map(form, value)] if isinstance(value, list) else form(value)
            print(json.dumps(row))
        return code
    except Damage as error:
        print(f"damage: {error}", file=sys.stderr)
        return 1
    except Unsupported as error:
        print(f"unsupported: {error}", file=sys.stderr)
        return 2
    except Exhausted as error:
        print(f"over the budget of this decoder: {error}", file=sys.stderr)
        return 4
    except OSError as error:
        print(f"cannot read: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())

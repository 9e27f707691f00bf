"""format.md §2 to §6 and §9: seals, header, trailer, sealed tables, core footer and sections."""

from __future__ import annotations

import json
import math
import struct
from itertools import accumulate

import xxhash

from dsi_footer import Footer, TableRef
from dsi_nodes import Budget, Damage, Unsupported, blocks_of, need, node, pad8
from dsi_records import (
    BUDGET, COMPRESSED, DENSE, EMBEDDING, END_MAGIC, FLOATS, HEADER_SIZE, IN_BLOCKS, KINDS_IN_BLOCKS,
    KNOWN_SECTIONS, LIST, MAGIC, MAX_METADATA, REQUIRED, SEAL_BLOCK, SEAL_FOOTER, SEAL_HEADER,
    SEAL_SEALS, SEAL_SECTION, SEAL_TRAILER, SEQUENCE, TRAILER_SIZE, WEIGHTED, is_known, seal)
from dsi_statistics import read_statistics


class Container:
    """A file whose `data` is proven from its ends inwards."""

    @classmethod
    def parts_of(cls, data):
        """Proves header and trailer alone, and the seal of the core footer."""
        file = cls.__new__(cls)
        file.data, file.extents = data, []
        try:
            file._read_ends()
        except Unsupported:
            pass

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

    def _read_ends(self):
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
        return footer, minor

    def _read_header_and_trailer(self):
        footer, minor = self._read_ends()
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
                need(s.size or s.offset == 0, "F-080", what, f"empty, but at {s.offset}")
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
            type(self).parts_of(self.data[:end])
        except Damage as error:
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

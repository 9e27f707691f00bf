"""format.md §7: stripes, their groups, streams and pages."""

from __future__ import annotations

import struct

from dsi_directory import Directory
from dsi_nodes import blocks_of, need
from dsi_records import (
    COMPRESSED, HEADER_SIZE, MAX_PAGE, MAX_PAGE_VALUES, MAX_ROWS, MAX_VALUES, NONE16, SEAL_PAGE,
    TIMESTAMP, Page, Stream, Stripe, may_have_windows, seal, shape_slot, tier_slots, values_slot,
    windows_slot)


class Stripes(Directory):
    """… and where it lies."""

    def _read_stripes(self):
        footer, self.stripes, row, position = self.footer, [], 0, HEADER_SIZE
        self._check_sessions(footer)
        for i, ref in enumerate(footer.stripes):  # F-051
            what = f"stripe {i}"
            need(ref.first_row == row, "F-051", what, f"first_row {ref.first_row}, not {row}")
            need(1 <= ref.num_rows, "F-051", what, "no rows")
            need(ref.num_rows <= MAX_ROWS, "F-052", what, f"{ref.num_rows} rows")  # F-052, F-090
            need(ref.flags <= (i > 0), "F-051", what, f"flags {ref.flags:#x}")
            # Rows that do not continue a session start one.
            need(1 - ref.flags <= ref.num_sessions <= ref.num_rows - ref.flags if
                 footer.num_sessions else ref.num_sessions == ref.flags == 0, "F-051", what,
                 f"{ref.num_sessions} sessions")
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

    def _check_sessions(self, footer):  # F-051
        if not footer.stripes:
            return
        keys = [self.columns[k] for k in footer.cluster_keys]
        if keys and keys[-1].kind == TIMESTAMP:
            keys.pop()
        elif len(keys) == 1 and keys[0].kind not in range(1, 10):
            return  # It may be a time.
        need(bool(keys) == bool(footer.num_sessions), "F-051", "core footer",
             f"{footer.num_sessions} sessions, {len(keys)} keys")

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
                need(s.size % 8 == 0 and s.size >= 16, "F-061", here, f"a node of {s.size} bytes")
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

"""format.md §10 and §11: indexes, shapes and values of a stripe, by encodings.md."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from dsi_nodes import Unsupported, need, node
from dsi_records import (
    BOOL, BYTES, EMBEDDING, LIST, MAX_LIST_CODE, MAX_VALUES, MAX_VERSION, NONE16, SEQUENCE,
    TIMESTAMP, TYPE_WIDTH, WEIGHTED, is_known, is_list, leader, shape_slot, tier_slots, typed,
    values_slot, windows_slot)
from dsi_stripes import Stripes


class Values(Stripes):
    """… and what each unique row has."""

    def _stream(self, stripe, slot, width, count, rule, dictionary=None):
        """The values of a stream that must hold `count` values of `width` bytes."""
        s, where = stripe.streams[slot], f"stripe {stripe.ordinal} slot {slot}"
        need(s.num_values == count, rule, where, f"{s.num_values} values, expected {count}")
        need(s.width == width, rule if s.form else "F-061", where,
             f"width {s.width}, expected {width}")
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
        rows = unsupported = None
        for g in reversed(self._chain(stripe, g)):
            try:
                rows = self._index(stripe, g, rows)
            except Unsupported as error:
                unsupported, rows = error, None
        if unsupported:
            raise unsupported
        return rows

    def _chain(self, stripe, g):
        """The group, and the parents that it is put together with, the nearest first."""
        chain = [g]
        while stripe.groups[chain[-1]][0] in (4, 5, 6):  # F-073: parents have lower ordinals.
            chain.append(self._parent(stripe, chain[-1]))
        return chain

    def _parent(self, stripe, g):
        """The parent of a group whose form needs one."""
        parent = self.groups[g].parent
        need(parent, "D-001", f"stripe {stripe.ordinal} group {g}", "no parent")
        return parent

    def _index(self, stripe, g, parent_rows):
        form, num_unique = stripe.groups[g]
        where, slot = f"stripe {stripe.ordinal} group {g}", self._index_slot(g)
        n = stripe.num_rows
        if form > 6:  # D-001
            raise Unsupported("D-001", where, f"form {form}")
        self.budget.spend(n, where)
        if form == 0:
            if g:
                self._stream(stripe, slot, stripe.streams[slot].width, 0, "D-001")
            return list(range(n))
        if form == 1:
            lengths = self._stream(stripe, slot, 4, num_unique, "D-001")
            need(min(lengths) >= 1, "D-001", where, "a run of length 0")
            need(sum(lengths) == n, "D-001", where, f"runs of {sum(lengths)} rows, not {n}")
            return [k for k, length in enumerate(lengths) for _ in range(length)]
        num_owners = stripe.groups[self._parent(stripe, g)][1] if form in (4, 5, 6) else 0
        if form == 4:
            return self._via_parent(stripe, slot, num_owners, num_unique, parent_rows, where)
        if form == 6:
            return self._as_of(stripe, g, num_unique, parent_rows, where)
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

    def _as_of(self, stripe, g, num_unique, owners, where):  # D-006
        forms = [stripe.groups[k][0] for k in self._chain(stripe, g)]
        # Of an owner of an unknown form nobody knows what it needs.
        time = self._time_column(stripe) if max(forms) <= 6 else None
        counts = self._stream(stripe, self._index_slot(g), 4, num_unique, "D-001")
        need(min(counts) >= 1, "D-006", where, "a unique row of no row")
        need(sum(counts) == stripe.num_rows, "D-006", where, f"{sum(counts)} rows in all")
        if owners is None:
            return None
        rows = sorted(self._rows_in_time(stripe, time), key=owners.__getitem__)  # Stable.
        index, at = [0] * len(rows), 0
        for unique, count in enumerate(counts):
            need(owners[rows[at]] == owners[rows[at + count - 1]], "D-006", where,
                 f"unique row {unique} is of two owners")
            for row in rows[at:at + count]:
                index[row] = unique
            at += count
        return index

    def _time_column(self, stripe):
        """What records tell of it; one of an unknown kind may tell a time (F-004)."""
        c = self.columns[self.cluster_keys[-1]] if self.cluster_keys else None
        if c is not None and not is_known(c):
            return c
        need(c is not None and c.kind == TIMESTAMP, "D-006", f"stripe {stripe.ordinal}",
             "no time column")
        need(c.id_space == NONE16, "D-006", f"stripe {stripe.ordinal}", "time of an id space")
        g = c.group
        while stripe.groups[g][0] in (4, 5, 6):
            need(stripe.groups[g][0] != 6, "D-006", f"stripe {stripe.ordinal}",
                 "the time is told by time")
            g = self.groups[g].parent
        return c

    def _rows_in_time(self, stripe, c):
        self._need_known(c)
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
        for slot in tier_slots(c):
            need(stripe.streams[slot].width == TYPE_WIDTH[c.type], "F-061", where,
                 f"width {stripe.streams[slot].width}")
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

"""format.md §8: columns, groups, id spaces and their names."""

from __future__ import annotations

import struct

from dsi_container import Container
from dsi_nodes import Damage, need
from dsi_records import (
    BOOL, BYTES, EMBEDDING, FLOATS, INTEGERS, KEY, LIST, MAX_COLUMNS, MAX_GROUP_CHAIN, MAX_SLOTS,
    NONE16, NONE32, SEQUENCE, STRING, TIMESTAMP, TYPE_WIDTH, WEIGHTED, Column, Group, IdSpace,
    feature_id, is_known, leader, may_have_windows, name_hash, shape_slot, shared_fields,
    tier_slots, values_slot, windows_slot)


class Directory(Container):
    """… and what it holds."""

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
                need(dotted if c.kind in (WEIGHTED, SEQUENCE) or n > 1 else
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
        need(c.time_unit == 0 or c.kind in (TIMESTAMP, LIST, SEQUENCE) and c.type == 5
             and not c.flags & 8, "S-012", what, f"time unit {c.time_unit}")
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

#!/usr/bin/env python3
"""A tiny encoder of dsi files, written from the specification alone; for examples and tests.

    python build_example.py smallest > smallest.dsi
    python build_example.py three > three.dsi
    python build_example.py alias > alias.dsi

A file is made of `Range`s, each a run of named fields, so that it can be explained byte by byte.
"""

from __future__ import annotations

import json
import struct
import sys
from collections import namedtuple

import xxhash

import encode_nodes

NONE16, NONE32 = 0xFFFF, 0xFFFFFFFF
KINDS = {name: i + 1 for i, name in enumerate(
    "dense list weighted sequence embedding label key timestamp string".split())}
TYPES = {"bool": (1, 1), "int8": (2, 1), "int16": (3, 2), "int32": (4, 4), "int64": (5, 8),
         "uint8": (6, 1), "uint16": (7, 2), "uint32": (8, 4), "uint64": (9, 8),
         "float32": (10, 4), "float64": (11, 8), "bytes": (12, 1)}

Col = namedtuple("Col", "name kind type group feature id_space time_unit fixed_length flags "
                 "default tiers", defaults=(0, None, None, 0, 0, 0, 0, 0))
Grp = namedtuple("Grp", "name source owner parent", defaults=(1, None, 0))
Ids = namedtuple("Ids", "name width")
# `groups`: per group but the first (form, num_unique, index values). `columns`: name -> one entry
# per unique row: None, a raw value, or a list of them. `nodes`: column name, (feature name,
# "shape" or "windows"), ("tier", column name, k), ("index", group) or ("ids", id space) -> encoder of its nodes,
# (encoder, "paged"), Alias(one of these keys), or Source(column name, encoder or that pair).
# `windows`: feature name -> one start per unique
# row; the pools of its columns are made from them, 0 where no window reaches.
Rows = namedtuple("Rows", "num_rows columns groups nodes ids num_sessions flags windows",
                  defaults=((), {}, {}, None, 0, {}))
Alias = namedtuple("Alias", "key")
Source = namedtuple("Source", "column encoder")
Range = namedtuple("Range", "what fields")
Field = namedtuple("Field", "data name")

TABLE_REF = (("offset", 8), ("record_size", 4), ("count", 4), ("seal", 8))
HEADER = (("magic", 8), ("major", 2), ("minor", 2), ("header_size", 4), ("salt", 8),
          ("reserved", 32))
TRAILER = (("footer_offset", 8), ("footer_size", 4), ("major", 2), ("minor", 2), ("compat", 8),
           ("read_only_compat", 8), ("incompat", 8), ("file_size", 8), ("footer_seal", 8),
           ("salt", 8))
GROUP_RECORD = (("form", 4), ("num_unique", 4))
STREAM_RECORD = (("num_values", 8), ("constant", 8), ("first_page", 4), ("num_pages", 4),
                 ("offset_in_page", 4), ("size", 4), ("width", 1), ("form", 1), ("reserved", 2),
                 ("max", 4))
PAGE_RECORD = (("offset", 8), ("stored_size", 4), ("num_values", 4), ("seal", 8))
COLUMN_RECORD = (
    ("id_less_hash", 8), ("default_bits", 8), ("stored_bytes", 8), ("num_values", 8),
    ("name_offset", 4), ("name_size", 2), ("feature_name_size", 2), ("place", 2),
    ("num_columns", 2), ("group", 4), ("max_length", 4), ("fixed_length", 4), ("tiers_slot", 4),
    ("id_space", 2), ("num_tiers", 1), ("reserved", 1), ("kind", 1), ("type", 1), ("flags", 1),
    ("time_unit", 1), ("reserved_2", 4))
NAME_INDEX_RECORD = (("hash", 4), ("column", 4))
DIRECTORY_GROUP = (("name_offset", 4), ("name_size", 2), ("source", 1), ("reserved", 1),
                   ("owner", 4), ("num_columns", 4), ("parent", 4), ("reserved_2", 4))
ID_SPACE_RECORD = (("name_offset", 4), ("name_size", 2), ("width", 1), ("reserved", 1))
STRIPE_REF = (("first_row", 8), ("num_rows", 4), ("num_sessions", 4), ("flags", 4),
              ("reserved", 4), ("data_offset", 8), ("data_size", 8)) + tuple(
                  (f"{t}.{n}", s) for t in ("groups", "streams", "pages") for n, s in TABLE_REF)
SECTION_REF = (("kind", 4), ("flags", 4), ("offset", 8), ("size", 8), ("seal", 8))
TABLES = ("columns", "name_index", "names", "groups", "id_spaces")


def seal(data, kind, offset, salt):  # F-010
    seed = salt ^ (offset * 0x9E3779B97F4A7C15 % 2**64) ^ (kind << 56)
    return xxhash.xxh3_64_intdigest(data, seed)


def name_hash(name):
    return xxhash.xxh3_64_intdigest(name.encode(), 0)


def zigzag(step):  # D-005
    return 2 * step if step >= 0 else -2 * step - 1


def window_codes(entries, starts):  # D-013
    codes, end, last = [], 0, 0
    for e, start in zip(entries, starts or ()):
        if not e:
            codes.append(0)
            continue
        codes.append(2 * (start - end) if start >= end else 2 * zigzag(start - last) + 1)
        end, last = max(end, start + len(e)), start
    return codes


def chains_of(entries, starts, codes):  # D-014
    """The parts of a pool that tiers are counted in, and the length of the pool."""
    begins, end = [], 0
    for e, start, code in zip(entries, starts, codes):
        if e:
            begins += [end] if code % 2 == 0 else []
            end = max(end, start + len(e))
    return list(zip(begins, begins[1:] + [end]))


def reach_of(entries, starts, chains, newest_first):  # D-014
    reach = 0
    for e, start in zip(entries, starts):
        if e:
            begin, end = next(c for c in chains if c[0] <= start < c[1])
            reach = max(reach, start - begin if newest_first else end - start - len(e))
    return reach


def tier_values(pool, chains, num_tiers, newest_first):  # D-014
    tiers = [[] for _ in range(num_tiers)]
    for begin, end in chains:
        for place in range(begin, end):
            distance = place - begin if newest_first else end - 1 - place
            tiers[min((distance // 32).bit_length(), num_tiers - 1)].append(pool[place])
    return tiers


def fields(layout, record):
    return [Field(record.get(name, 0).to_bytes(size, "little") if not isinstance(
        record.get(name, 0), bytes) else record[name], name) for name, size in layout]


def joined(parts):
    return b"".join(part.data for part in parts)


class Builder:
    """Lays a file out from front to back. `edit(what, value)` may replace any part before it is
    sealed: the tests make broken files with valid seals that way.

    `older`: another Builder, whose file this one is appended to; the pages of its first `kept` stripes
    are those of this one's (F-033, F-034).
    """

    def __init__(self, columns, stripes, groups=(), id_spaces=(), metadata=None, sections=(),
                 cluster_keys=(), salt=0x0123456789ABCDEF, page_values=1024, writer=b"example",
                 minor=0, tuning=0, unknown=0, edit=None, compress=None, older=None, kept=0, compat=0,
                 before=None):
        # F-050: without a cluster key, but for a last time, there are no sessions.
        has_sessions = any(i + 1 < len(cluster_keys) or columns[key].kind != "timestamp"
                           for i, key in enumerate(cluster_keys))
        stripes = [s if s.num_sessions is not None else s._replace(
            num_sessions=int(has_sessions)) for s in stripes]
        self.columns, self.rows, self.salt, self.page_values = columns, stripes, salt, page_values
        self.unknown = unknown  # Bytes that a newer version added to each record (F-041).
        self.compress = compress  # An encoder for blocks of tables and shared pages (F-042, F-065).
        self.edit, self.ranges, self.size = edit or (lambda what, value: value), [], 0
        self.groups, self.id_spaces = [Grp("", 0)] + list(groups), list(id_spaces)
        self.heap, self.places = b"", {}
        self._slots()
        self.parts, self.older, self.kept = [], older, kept
        if older is None:
            self._header(minor, salt)
        else:
            self._add("older file", [Field(older.bytes(), "as it was")])
            sections = list(sections) + [(5, 0, struct.pack("<Q", before(self.size) if before else self.size))]
        self.totals = {c.name: [0, 0] for c in columns}
        stripes = [self._pages(i, rows) for i, rows in enumerate(self.rows)]
        self.parts = stripes
        refs = [self._stripe_tables(i, *parts) for i, parts in enumerate(stripes)]
        first = 0
        for ref, rows in zip(refs, self.rows):
            ref.update(first_row=first, num_rows=rows.num_rows, num_sessions=rows.num_sessions,
                       flags=rows.flags)
            first += rows.num_rows
        footer = self._directory()
        if metadata is not None:
            sections = [(1, 0, json.dumps(metadata).encode())] + list(sections)
        footer.update(
            num_rows=first, num_sessions=sum(r.num_sessions for r in self.rows),
            num_features=len(self.leaders), num_slots=self.num_slots, page_values=page_values,
            cluster_keys=list(cluster_keys), stripes=refs,
            sections=[self._section(*s) for s in sections], writer=writer, tuning=tuning)
        at = self.size
        footer = self._footer(self.edit("footer", footer))
        end = self._add("core footer", footer)
        tail = dict(footer_offset=at, footer_size=end - at, major=1, minor=minor, compat=compat,
                    file_size=end + 80, footer_seal=seal(joined(footer), 6, at, salt), salt=salt)
        tail = fields(TRAILER, self.edit("trailer", tail))
        tail.append(Field(struct.pack("<Q", seal(joined(tail), 7, end, 0)), "seal"))
        self._add("trailer", tail + [Field(b"DSI!\r\n\x1a\n", "magic")])

    def _header(self, minor, salt):
        head = self.edit("header", dict(magic=b"\x89DSI\r\n\x1a\n", major=1, minor=minor,
                                        header_size=64, salt=salt))
        head = fields(HEADER, head)
        self._add("header", head + [Field(struct.pack("<Q", seal(joined(head), 1, 0, 0)), "seal")])

    def bytes(self):
        return b"".join(joined(r.fields) for r in self.ranges)

    def _add(self, what, parts):
        self.ranges.append(Range(what, parts))
        self.size += len(joined(parts))
        return self.size

    def _slots(self):  # F-076
        self.leaders, self.slot = {}, {}
        for i, c in enumerate(self.columns):
            feature = c.feature or c.name
            if feature not in self.leaders:
                self.leaders[feature] = i
                self.slot[feature, "shape"], self.slot[feature, "windows"] = 3 * i + 1, 3 * i + 2
            self.slot[c.name] = 3 * i
        next_slot = 3 * len(self.columns)
        keys = [("ids", i) for i in range(len(self.id_spaces))]
        keys += [("index", i) for i in range(1, len(self.groups))]
        keys += [("tier", c.name, k) for c in self.columns for k in range(1, c.tiers)]
        self.slot.update((key, next_slot + i) for i, key in enumerate(keys))
        self.num_slots = next_slot + len(keys)

    def _name(self, name):  # F-071
        if name not in self.places:
            self.places[name] = len(self.heap)
            self.heap += name.encode()
        return dict(name_offset=self.places[name], name_size=len(name.encode()))

    def _table(self, what, layout, records, per_record=1):  # F-040
        """Writes a sealed table, `per_record` of the records to one of its own (F-061); returns
        its descriptor."""
        records = self.edit(what, records)
        record_size = per_record * sum(size for _, size in layout) + self.unknown if layout else 1
        if not records:
            return dict(offset=0, record_size=record_size, count=0, seal=0)
        parts = [] if layout else [Field(records, "names")]
        for i, r in enumerate(records if layout else ()):
            parts += [f._replace(name=f"[{i}].{f.name}") for f in fields(layout, r)]
            if self.unknown and (i + 1) % per_record == 0:
                parts.append(Field(b"\xa5" * self.unknown, f"[{i}].unknown"))
        count = len(records) // per_record
        padding = bytes(-len(joined(parts)) % 8)
        if padding:
            parts.append(Field(padding, "padding"))
        at, step, used = self.size, 4096 // record_size * record_size, count * record_size
        if self.compress:
            return self._compressed_table(what, joined(parts)[:used], record_size, step)
        body = joined(parts)
        seals = b""
        for i in range(0, used, step):
            block = body[i:] if i + step >= used else body[i:i + step]
            seals += struct.pack("<Q", seal(block, 3, at + i, self.salt))
            parts.append(Field(seals[-8:], f"seal of block {i // step}"))
        self._add(what, parts)
        return dict(offset=at, record_size=record_size, count=count,
                    seal=seal(seals, 4, at + len(body), self.salt))

    def _compressed_table(self, what, records, record_size, step):  # F-042
        blocks = [records[i:i + step] for i in range(0, len(records), step)]
        contents = [[b for k in range(record_size) for b in block[k::record_size]]
                    for block in blocks]
        nodes = [min(self.compress(content, 1), encode_nodes.raw(content, 1), key=len)
                 for content in contents]
        at, entries = self.size, []
        end = at + 16 * len(nodes)
        for node in nodes:
            entries.append((seal(node, 3, end, self.salt), end + len(node)))
            end += len(node)
        entries = self.edit(f"{what} entries", entries)
        head = b"".join(struct.pack("<QQ", *entry) for entry in entries)
        self._add(what, [Field(head, "entries")] + [Field(node, "block") for node in nodes])
        return dict(offset=at, record_size=record_size | 2**31, count=len(records) // record_size,
                    seal=seal(head, 4, at, self.salt))

    def _streams(self, rows):
        """Yields (slot key, width, values, greatest code, columns to charge) of a stripe."""
        for c in self.columns:
            entries, feature = rows.columns[c.name], c.feature or c.name
            listed = c.kind in ("list", "weighted", "sequence") or c.type == "bytes"
            if self.columns[self.leaders[feature]] is c:
                codes = [0 if e is None else len(e) + 1 if listed else 1 for e in entries]
                yield (feature, "shape"), 4 if listed else 1, codes, max(codes), c.name  # D-010
            starts, values, top = rows.windows.get(feature), [], 0
            codes = window_codes(entries, starts)
            if starts and c.tiers:  # D-014
                chains = chains_of(entries, starts, codes)
                top = 1 + reach_of(entries, starts, chains, c.flags & 1)
            if listed and self.columns[self.leaders[feature]] is c:
                yield (feature, "windows"), 4, codes, top, c.name
            if starts:  # D-013
                for start, e in zip(starts, entries):
                    if e:
                        values += [0] * (start + len(e) - len(values))
                        values[start:start + len(e)] = e
                entries = ()
            for e in entries:  # D-011
                values += [] if e is None else list(e) if listed or c.fixed_length else [e]
            tiers = tier_values(values, chains, c.tiers, c.flags & 1) if top else [values] + [
                []] * (c.tiers - 1)
            for k, tier in enumerate(tiers):
                yield ("tier", c.name, k) if k else c.name, TYPES[c.type][1], tier, 0, c.name
        for g, (form, _, index) in enumerate(rows.groups, 1):
            yield ("index", g), 1 if form == 2 else 4, list(index), 0, None
        for i, space in enumerate(self.id_spaces):
            first = next((c.name for c in self.columns if c.id_space == i), None)
            yield ("ids", i), space.width, list(rows.ids.get(i, ())), 0, first

    def _pages(self, stripe, rows):
        """Writes the pages of a stripe; returns what its tables need."""
        streams = [dict(form=0, width=1) for _ in range(-(-self.num_slots // 3) * 3)]  # F-061, F-078
        pages, pack, at = [], b"", self.size
        is_kept = stripe < self.kept
        if is_kept:  # Its pages are there.
            at = self.older.parts[stripe][3]
        paged = []
        for key, width, values, top, charge in self._streams(rows):
            encoder = rows.nodes.get(key)
            record = dict(num_values=len(values), width=width, form=0, max=top)
            stored = 0
            if isinstance(encoder, Source):  # F-066
                c = self.columns[self.slot[encoder.column] // 3]
                space = 0 if c.id_space is None else c.id_space + 1
                record.update(constant=space << 32 | self.slot[encoder.column] // 3 + 1)
                encoder = encoder.encoder
            if isinstance(encoder, Alias):
                record.update(form=4, first_page=self.slot[encoder.key])
            elif values and encoder is None and len(set(values)) == 1:
                record.update(form=1, constant=values[0])
            elif values and len(values) <= self.page_values and not isinstance(encoder, tuple):
                packed = (encoder or encode_nodes.raw)(values, width)
                record.update(form=2, num_pages=1, offset_in_page=len(pack), size=len(packed))
                pack, stored = pack + packed, len(packed)
            elif values:
                encode = encoder[0] if isinstance(encoder, tuple) else encoder or encode_nodes.raw
                chunks = [values[i:i + self.page_values]
                          for i in range(0, len(values), self.page_values)]
                record.update(form=3, first_page=len(paged), num_pages=len(chunks))
                paged += [(encode(chunk, width), len(chunk)) for chunk in chunks]
                stored = sum(len(p) for p, _ in paged[record["first_page"]:])
            if key in self.totals or key[0] == "tier":
                self.totals[charge][0] += len(values)
            if charge:
                self.totals[charge][1] += stored
            streams[self.slot[key]] = record
        if pack:
            for record in streams:
                if record["form"] == 3:
                    record["first_page"] += 1
            if self.compress:
                paged.insert(0, (self.compress(list(pack), 1), 2**31 + len(pack)))
            else:
                paged.insert(0, (pack, 0))
        place = at
        for data, count in self.edit("pages", paged):
            pages.append(dict(offset=place, stored_size=len(data), num_values=count,
                              seal=seal(data, 2, place, self.salt)))
            place += len(data)
            if not is_kept:
                self._add(f"stripe {stripe} page {len(pages) - 1}", [Field(data, "nodes")])
        groups = [dict(form=0, num_unique=rows.num_rows)]
        groups += [dict(form=form, num_unique=n) for form, n, _ in rows.groups]
        return groups, streams, pages, at, place - at

    def _stripe_tables(self, i, groups, streams, pages, at, size):
        ref = dict(data_offset=at, data_size=size)
        for name, layout, records, per_record in (("groups", GROUP_RECORD, groups, 1),
                                                  ("streams", STREAM_RECORD, streams, 3),
                                                  ("pages", PAGE_RECORD, pages, 1)):
            table = self._table(f"stripe {i} {name}", layout, records, per_record)
            ref.update({f"{name}.{k}": v for k, v in table.items()})
        return ref

    def _directory(self):
        columns, index = [], []
        for i, c in enumerate(self.columns):
            feature = c.feature or c.name
            leader = self.leaders[feature]
            members = sum((other.feature or other.name) == feature for other in self.columns)
            num_values, stored = self.totals[c.name]
            columns.append(dict(
                id_less_hash=(leader + 1 - name_hash(feature)) % 2**64, default_bits=c.default,
                stored_bytes=stored, num_values=num_values,
                feature_name_size=len(feature.encode()), place=i - leader, num_columns=members,
                id_space=NONE16 if c.id_space is None else c.id_space, group=c.group,
                fixed_length=c.fixed_length, kind=KINDS[c.kind], type=TYPES[c.type][0],
                flags=c.flags, time_unit=c.time_unit,
                tiers_slot=self.slot.get(("tier", c.name, 1), NONE32), num_tiers=c.tiers,
                **self._name(c.name)))
            index.append((name_hash(c.name) >> 32, i))
            if c.name != feature and leader == i:
                index.append((name_hash(feature) >> 32, i | 2**31))
        groups = [dict(source=g.source,
                       owner=NONE32 if g.owner is None else g.owner,
                       num_columns=sum(c.group == i for c in self.columns), parent=g.parent,
                       **(self._name(g.name) if g.name else {}))
                  for i, g in enumerate(self.groups)]
        spaces = [dict(width=s.width, **(self._name(s.name) if s.name else {}))
                  for s in self.id_spaces]
        index = [dict(hash=h, column=c) for h, c in sorted(index)]
        return {"columns": self._table("columns", COLUMN_RECORD, columns),
                "name_index": self._table("name index", NAME_INDEX_RECORD, index),
                "names": self._table("names", None, self.heap),
                "groups": self._table("groups", DIRECTORY_GROUP, groups),
                "id_spaces": self._table("id spaces", ID_SPACE_RECORD, spaces)}

    def _section(self, kind, flags, data):  # F-080
        if flags & 2:  # In blocks.
            table = self._table("section", None, data)
            return dict(kind=kind, flags=flags, offset=table["offset"], size=len(data),
                        seal=table["seal"])
        at, padded = self.size if data else 0, encode_nodes.pad8(data)
        self._add("section", [Field(padded, "content")])
        return dict(kind=kind, flags=flags, offset=at, size=len(data),
                    seal=seal(padded, 5, at, self.salt))

    def _footer(self, f):  # F-050: a FlatBuffer from front to back, without a library
        scalars = [("num_rows", 8), ("num_sessions", 8)] + [(t, 24) for t in TABLES] + [
            ("num_features", 4), ("num_slots", 4), ("page_values", 4), ("cluster_keys", 4),
            ("stripes", 4), ("sections", 4), ("writer", 4), ("tuning", 1)]
        order = ["num_rows", "num_sessions", "num_features", "num_slots", "page_values", *TABLES,
                 "cluster_keys", "stripes", "sections", "writer", "tuning"]
        offsets, at = {}, 4  # In the table: the distance to the vtable, then the fields.
        for name, size in scalars:
            offsets[name], at = at, at + size
        table_at, table_size = 44, at
        parts = [Field(struct.pack("<I", table_at), f"root: the table is at {table_at}"),
                 Field(struct.pack("<HH", 4 + 2 * len(order), table_size),
                       "vtable: its size, size of the table")]
        parts += [Field(struct.pack("<H", offsets[n]), f"vtable: {n}") for n in order]
        parts += [Field(bytes(6), "padding"),
                  Field(struct.pack("<i", table_at - 4), "table: distance to the vtable")]
        vectors, places, end = [], {}, table_at + table_size
        keys = (("column", 4),)
        for name, align, layout in (("cluster_keys", 4, keys), ("stripes", 8, STRIPE_REF),
                                    ("sections", 8, SECTION_REF), ("writer", 4, None)):
            gap = bytes(-(end + 4) % align if align == 8 else -end % 4)
            if gap:
                vectors.append(Field(gap, "padding"))
            places[name] = end + len(gap)
            body = [Field(struct.pack("<I", len(f[name])), f"{name}: count")]
            if layout is None:
                body.append(Field(f[name] + b"\0", f"{name}: bytes and terminator"))
            for i, r in enumerate(f[name] if layout else ()):
                r = r if isinstance(r, dict) else {"column": r}
                body += [p._replace(name=f"{name}[{i}].{p.name}") for p in fields(layout, r)]
            vectors += body
            end = places[name] + len(joined(body))
        if end % 8:
            vectors.append(Field(bytes(-end % 8), "padding"))
        for name, size in scalars:
            if name in TABLES:
                parts += [p._replace(name=f"{name}.{p.name}") for p in fields(TABLE_REF, f[name])]
            elif name in places:
                distance = places[name] - (table_at + offsets[name])
                parts.append(Field(struct.pack("<I", distance), f"{name}: distance to the vector"))
            else:
                parts.append(Field(f[name].to_bytes(size, "little"), name))
        return parts + vectors


def smallest(**more):
    """One row, one dense int64 feature x = 7: every stream is constant, so there is no page."""
    return Builder([Col("x", "dense", "int64")], [Rows(1, {"x": [7]})], **more)


def three(**more):
    """Three rows; the first two share one list, so the list lies in a group of run lengths."""
    one, half = struct.unpack("<II", struct.pack("<ff", 1.0, 0.5))
    columns = [Col("clicks", "list", "int64", group=1), Col("price", "dense", "float32")]
    rows = Rows(3, {"clicks": [[5, 6], []], "price": [one, None, half]},
                groups=[(1, 2, [2, 1])], nodes={"clicks": encode_nodes.packed})
    return Builder(columns, [rows], groups=[Grp("session")], metadata={"made": "by hand"}, **more)


def alias(**more):
    """Two features that are equal, stored once, and a rounded one; user metadata."""
    nearest, = struct.unpack("<e", struct.pack("<e", 0.1))  # fp16
    bits, = struct.unpack("<I", struct.pack("<f", nearest))
    columns = [Col("seen", "list", "int32"), Col("liked", "list", "int32"),
               Col("score", "dense", "float32")]
    lists = [[7, 8, 9], [8]]
    rows = Rows(2, {"seen": lists, "liked": lists, "score": [bits, None]},
                nodes={"liked": Alias("seen"), ("liked", "shape"): Alias(("seen", "shape"))})
    rounded = struct.pack("<IId", 2, 1, abs(0.1 - nearest))
    return Builder(columns, [rows], metadata={"team": "ads"}, sections=[(2, 0, rounded)], **more)


EXAMPLES = {"smallest": smallest, "three": three, "alias": alias}


def main():
    if len(sys.argv) == 2 and sys.argv[1] in EXAMPLES:
        sys.stdout.buffer.write(EXAMPLES[sys.argv[1]]().bytes())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

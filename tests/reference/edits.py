"""Random edits of a small sound file, with seals made anew, so that only a rule can refuse it.

The same seed file and number give the same edit on every machine.
"""

import random
import struct

from example_files import FOLDER  # noqa: F401  First: may skip, and puts spec/reference on the path.
import dsi_container
import dsi_nodes
import dsi_reference
import dsi_values
import xxhash
from build_example import (COLUMN_RECORD, DIRECTORY_GROUP, GROUP_RECORD, HEADER, ID_SPACE_RECORD,
                           NAME_INDEX_RECORD, PAGE_RECORD, SECTION_REF, STREAM_RECORD, STRIPE_REF,
                           TABLE_REF, TRAILER, seal)
from dsi_footer import Footer

NODE = (("encoding", 1), ("width", 1), ("param", 1), ("flags", 1), ("count", 4), ("size", 4),
        ("aux", 4))
# How often an edit is of a kind, among those that the file has.
WEIGHTS = {"header": 1, "trailer": 1, "footer fields": 5, "footer bytes": 3, "columns": 8,
           "name index": 2, "names": 2, "groups": 5, "id spaces": 3, "stripe groups": 6,
           "streams": 12, "pages": 3, "sections": 3, "nodes": 16, "node bytes": 14, "swaps": 4}
NUMBERS = [0, 1, 2, 3, 4, 5, 7, 8, 16, 64, 255, 1023, 1024, 4096, 2**16 - 1, 2**24, 2**28, 2**31,
           2**32 - 1, 2**32, 2**63, 2**64 - 1]


def layout_sites(layout, at):
    for name, size in layout:
        if size in (1, 2, 4, 8):
            yield at, size, name
        at += size


class Seed:
    """A file, and where its fields are: sites by kind, each (offset, size, name of the field)."""

    def __init__(self, name, data):
        self.name, self.data, self.sites = name, data, {kind: [] for kind in WEIGHTS}
        self.records, size = [], len(data)
        self.sites["header"] += layout_sites(HEADER, 0)
        self.sites["trailer"] += layout_sites(TRAILER, size - 80)
        self.footer_at, self.footer_size = struct.unpack_from("<QI", data, size - 80)
        footer = data[self.footer_at:self.footer_at + self.footer_size]
        self._footer_sites(Footer(footer), footer)
        self._table_sites(dsi_reference.File(data))
        self._node_sites()
        self.kinds = [k for k in WEIGHTS if self.sites[k]]
        self.weights = [WEIGHTS[k] for k in self.kinds]

    def _footer_sites(self, footer, buf):
        at, table = self.footer_at, footer.table
        names = "num_rows num_sessions num_features num_slots page_values".split()
        sizes, fields = (8, 8, 4, 4, 4), []
        for i, (name, size) in enumerate(zip(names, sizes)):
            if footer.fields[i]:
                fields.append((at + table + footer.fields[i], size, name))
        self.refs = [at + table + footer.fields[i] for i in range(5, 10)]
        for ref in self.refs:
            fields += layout_sites(TABLE_REF, ref)
        places = []
        for i in range(10, 14):
            place = table + footer.fields[i]
            places.append(place + struct.unpack_from("<I", buf, place)[0] + 4)
        keys, stripes, sections, _ = places
        fields += [(at + keys + 4 * i, 4, "key") for i in range(len(footer.cluster_keys))]
        self.stripes = [at + stripes + 112 * i for i in range(len(footer.stripes))]
        for stripe in self.stripes:
            fields += layout_sites(STRIPE_REF, stripe)
        self.sections = [at + sections + 32 * i for i in range(len(footer.sections))]
        for section in self.sections:
            fields += layout_sites(SECTION_REF, section)
        self.sites["footer fields"] = fields
        self.sites["footer bytes"] = [(at + i, 1, "") for i in range(len(buf))]

    def _table_sites(self, file):
        ref, self.page_places = file.footer, []

        def add(kind, table, layout):
            size = sum(s for _, s in layout)
            if table.record_size > 2**31:  # F-042
                blocks = -(-table.count // (4096 // size))
                for i in range(blocks):
                    self.sites[kind] += layout_sites((("seal", 8), ("end", 8)), table.offset + 16 * i)
                return
            self.records += [(table.offset + size * i, size, kind) for i in range(table.count)]
            for i in range(table.count):
                self.sites[kind] += layout_sites(layout, table.offset + size * i)
        add("columns", ref.columns, COLUMN_RECORD)
        add("name index", ref.name_index, NAME_INDEX_RECORD)
        add("groups", ref.groups, DIRECTORY_GROUP)
        add("id spaces", ref.id_spaces, ID_SPACE_RECORD)
        if ref.names.record_size == 1:
            self.sites["names"] = [(ref.names.offset + i, 1, "") for i in range(ref.names.count + 7)]
        for stripe in ref.stripes:
            add("stripe groups", stripe.groups, GROUP_RECORD)
            add("streams", stripe.streams, STREAM_RECORD)
            add("pages", stripe.pages, PAGE_RECORD)
        for section in ref.sections:
            self.sites["sections"] += [(section.offset + i, 1, "") for i in range(
                dsi_nodes.pad8(section.size))]
        self.sites["swaps"] = [r for r in self.records if sum(r[2] == o[2] for o in self.records) > 1]

    def _node_sites(self):
        """Decodes all and notes where nodes start, inside of frames that are not compressed as well."""
        original, found, self.frames = dsi_nodes.node, {}, {}

        def noting(buf, at, end, *rest, **more):
            result = original(buf, at, end, *rest, **more)
            place = 0 if len(buf) == len(self.data) else self.data.find(bytes(buf))
            if place > 0 and self.data[place - 12:place - 8] == b"\x28\xb5\x2f\xfd":
                self.frames[place] = len(buf)
            if place >= 0:
                found[place + at] = place + result[2]
            return result
        modules = dsi_nodes, dsi_container, dsi_values
        for module in modules:
            module.node = noting
        try:
            dsi_reference.File(self.data).verify()
        finally:
            for module in modules:
                module.node = original
        for at, end in sorted(found.items()):
            self.sites["nodes"] += layout_sites(NODE, at)
            if not any(at < other < end for other in found):
                self.sites["node bytes"] += [(i, 1, "") for i in range(at + 16, end)]

    def edited(self, number):
        """The edit of this number: the bytes, and how it came to them."""
        rng, data, story = random.Random(f"{self.name} {number}"), bytearray(self.data), []
        for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3))):
            kind = rng.choices(self.kinds, self.weights)[0]
            site = rng.choice(self.sites[kind])
            if kind == "swaps":
                story.append(swap(data, site, rng.choice([
                    r for r in self.records if r[2] == site[2]]), rng.random() < 0.5))
            else:
                story.append(f"{kind}: " + change(data, site, self.sites[kind], rng))
        if rng.random() < 0.6:
            story.append("totals and hashes made to fit")
            self.fit(data)
        self.reseal(data)
        return bytes(data), story

    def fit(self, data):
        """Makes sums and hashes of the directory agree with the records they are made from."""
        def records(ref, size):
            offset, stated, count, _ = struct.unpack_from("<QIIQ", data, ref)
            if stated != size or offset + size * count > len(data):
                return []
            return [offset + size * i for i in range(count)]
        names_at = struct.unpack_from("<Q", data, self.refs[2])[0]
        columns, entries = records(self.refs[0], 72), []
        streams = [[at + 40 * k for at in records(s + 40 + 24, 120) for k in range(3)]
                   for s in self.stripes]
        for i, at in enumerate(columns):
            name_offset, size, feature_size, place = struct.unpack_from("<IHHH", data, at + 32)
            name = bytes(data[names_at + name_offset:][:size])
            entries.append((xxhash.xxh3_64_intdigest(name) >> 32, i))
            if feature_size < size and place == 0:
                entries.append((xxhash.xxh3_64_intdigest(name[:feature_size]) >> 32, i | 1 << 31))
            first_tier, _, num_tiers = struct.unpack_from("<IHB", data, at + 56)
            slots = [3 * i] + list(range(first_tier, first_tier + max(num_tiers - 1, 0)))
            total = sum(struct.unpack_from("<Q", data, s[t])[0] for s in streams for t in slots
                        if t < len(s))
            struct.pack_into("<Q", data, at + 24, total % 2**64)
        places = records(self.refs[1], 8)
        for at, (hashed, column) in zip(places, sorted(entries)):
            struct.pack_into("<II", data, at, hashed, column)

    # -- Seals, F-010 --

    def reseal(self, data):
        """Where a place was edited, the bytes of the new place are sealed, if they are inside."""
        for at, size in self.frames.items():  # E-101
            struct.pack_into("<I", data, at + size,
                             xxhash.xxh64_intdigest(bytes(data[at:at + size])) & 0xFFFFFFFF)
        salt, = struct.unpack_from("<Q", data, 16)
        struct.pack_into("<Q", data, 56, seal(bytes(data[:56]), 1, 0, 0))
        for stripe in self.stripes:
            self._seal_pages(data, stripe + 40 + 48, salt)
            for i in range(3):
                self._seal_table(data, stripe + 40 + 24 * i, salt)
        for ref in self.refs:
            self._seal_table(data, ref, salt)
        for section in self.sections:
            flags, offset, size = struct.unpack_from("<IQQ", data, section + 4)
            if flags & 2:  # In blocks: a table of records of one byte.
                ref = bytearray(struct.pack("<QIIQ", offset, 1, size % 2**32, 0))
                self._seal_table(data, 0, salt, ref)
                data[section + 24:section + 32] = ref[16:]
                continue
            if offset + size + 7 < len(data):
                part = bytes(data[offset:offset + (size + 7) // 8 * 8])
                struct.pack_into("<Q", data, section + 24, seal(part, 5, offset, salt))
        at, size = struct.unpack_from("<QI", data, len(data) - 80)
        if at + size <= len(data):
            struct.pack_into("<Q", data, len(data) - 32, seal(bytes(data[at:at + size]), 6, at, salt))
        end = len(data) - 80
        struct.pack_into("<Q", data, end + 64, seal(bytes(data[end:end + 64]), 7, end, 0))

    @staticmethod
    def _seal_pages(data, ref, salt):
        offset, size, count, _ = struct.unpack_from("<QIIQ", data, ref)
        for i in range(min(count, 64)):
            at = offset + 24 * i
            if size != 24 or at + 24 > len(data):
                return
            start, length = struct.unpack_from("<QI", data, at)
            if start + length <= len(data):
                struct.pack_into("<Q", data, at + 16,
                                 seal(bytes(data[start:start + length]), 2, start, salt))

    @staticmethod
    def _seal_table(data, ref, salt, refs=None):
        """`ref` is where its descriptor is in `refs`, which are the data unless given."""
        refs = data if refs is None else refs
        offset, size, count, _ = struct.unpack_from("<QIIQ", refs, ref)
        if size > 2**31:
            return seal_compressed(data, ref, salt, refs)
        used = size * count
        if not 0 < size <= 4096 or not used or offset + used > len(data):
            return
        step, padded = 4096 // size * size, (used + 7) // 8 * 8
        blocks = (used + step - 1) // step
        seals = offset + padded
        if seals + 8 * blocks > len(data):
            return
        for i in range(blocks):
            start = offset + i * step
            end = seals if i == blocks - 1 else start + step
            struct.pack_into("<Q", data, seals + 8 * i, seal(bytes(data[start:end]), 3, start, salt))
        struct.pack_into("<Q", refs, ref + 16,
                         seal(bytes(data[seals:seals + 8 * blocks]), 4, seals, salt))


def seal_compressed(data, ref, salt, refs):  # F-042
    offset, size, count, _ = struct.unpack_from("<QIIQ", refs, ref)
    size -= 2**31
    if not 0 < size <= 4096:
        return
    blocks = (count + 4096 // size - 1) // (4096 // size)
    start = offset + 16 * blocks
    if start > len(data):
        return
    for i in range(blocks):
        end, = struct.unpack_from("<Q", data, offset + 16 * i + 8)
        if not start <= end <= len(data):
            break
        struct.pack_into("<Q", data, offset + 16 * i, seal(bytes(data[start:end]), 3, start, salt))
        start = end
    entries = bytes(data[offset:offset + 16 * blocks])
    struct.pack_into("<Q", refs, ref + 16, seal(entries, 4, offset, salt))


def swap(data, one, other, copy):
    """Exchanges two records of a kind, or copies one over the other."""
    (a, size, kind), (b, _, _) = one, other
    first, second = data[a:a + size], data[b:b + size]
    data[b:b + size] = first
    if not copy:
        data[a:a + size] = second
    return f"{kind}: record at {a} {'over' if copy else 'and'} that at {b}"


def change(data, site, sites, rng):
    at, size, name = site
    if at + size > len(data):
        return "nothing"
    old, top = int.from_bytes(data[at:at + size], "little"), 1 << 8 * size
    how = rng.randrange(10)
    if how < 3:
        new = old + rng.choice((-1, 1, -1, 1, -2, 2, 8, -8, 16, -16))
    elif how < 5:
        new = old ^ 1 << rng.randrange(8 * size)
    elif how < 7:
        new = rng.choice(NUMBERS)
    elif how < 8:  # What the same field is elsewhere.
        other = rng.choice([s for s in sites if s[2] == name and s[1] == size])
        new = int.from_bytes(data[other[0]:other[0] + size], "little")
    elif how < 9:
        new = rng.randrange(24)
    else:
        new = rng.choice((2 * old, old // 2, rng.randrange(top)))
    data[at:at + size] = (new % top).to_bytes(size, "little")
    return f"{name or 'byte'} at {at}: {old} to {new % top}"

"""What stands in the tables of a file (spec/format.md), and the numbers that it is made of."""

from __future__ import annotations

import struct
from collections import namedtuple

import xxhash

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
                      type=0, time_unit=0)


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

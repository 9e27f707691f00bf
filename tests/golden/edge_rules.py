"""Files of make_rules.py at the edges of what records say of each other: what is empty, what nobody asks for, what a later version may do."""
import struct

import encode_nodes as en
from build_example import Builder, Col, Grp, Ids, Rows, seal, smallest

# Where the fields of a footer stand in its table (F-050), whose places are in the vtable at 8.
TABLE, PLACES = 44, [4, 12, 140, 144, 148, 20, 44, 68, 92, 116, 152, 156, 160, 164, 168]


def later_footer(change):
    """A file of minor version 1 with another core footer; `change` takes that of the file."""
    data = smallest(minor=1).bytes()
    at, size = struct.unpack_from("<QI", data, len(data) - 80)
    salt, = struct.unpack_from("<Q", data, 16)
    footer = bytearray(data[at:at + size])
    footer = bytes(change(footer) or footer)
    footer += bytes(-len(footer) % 8)
    trailer = bytearray(data[-80:])
    struct.pack_into("<I", trailer, 8, len(footer))
    struct.pack_into("<QQ", trailer, 40, at + len(footer) + 80, seal(footer, 6, at, salt))
    struct.pack_into("<Q", trailer, 64, seal(bytes(trailer[:64]), 7, at + len(footer), 0))
    return data[:at] + footer + bytes(trailer)


def put(form, at, value):
    return lambda footer: struct.pack_into(form, footer, at, value)


def stripes_elsewhere(shift):
    """A second copy of the vector of stripes, so many bytes behind the end."""
    def change(footer):
        field = TABLE + PLACES[11]
        old = field + struct.unpack_from("<I", footer, field)[0]
        struct.pack_into("<I", footer, field, len(footer) + shift - field)
        return footer + bytes(shift) + footer[old:old + 4 + 112]
    return later_footer(change)


def writer_of(size):
    def change(footer):
        field = TABLE + PLACES[13]
        struct.pack_into("<I", footer, field + struct.unpack_from("<I", footer, field)[0], size)
    return change


def of_footer(**changes):
    return lambda what, value: dict(value, **changes) if what == "footer" else value


def of_stripes(*changes):
    return lambda what, value: dict(value, stripes=[dict(s, **c) for s, c in zip(value["stripes"], changes)]) if what == "footer" else value


def of_slot(slot, **changes):
    return lambda what, value: [dict(s, **changes) if i == slot else s for i, s in enumerate(value)] if what == "stripe 0 streams" else value


def empty_section(offset, compat=0):
    section = dict(kind=99, flags=0, offset=offset, size=0, seal=seal(b"", 5, offset, 0x0123456789ABCDEF))
    return smallest(compat=compat, edit=of_footer(sections=[section])).bytes()


def grown_from(edit=None, **older):
    columns = [Col("k", "key", "int64")]
    stripes = [Rows(3, {"k": [i, i + 7, i]}) for i in range(3)]
    return Builder(columns, stripes, older=Builder(columns, stripes[:2], edit=edit, **older), kept=2, compat=1).bytes()


def of_unknown_columns(form, num_unique, index, parent=1, keys=()):
    """Group 1 is told by itself; group 2, whose one column nobody knows, in the form given."""
    columns = [Col("x", "dense", "int64"), Col("y", "key", "int64", group=1), Col("z", "dense", "int64", group=2)]
    rows = Rows(3, {"x": [1, 2, 3], "y": [3, 4], "z": [5, 6][:num_unique]}, groups=[(3, 2, [0, 1, 0]), (form, num_unique, index)])
    return Builder(columns, [rows], [Grp("g"), Grp("h", parent=parent)], cluster_keys=keys, edit=lambda what, value: [
        dict(r, kind=77 if i == 2 else r["kind"]) for i, r in enumerate(value)] if what == "columns" else value).bytes()


def unknown_node(size):
    """Of a column of unknown kind, in a file with gaps."""
    return Builder([Col("x", "dense", "int64"), Col("y", "dense", "int64")], [Rows(2, {"x": [1, 2], "y": [3, 4]})], compat=1, edit=lambda what, value: (
        [dict(value[0], kind=77, stored_bytes=size), value[1]] if what == "columns" else of_slot(0, size=size)(what, value))).bytes()


def unknown_kind_of(*names):
    columns = [Col(name, "sequence", "int64", feature="a") for name in names]
    return Builder(columns, [Rows(2, {name: [[1], [2]] for name in names})], edit=lambda what, value: [
        dict(r, kind=77) for r in value] if what == "columns" else value).bytes()


def sessions(keys, counts, flags=(0, 0), key_kind=None):
    """Stripes of two rows with so many sessions each."""
    columns = [Col("k", "key", "int64"), Col("t", "timestamp", "int64", time_unit=2)]
    stripes = [Rows(2, {"k": [1, 2], "t": [3, 4]}, num_sessions=n, flags=f) for n, f in zip(counts, flags)]
    return Builder(columns, stripes, cluster_keys=keys, edit=lambda what, value: [
        dict(value[0], kind=key_kind), value[1]] if what == "columns" and key_kind else value).bytes()


def with_gaps(values, data_size):
    return Builder([Col("x", "dense", "int64")], [Rows(3, {"x": values})], compat=1, edit=of_stripes({"data_size": data_size})).bytes()


def of_dictionary(**changes):
    return Builder([Col("i", "dense", "uint32", id_space=0)], [Rows(2, {"i": [7, 8]}, nodes=changes.pop("nodes", None) or {})], (), [Ids("", 4)],
                   edit=of_slot(3, **changes)).bytes()


FILES = {
    "sound.footer_of_a_later_version": lambda: stripes_elsewhere(4), "F-050.stripes_not_aligned": lambda: stripes_elsewhere(0),
    "F-050.table_too_short": lambda: later_footer(put("<H", 6, 8)), "F-050.no_total": lambda: later_footer(put("<H", 8 + 2, 0)),
    "F-050.no_tuning": lambda: later_footer(put("<H", 8 + 2 * 14, 0)), "F-050.keys_at_themselves": lambda: later_footer(put("<I", TABLE + PLACES[10], 0)),
    "F-050.vtable_before_the_footer": lambda: later_footer(put("<i", TABLE, 46)),
    "F-050.writer_without_end": lambda: later_footer(writer_of(2**31)),
    "F-080.required_beside_stripe_flags.unsupported": lambda: smallest(sections=[(99, 1, b"x")], edit=of_stripes({"flags": 2})).bytes(),
    "F-080.required_beside_reserved.unsupported": lambda: smallest(minor=1, sections=[(99, 1, b"x")], edit=of_stripes({"reserved": 2})).bytes(),
    "F-051.stripe_flags": lambda: smallest(minor=1, edit=of_stripes({"flags": 2})).bytes(),
    "sound.empty_section": lambda: empty_section(0), "F-080.empty_section_in_a_page": lambda: empty_section(72),
    "F-080.empty_section_at_the_end": lambda: empty_section(len(empty_section(0))), "F-080.empty_section_in_the_header": lambda: empty_section(16, 1),
    "sound.previous_with_a_flag": lambda: grown_from(lambda what, value: dict(value, incompat=4) if what == "trailer" else value),
    "sound.previous_that_needs_more": lambda: grown_from(sections=[(99, 1, b"x")]), "sound.previous_with_other_totals": lambda: grown_from(of_footer(num_rows=7)),
    "F-034.previous_of_another_salt": lambda: grown_from(lambda what, value: dict(value, salt=1) if what == "trailer" else value),
    "D-001.no_parent_for_form_4": lambda: of_unknown_columns(4, 2, [0, 1, 0], 0), "D-001.no_parent_for_form_5": lambda: of_unknown_columns(5, 1, [0, 0, 0], 0),
    "D-001.no_parent_for_form_6": lambda: of_unknown_columns(6, 2, [1, 2], 0), "D-006.no_time_for_nobody": lambda: of_unknown_columns(6, 2, [2, 1]),
    "D-006.no_time_among_keys_for_nobody": lambda: of_unknown_columns(6, 2, [2, 1], keys=[0]),
    "F-061.empty_dictionary_of_another_width": lambda: of_dictionary(width=1), "sound.shared_with_nothing": lambda: of_dictionary(nodes={"i": en.shared([])}),
    "F-061.empty_tier_of_another_width": lambda: Builder([Col("l", "list", "int64", tiers=2)], [Rows(2, {"l": [[1, 2], [3]]})], edit=of_slot(3, width=1)).bytes(),
    "sound.empty_index_of_another_width": lambda: Builder([Col("l", "list", "int64", group=1)], [Rows(2, {"l": [[1, 2], [3]]}, groups=[(0, 2, [])])], [Grp("g")],
                                                          edit=of_slot(3, width=8)).bytes(),
    "F-061.unknown_node_of_no_bytes": lambda: unknown_node(0), "F-061.unknown_node_of_20_bytes": lambda: unknown_node(20),
    "S-010.columns_of_an_unknown_kind.unsupported": lambda: unknown_kind_of("a.x", "a.y"), "F-070.column_named_as_its_feature": lambda: unknown_kind_of("a.x", "a"),
    "F-070.first_column_named_as_its_feature": lambda: unknown_kind_of("a", "a.x"),
    "sound.sessions": lambda: sessions([0], (2, 1), (0, 1)), "sound.no_sessions_of_the_time": lambda: sessions([1], (0, 0)),
    "F-051.sessions_of_the_time": lambda: sessions([1], (2, 2)), "F-051.no_session_in_a_stripe": lambda: sessions([0], (2, 0)), "F-051.no_sessions": lambda: sessions([0], (0, 0)),
    "F-051.no_sessions_of_two_keys": lambda: sessions([0, 0], (0, 0)), "F-051.session_in_a_row_that_goes_on": lambda: sessions([0], (2, 2), (0, 1)),
    "S-010.sessions_of_an_unknown_kind.unsupported": lambda: sessions([0], (2, 2), key_kind=77),
    "F-062.no_page_in_64_bytes": lambda: with_gaps([7, 7, 7], 64), "F-051.range_not_of_8": lambda: with_gaps([7, 8, 9], 44),
}

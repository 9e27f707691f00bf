#!/usr/bin/env python3
"""Makes the small files of tests/golden/rules: `sound.*.dsi`, and `<rule>.*.dsi`, which break that rule under valid seals. Deterministic.

    tests/golden/make_rules.py [FOLDER]

`*.unsupported.dsi` are refused as unsupported, not as damage. `found.*.dsi` broke a decoder once and are refused now, whatever the rule; they are not made here.
"""
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "spec" / "reference"))
import encode_nodes as en  # noqa: E402
from dsi_nodes import node  # noqa: E402
from build_example import TYPES, Alias, Builder, Col, Grp, Ids, Rows, Source, smallest  # noqa: E402
from dsi_statistics import Statistics, section  # noqa: E402
from edge_rules import FILES as EDGES  # noqa: E402


def pools(lists, codes, pool, tiers=0, top=0, flags=0, spread=None, more=(), nodes=None, type="int64"):
    """A feature "l", or two with `more`, whose streams are as given whatever the rules say. `spread`: the tiers."""
    columns = [Col("l.a", "sequence", type, feature="l", tiers=tiers, flags=flags),
               Col("l.b", "sequence", "uint8", feature="l", tiers=tiers, flags=flags), *more]
    builder, parts = Builder.__new__(Builder), spread or [pool] + [[]] * max(tiers - 1, 0)

    def streams(rows):
        for key, width, values, greatest, charge in Builder._streams(builder, rows):
            if key == ("l", "windows"):
                values, greatest = codes, top
            elif isinstance(key, str) or key[0] == "tier":
                values = [v % (1 << 8 * width) for v in parts[0 if isinstance(key, str) else key[2]]]
            yield key, width, values, greatest, charge
    builder._streams = streams
    builder.__init__(columns, [Rows(len(lists), {"l.a": lists, "l.b": lists}, nodes=nodes or {})])
    return builder.bytes()


# A chain that grows in front and at its end, another, and a list that comes back to the first.
LISTS, CODES, POOL = [[6, 7], [5, 6, 7], None, [7, 8], [], [1, 2], [6, 7]], [2, 3, 0, 9, 0, 0, 11], [5, 6, 7, 8, 1, 2]


def windows(codes=None, pool=None, lists=None, **more):
    return pools(lists or LISTS, CODES if codes is None else codes, pool or POOL, **more)


# Lists that end 6 values before their chain; two tiers.
LONG, LONG_CODES, LONG_POOL = [[*range(1, 35)], [*range(7, 41)], [90, 91]], [0, 25, 0], [*range(1, 41), 90, 91]


def tiers(top=7, spread=None, num_tiers=2, flags=0, **more):
    first = LONG_POOL[:32] if flags else LONG_POOL[8:40]
    rest = LONG_POOL[32:40] if flags else LONG_POOL[:8]
    return pools(LONG, LONG_CODES, LONG_POOL, num_tiers, top, flags, spread or [first + LONG_POOL[40:], rest], **more)


def groups(*forms, rows=5, times=None, time_group=0, keys=None, ids=None, time_kind=8):
    """A column for each group; form, unique rows and index of each, whose parent is the one before. `times`: a time column, the last key."""
    columns = [Col(f"g{i}", "key", "int64", group=i) for i in range(len(forms) + 1)]
    values = {f"g{i}": list(range(n)) for i, n in enumerate([rows] + [n for _, n, _ in forms])}
    if times:
        columns.append(Col("t", "timestamp", "int64", group=time_group, time_unit=2, **({"id_space": 0} if ids else {})))
        values["t"] = [t if t is None else t % 2**64 for t in times]
        keys = [0, len(columns) - 1] if keys is None else keys
    return Builder(columns, [Rows(rows, values, list(forms), num_sessions=int(bool(keys)), **({"ids": {0: ids}} if ids else {}))],
                   [Grp(f"group {i}", parent=i) for i in range(len(forms))], [Ids("", 8)] if ids else (), cluster_keys=keys or (),
                   edit=lambda what, value: value if what != "columns" else [dict(c, kind=time_kind if c["kind"] == 8 else c["kind"]) for c in value]).bytes()


OWNERS = (3, 3, [0, 1, 0, 1, 2])
TIMES = [5, 5, 3, 9, None]  # Of owner 0: rows 2, 0; of owner 1: rows 1, 3.


def as_of(counts, num_unique=None, owners=OWNERS, **more):
    return groups(owners, (6, len(counts) if num_unique is None else num_unique, counts), **{"times": TIMES, **more})


def compressed(what="", edit=None, change=None, encoder=en.compressed(2)):
    """Three blocks of columns and a page, compressed; `edit` changes the part of the file called `what`, `change` each node."""
    columns = [Col(f"feature.{i:03}", "list", "int64") for i in range(130)]
    values = {c.name: [[i, 7], None, [i + 1]] for i, c in enumerate(columns)}
    encode = encoder if change is None else lambda values, width: change(encoder(values, width))
    return Builder(columns, [Rows(3, values)], compress=encode, edit=edit and (
        lambda place, value: edit(value) if place == what else value)).bytes()


def of_page(change):
    return lambda pages: [(data, change(count, len(data)) if count > 2**20 else count) for data, count in pages]


def cut_content(pages):
    (data, count), *others = pages
    content = node(data, 0, len(data), (1,), count - 2**31, "page")[0][:-8]
    return [(en.compressed(2)(content, 1), 2**31 + len(content))] + others


def with_empty(footer):
    footer["id_spaces"]["record_size"] += 2**31
    return footer


ONE, TWO, NAN = 1023 << 52, 1024 << 52, 0x7FA00001
TRUE = {"k": [(-5, 2**40, 0), (-5, -5, 1)], "f": [(1 << 31, 0, 0), (None, None, 1)], "b": [(1, 1, 1), (0, 1, 0)],
        "n": [(None, None, 3), (ONE, TWO, 0)], "i": [(7, 500, 0), (9, 9, 1)]}


def statistics(name=None, stripe=0, stated=None, change=lambda content: content, flags=2):
    """Two stripes, columns of each sort. `stated`: of that column and stripe, true or not. `change`: makes other bytes of the section's."""
    columns = [Col("k", "key", "int64", group=1), Col("f", "dense", "float32"), Col("b", "label", "bool"), Col("s", "string", "bytes"),
               Col("n", "dense", "float64"), Col("i", "dense", "uint32", id_space=0)]
    values = [{"k": [2**64 - 5, 2**40], "f": [1 << 31, 0, NAN], "b": [1, None, 1], "s": [b"a", b"", None], "n": [None] * 3, "i": [7, 500, 7]},
              {"k": [None, 2**64 - 5], "f": [None, NAN], "b": [0, 1], "s": [b"a", b""], "n": [ONE, TWO], "i": [None, 9]}]
    stripes = [Rows(3, values[0], [(1, 2, [1, 2])], {"i": en.shared([7, 9])}, {0: [7, 9]}),
               Rows(2, values[1], [(0, 2, ())], {"i": en.shared([7, 9])}, {0: [7, 9]})]
    said = {c: [stated if (c, i) == (name, stripe) else s for i, s in enumerate(of)] for c, of in TRUE.items()}
    content = section([(TYPES[c.type][0], [Statistics(*s) for s in said[c.name]]) if c.name in said else None for c in columns])
    return Builder(columns, stripes, [Grp("g")], [Ids("", 4)], sections=[(3, flags, change(content))]).bytes()


TIME = b"2026-11-27T15:49:17.123Z"  # 24 bytes.
STRINGS = [[TIME + b"b", "Zürich".encode(), None, TIME + b"a"], [None, b"", b"Oslo, Norway", b"Oslo"], [None, None]]


def strings(stripe=0, stated=None):
    """Three stripes of strings. `stated`: an entry of that stripe, or its bytes."""
    said = [(TIME, STRINGS[0][1], 1), (b"", STRINGS[1][2], 1), (None, None, 2)]
    said[stripe] = stated or said[stripe]
    content = b"".join(s if isinstance(s, bytes) else section([(TYPES["bytes"][0], [Statistics(*s)])])[4:] for s in said)
    return Builder([Col("s", "string", "bytes")], [Rows(len(s), {"s": s}) for s in STRINGS],
                   sections=[(3, 2, struct.pack("<I", len(content)) + content)]).bytes()


def of_a_list():
    return Builder([Col("l", "list", "int32")], [Rows(2, {"l": [[1], [2]]})], sections=[(3, 2, struct.pack("<I2B", 2, 15, 2))]).bytes()


def swapped(at, *new):
    """Other bytes from `at` on, counted behind the ends of six columns."""
    return lambda content: content[:24 + at] + bytes(new) + content[24 + at + len(new):]


def deleted(first, second=(0, None), flags=3, change=lambda content: content):
    """Stripes of 5 and 3 rows. Of each: how many rows are deleted, and their node, or the flags that it holds."""
    columns = [Col("k", "key", "int64"), Col("l", "list", "int32")]
    stripes = [Rows(n, {"k": list(range(10 * n, 11 * n)), "l": [[k] * (k % 3) for k in range(n)]}) for n in (5, 3)]
    nodes = [b"" if part is None else part if isinstance(part, bytes) else en.raw(part, 1) for _, part in (first, second)]
    content = struct.pack("<4I", first[0], len(nodes[0]), second[0], len(nodes[0]) + len(nodes[1])) + b"".join(nodes)
    return Builder(columns, stripes, sections=[(4, flags, change(content))]).bytes()


def overlay(*ranges, base_rows=30, flags=1, behind=b"", more=(), keys=()):
    """Stripes of 5 and 3 rows, and the rows of a base that these are."""
    columns = [Col("k", "key", "int64"), Col("l", "list", "int32")]
    stripes = [Rows(n, {"k": list(range(10 * n, 11 * n)), "l": [[k] * (k % 3) for k in range(n)]}) for n in (5, 3)]
    content = struct.pack("<QQ", 0x08090A0B0C0D0E1F, base_rows) + b"".join(struct.pack("<QQ", *r) for r in ranges) + behind
    return Builder(columns, stripes, sections=[(7, flags, content), *more], cluster_keys=keys).bytes()


def grown(kept=2, compat=1, edit=None, more=1, before=None):
    """A file of two stripes, and one appended to it that has `more` stripes, or others for those that are not kept."""
    columns = [Col("k", "key", "int64"), Col("l", "list", "int32")]
    stripes = [Rows(3, {"k": [i, i + 7, i], "l": [[i], [], [i, i + 1]]}, nodes={"l": (en.raw, "paged")}) for i in range(2 + more)]
    older = Builder(columns, stripes[:2])
    return Builder(columns, stripes, older=older, kept=kept, compat=compat, edit=edit, before=before).bytes()


def no_sections(what, value):
    return dict(value, sections=[]) if what == "footer" else value


def other_parts(part, change, compat=1):
    """A file with some part changed before it is sealed."""
    columns = [Col("k", "key", "int64"), Col("l", "list", "int32")]
    stripes = [Rows(3, {"k": [i, i + 7, i], "l": [[i], [], [i, i + 1]]}, nodes={"l": (en.raw, "paged")}) for i in range(2)]
    return Builder(columns, stripes, compat=compat, edit=lambda what, value: change(value) if what == part else value).bytes()


def unknown_form(slot, compat=0, **more):
    """Streams of slot 3 are the values of a list, paged; 4 and 5 its shape and windows."""
    return other_parts("stripe 0 streams", lambda streams: [
        dict(s, form=9, **more) if i == slot else s for i, s in enumerate(streams)], compat)


def alias_of_unknown_form(**more):
    columns = [Col("a", "list", "int64"), Col("b", "list", "int64")]
    lists = [[1, 2], None, [3]]
    return Builder(columns, [Rows(3, {"a": lists, "b": lists}, nodes={"b": Alias("a")})], edit=lambda what, value: [
        dict(s, form=9, **more) if i == 0 else s for i, s in enumerate(value)] if what == "stripe 0 streams" else value).bytes()


def paged(count, page_values, stated, per_page=None):
    """A list of so many bytes in pages of `per_page` values; `stated` in the record of its values."""
    per_page = per_page or stated
    values = [k * k % 251 for k in range(count)]
    pages = [values[k:k + per_page] for k in range(0, count, per_page)]

    def edit(what, value):
        if what == "pages":
            return value[:1] + [(en.raw(page, 1), len(page)) for page in pages]
        if what == "stripe 0 streams":
            return [dict(s, size=stated, num_pages=len(pages)) if i == 0 else s for i, s in enumerate(value)]
        return [dict(r, stored_bytes=r["stored_bytes"] + sum(len(en.raw(page, 1)) for page in pages) - plain) for r in value] if what == "columns" else value
    plain = sum(len(en.raw(values[k:k + page_values], 1)) for k in range(0, count, page_values))
    return Builder([Col("l", "list", "uint8")], [Rows(2, {"l": [values[:7], values[7:]]}, nodes={"l": (en.raw, "paged")})], page_values=page_values, edit=edit).bytes()


def same_pages():
    """The second stripe has the pages of the first."""
    kept = {}

    def edit(what, value):
        if what == "stripe 0 pages":
            kept["pages"] = value
        if what == "stripe 1 pages":
            return kept["pages"]
        if what == "footer":
            one, other = value["stripes"]
            other.update({f: one[f] for f in ("data_offset", "data_size")})
        return value
    return Builder([Col("k", "key", "int64")], [Rows(3, {"k": [1, 2, 3]})] * 2, compat=1, edit=edit).bytes()


def range_ends(behind_footer):
    """The range of the first stripe of a file with gaps ends so many bytes behind the start of the core footer."""
    def build(footer_at):
        def edit(what, value):
            if what == "footer" and footer_at:
                first = value["stripes"][0]
                first["data_size"] = footer_at + behind_footer - first["data_offset"]
            return value
        return Builder([Col("k", "key", "int64")], [Rows(3, {"k": [1, 2, 3]})] * 2, compat=1, edit=edit).bytes()
    return build(struct.unpack_from("<Q", build(0), -80)[0])


SEEN = [[50, 60, 70], None, [60, 70, 80, 90], [], [10, 20]]
LIKED = [[50, 70], [], [70, 90, 99], None, [60]]  # 99 was never seen; 60 stands before what 20 does.


def sources(record=None, more=None, encoder=None, kind="list", type="int64", spaces=(None, None), seen=None, nodes=None, liked=None, tiers=0, seen_type=None, liked_kind=None, **fields):
    """Lists "liked", whose values are places in those of "seen"; "again" is an alias of "liked". `spaces`: id spaces of seen and liked. `record`, `more`: other
    fields of the stream record of liked and of others, by slot."""
    columns = [Col("liked", kind, type, id_space=spaces[1], tiers=tiers, **fields), Col("seen", "list", type if kind == "list" else "int64", id_space=spaces[0]),
               Col("again", kind, type, **fields), Col("other", "list", "int32")]
    pool = [v for entries in SEEN for v in entries or ()]
    encoder = encoder or en.shared(pool, code_width=1)

    def edit(what, value):
        if what == "stripe 0 streams":
            for slot, changes in {0: record or {}, **(more or {})}.items():
                value[slot // 3][slot % 3].update(changes) if isinstance(value[0], list) else value[slot].update(changes)
        if what == "columns" and seen_type:
            value[1]["type"] = seen_type
        if what == "columns" and liked_kind:
            value[0]["kind"] = value[2]["kind"] = liked_kind
        return value
    ids = [Ids("", 8), Ids("", 8)] if spaces != (None, None) else []
    rows = {"liked": liked or LIKED, "seen": SEEN, "again": liked or LIKED, "other": [[1, 2], [3], [], None, [4, 5]]}
    stripe = Rows(5, rows, nodes={"liked": Source("seen", encoder), "again": Alias("liked"), **({"seen": seen} if seen else {}), **(nodes or {})},
                  ids={i: [10, 60, 90] for i in range(len(ids))})
    return Builder(columns, [stripe], (), ids, edit=edit).bytes()


def names_source(column, space=0):
    return {"constant": space << 32 | column}


def float_bits(*values):
    return [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]


def string_windows(texts, starts, tiers=0):
    """Strings in a pool that they share, with statistics."""
    texts = [text.encode() for text in texts]
    rows = Rows(len(texts), {"s": [list(text) for text in texts]}, windows={"s": starts})
    stated = (3, 2, section([(12, [Statistics(min(texts), max(texts), 0)])]))
    return Builder([Col("s", "string", "bytes", tiers=tiers)], [rows], sections=[stated]).bytes()


def not_consecutive(columns, values, num_columns, stating):
    """Columns of which some state that they are of a feature of so many."""

    def edit(what, records):
        if what == "columns":
            for i in stating:
                records[i]["num_columns"] = num_columns
        return records

    return Builder(columns, [Rows(2, values)], edit=edit).bytes()


def another_inside():
    columns = [Col("h.a", "sequence", "int64", feature="h"), Col("x", "dense", "int64"), Col("h.c", "sequence", "int64", feature="h")]
    return not_consecutive(columns, {"h.a": [[1, 2, 3], [7]], "x": [100, 200], "h.c": [[4, 5, 6], [8]]}, 3, [0, 2])


def weights_of_another():
    columns = [Col("w.ids", "weighted", "int64", feature="w"), Col("y", "list", "float32")]
    return not_consecutive(columns, {"w.ids": [[1, 2, 3], [7]], "y": [float_bits(0.5, 0.25, 0.125), float_bits(9)]}, 2, [0])


def tiers_of_one_column():
    columns = [Col("h.a", "sequence", "int64", feature="h", tiers=2), Col("h.b", "sequence", "int64", feature="h", tiers=3)]
    return Builder(columns, [Rows(2, {"h.a": [[1, 2, 3], [7]], "h.b": [[4, 5, 6], [8]]}, windows={"h": [0, 3]})]).bytes()


def version_skipped_beside_form_9():
    """The list, whose shape nobody can read, is the first feature of the group."""
    columns = [Col("k", "key", "int64", group=1), Col("l", "list", "int64", group=2), Col("d", "dense", "int64", group=2)]
    lists = [[i, i + 1, i + 2] for i in range(1, 5)]
    rows = Rows(
        4,
        {"k": [5, 6], "l": lists, "d": [10, 20, 30, 40]},
        groups=[(3, 2, [0, 0, 1, 1]), (5, 4, [0, 4, 0, 0])],
        windows={"l": [0, 1, 2, 3]},
    )

    def edit(what, records):
        if what == "stripe 0 streams":
            records[4].update(form=9)
        return records

    return Builder(columns, [rows], groups=[Grp("u"), Grp("v", parent=1)], edit=edit).bytes()


def page_on_another():
    """Who reads the pages 0 and 2 alone does not meet the record between them."""
    columns = [Col(name, "dense", "int64") for name in "abcd"]
    values = {name: [10 * i + k for k in range(3)] for i, name in enumerate("abcd")}

    def edit(what, records):
        if what == "stripe 0 pages":
            records[1].update(offset=records[0]["offset"] - 16, stored_size=16)
            records[2].update({key: records[0][key] for key in ("offset", "stored_size", "seal", "num_values")})
        return records

    return Builder(columns, [Rows(3, values, nodes={name: (en.raw, "paged") for name in "abcd"})], edit=edit).bytes()


FILES = {
    "sound.statistics_of_string_windows": lambda: string_windows(["abcd", "bcde", "abcd"], [0, 1, 0]),
    "sound.statistics_of_string_tiers": lambda: string_windows(["abc", "de"], [0, 3], 2),
    "F-070.another_feature_inside": another_inside,
    "F-070.weights_of_another_feature": weights_of_another,
    "F-079.tiers_of_one_column": tiers_of_one_column,
    "D-002.version_skipped_beside_form_9": version_skipped_beside_form_9,
    "F-062.page_on_another": page_on_another,
    "sound.compressed": lambda: compressed(), "sound.compressed_zstd": lambda: compressed(encoder=en.compressed(1)),
    "F-040.block_too_short": lambda: compressed("columns entries", lambda e: [(e[0][0], e[0][1] - 8)] + e[1:]),
    "F-042.block_not_of_8": lambda: compressed("columns entries", lambda e: [(s, end - 4 * (i == 0)) for i, (s, end) in enumerate(e)]),
    "F-042.block_before_the_one_before": lambda: compressed("columns entries", lambda e: [e[0], (e[1][0], e[0][1] - 16), e[2]]),
    "F-042.block_too_long": lambda: compressed("columns entries", lambda e: [(e[0][0], e[-1][1] + 4096)] + e[1:]),
    "F-042.unknown_encoding": lambda: compressed(change=lambda data: b"\x63" + data[1:]),
    "F-042.another_encoding": lambda: compressed(encoder=en.runs), "F-042.inner_unknown": lambda: compressed(encoder=en.compressed(2, lambda v, w: b"\x63" + en.raw(v, w)[1:])),
    "F-040.empty_but_compressed": lambda: compressed("footer", with_empty),
    "F-065.too_many_bytes": lambda: compressed("pages", of_page(lambda n, size: 2**31 + 2**20 + 8)),
    "F-065.not_of_8": lambda: compressed("pages", of_page(lambda n, size: n + 4)),
    "F-065.smaller_than_stored": lambda: compressed("pages", of_page(lambda n, size: 2**31 + size - 8)),
    "F-065.neither_count_nor_size": lambda: compressed("pages", of_page(lambda n, size: 2**21)),
    "F-065.unknown_encoding": lambda: compressed("pages", lambda pages: [(b"\x63" + data[1:], n) for data, n in pages]),
    "E-002.content_of_another_size": lambda: compressed("pages", of_page(lambda n, size: n + 8)),
    "F-064.node_behind_the_content": lambda: compressed("pages", cut_content),
    "sound.windows": lambda: windows(), "sound.windows_packed": lambda: windows(nodes={("l", "windows"): en.packed, "l.a": en.packed}),
    "sound.windows_paged": lambda: windows(nodes={("l", "windows"): (en.raw, "paged"), "l.a": (en.packed, "paged")}),
    "sound.windows_alias": lambda: windows(type="uint8", nodes={"l.b": Alias("l.a")}),
    "sound.tiers": lambda: tiers(), "sound.tiers_newest_first": lambda: tiers(flags=1),
    "sound.tiers_packed": lambda: tiers(nodes={("l", "windows"): en.packed, "l.a": en.packed, ("tier", "l.a", 1): en.packed}),
    "sound.tiers_unused": lambda: pools(LONG, LONG_CODES, LONG_POOL, 3),
    "sound.versions": lambda: groups(OWNERS, (5, 5, [0, 2, 2, 1, 0])), "sound.via_parent": lambda: groups(OWNERS, (4, 2, [0, 1, 0]), (4, 2, [1, 0])),
    "D-001.form_7.unsupported": lambda: groups((7, 3, [0, 1, 0, 1, 2])),
    "D-001.owner_of_form_7_without_a_time.unsupported": lambda: as_of([2, 2, 1], owners=(7, 3, [0, 1, 0, 1, 2]), times=None),
    "D-001.parent_of_form_7.unsupported": lambda: groups((7, 3, [0, 1, 0, 1, 2]), (4, 2, [0, 1, 0])),
    "D-001.damage_beside_form_7": lambda: groups((7, 3, [0, 1, 0, 1, 2]), (4, 2, [0, 1, 2])),
    "D-001.general_beyond": lambda: groups((3, 3, [0, 1, 0, 1, 3])), "D-001.via_parent_beyond": lambda: groups(OWNERS, (4, 2, [0, 1, 2])),
    "D-002.general": lambda: groups((3, 3, [0, 1, 0, 1, 1])), "D-002.via_parent": lambda: groups(OWNERS, (4, 2, [1, 1, 1])),
    # Values of the owners; gaps; unique rows of exceptions.
    "sound.exceptions": lambda: groups(OWNERS, (4, 3, [0, 1, 0, 0, 3, 1, 2])), "sound.exception_at_the_end": lambda: groups(OWNERS, (4, 2, [0, 1, 0, 4, 1])),
    "D-001.exception_beyond": lambda: groups(OWNERS, (4, 2, [0, 1, 0, 5, 1])), "D-001.exceptions_of_one_row": lambda: groups(OWNERS, (4, 3, [0, 1, 0, 3, 0, 2, 0])),
    "D-001.exception_is_none": lambda: groups(OWNERS, (4, 2, [0, 1, 0, 3, 1])), "D-001.exception_of_no_unique_row": lambda: groups(OWNERS, (4, 2, [0, 1, 0, 3, 2])),
    "D-001.half_an_exception": lambda: groups(OWNERS, (4, 2, [0, 1, 0, 3])), "D-001.more_exceptions_than_rows": lambda: groups(OWNERS, (4, 2, [0, 1, 0] + 6 * [1] + 6 * [0])),
    "D-001.constant_exceptions": lambda: groups(OWNERS, (4, 1, [0, 0, 0, 0, 0])), "D-002.exception_hides_the_last": lambda: groups(OWNERS, (4, 3, [0, 1, 2, 4, 1])),
    "D-002.version_skipped": lambda: groups(OWNERS, (5, 5, [4, 0, 3, 0, 0])), "D-002.first_version_skipped": lambda: groups(OWNERS, (5, 4, [0, 0, 0, 0, 2])),
    "D-005.below_zero": lambda: groups(OWNERS, (5, 3, [1, 0, 0, 0, 0])), "D-005.too_few": lambda: groups(OWNERS, (5, 3, [0, 0, 2, 0, 0])),
    "sound.as_of": lambda: as_of([1, 1, 2, 1]), "sound.as_of_missing_first": lambda: as_of([2, 1, 1, 1], times=[5, -7, None, -2**63, 2**63 - 1]),
    "sound.as_of_and_its_time": lambda: as_of([1, 1, 2, 1], times=[5, 3, None], time_group=1),
    "D-006.of_no_row": lambda: as_of([0, 2, 2, 1]), "D-006.of_two_owners": lambda: as_of([3, 1, 1]), "D-006.too_few_rows": lambda: as_of([2, 2]),
    "D-006.too_many_rows": lambda: as_of([2, 2, 2]), "D-006.no_time": lambda: as_of([2, 2, 1], times=None), "D-006.key_is_no_time": lambda: as_of([2, 2, 1], keys=[2, 0]),
    "D-006.time_of_an_id_space": lambda: as_of([1, 1, 2, 1], ids=[3, 5, 9]),
    "S-015.ids_of_one_byte": lambda: tiers(flags=8),
    "S-010.time_of_an_unknown_kind.unsupported": lambda: as_of([2, 2, 1], time_kind=10),
    "D-006.time_told_by_time": lambda: as_of([1, 1, 2, 1], times=[5, 5, 3, 9], time_group=2),
    "D-013.first_code_odd": lambda: windows([3, 3, 0, 9, 0, 0, 11]), "D-013.first_code_odd_and_inside": lambda: windows([1, 0], [6, 7, 8], [[6, 7], [8]]),
    "D-013.gap_in_front": lambda: windows([4, 3, 0, 9, 0, 0, 11], [0] + POOL), "D-013.gap_between": lambda: windows([2, 3, 0, 9, 0, 2, 13], POOL[:4] + [0] + POOL[4:]),
    "D-013.gap_in_last_chain": lambda: windows([2, 3, 0, 9, 0, 2, 0], [5, 6, 7, 8, 0, 1, 2, 6, 7]),
    "D-013.shares_nothing": lambda: windows([2, 3, 0, 9, 0, 9, 11]), "D-013.across_chains": lambda: windows([2, 3, 0, 9, 0, 0, 3]),
    "D-013.before_the_pool": lambda: windows([2, 3, 0, 9, 0, 0, 19]), "D-013.behind_the_pool": lambda: windows([2, 3, 0, 9, 0, 0, 2**32 - 2]),
    "D-013.window_of_nothing": lambda: windows([2, 3, 2, 9, 0, 0, 11]), "D-013.longer_pool": lambda: windows(pool=POOL + [1]),
    "D-013.tiers_first_code_odd": lambda: pools(LONG, [1, 25, 0], LONG_POOL, 2, 7, 0, [LONG_POOL[8:], LONG_POOL[:8]]),
    "D-013.tiers_across_chains": lambda: pools([[1, 2], [3, 4], [2, 3]], [0, 0, 3], [1, 2, 3, 4], 2, 3),
    "D-014.reach_too_small": lambda: tiers(6), "D-014.reach_too_great": lambda: tiers(8),
    "D-014.reach_without_tiers": lambda: pools(LONG, LONG_CODES, LONG_POOL, 0, 7), "D-014.tier_too_long": lambda: tiers(spread=[LONG_POOL[:9], LONG_POOL[9:]]),
    "D-014.tier_without_reach": lambda: tiers(0),
    "D-014.tier_without_windows": lambda: pools([[1, 2], [3]], [], [], 2, 0, 0, [[1, 2], [3]]),
    "sound.source": lambda: sources(), "sound.source_paged": lambda: sources(encoder=(en.shared([50, 60, 70, 60, 70, 80, 90, 10, 20], code_width=4), "paged")),
    "sound.source_without_places": lambda: sources(encoder=en.raw), "sound.source_of_an_id_space": lambda: sources(spaces=(0, 1), seen=en.shared([10, 60, 90])),
    "sound.source_of_floats": lambda: sources(type="float32", encoder=en.shared([50, 60, 70, 60, 70, 80, 90, 10, 20], code_width=2)),
    "E-051.no_such_place": lambda: sources(encoder=lambda v, w: en.shared([50, 60, 70, 60, 70, 80, 90, 10, 20, 99], code_width=1)(v, w)),
    "E-001.damage_in_a_source_of_an_unknown_type": lambda: sources(seen_type=13, seen=lambda v, w: en.raw(v, w)[:2] + b"\2" + en.raw(v, w)[3:]),
    "F-066.no_column": lambda: sources(names_source(5)), "F-066.half_a_name": lambda: sources(names_source(0, 1)), "F-066.itself": lambda: sources(names_source(1)),
    "F-066.of_an_alias": lambda: sources(names_source(3)), "F-066.of_another_width": lambda: sources(names_source(4)),
    "F-066.no_id_space": lambda: sources(names_source(2, 1)), "F-066.id_space_not_stated": lambda: sources(names_source(2), spaces=(0, 1), seen=en.shared([10, 60, 90])),
    "F-066.another_id_space": lambda: sources(names_source(2, 2), spaces=(0, 1), seen=en.shared([10, 60, 90])),
    "F-066.of_a_source": lambda: sources(more={3: names_source(1)}, nodes={"seen": en.raw}),
    "F-066.of_one_value": lambda: sources(more={3: {"form": 1, "constant": 50, "first_page": 0, "num_pages": 0, "offset_in_page": 0, "size": 0}}),
    "sound.range_up_to_the_footer": lambda: range_ends(0), "F-051.range_ends_in_the_footer": lambda: range_ends(8),
    "F-066.of_no_list": lambda: sources(kind="key", encoder=en.raw, liked=[50, 60, None, 70, 80]), "F-066.of_a_shape": lambda: sources({}, {1: names_source(2)}),
    "F-066.of_a_shape_of_an_unknown_kind": lambda: sources({}, {1: names_source(2)}, liked_kind=10),
    "F-066.narrow_of_an_unknown_kind": lambda: sources(type="uint8", encoder=en.raw, liked_kind=10),
    "F-066.narrow": lambda: sources(type="uint8", encoder=en.raw), "F-066.tiers": lambda: sources(tiers=2, encoder=en.raw),
    "sound.statistics": lambda: statistics(), "sound.statistics_of_some": lambda: statistics(change=lambda content: bytes(24)),
    "sound.statistics_required": lambda: statistics(flags=3), "F-080.statistics_as_a_whole": lambda: statistics(flags=0),
    "F-082.ends_descend": lambda: statistics(change=swapped(-20, 0)), "F-082.bytes_behind": lambda: statistics(change=lambda content: content + b"\0"),
    "F-082.of_a_list": of_a_list, "sound.statistics_of_strings": strings, "F-083.string_cut": lambda: strings(0, (TIME[:23], STRINGS[0][1], 1)),
    "F-083.string_not_cut": lambda: strings(0, bytes([25]) + TIME + b"a\0\7" + STRINGS[0][1] + b"\1"), "F-083.least_string_too_small": lambda: strings(0, (TIME[:23] + b"A", STRINGS[0][1], 1)),
    "F-083.greatest_string_cut": lambda: strings(0, (TIME, STRINGS[0][1][:6], 1)), "F-083.greatest_string_too_long": lambda: strings(1, bytes([0, 0, 25]) + bytes([65] * 25) + b"\1"),
    "F-083.greatest_string_too_small": lambda: strings(1, (b"", b"Oslo", 1)), "F-083.strings_in_the_wrong_order": lambda: strings(1, b"\1b\0\1a\1"),
    "F-083.greatest_string_begins_the_least": lambda: strings(1, b"\2ab\1\0\1"), "F-083.strings_share_more": lambda: strings(1, b"\2ab\0\2ac\1"),
    "F-083.strings_share_more_than_there_is": lambda: strings(1, b"\1a\2\1b\1"), "F-083.no_string_where_some_are": lambda: strings(1, (None, None, 1)),
    "F-083.a_string_of_no_row": lambda: strings(2, (b"", b"", 2)), "F-083.string_ends_inside": lambda: strings(2, b"\5a"),
    "F-082.of_more_stripes": lambda: statistics(change=lambda c: c[:20] + struct.pack("<I", len(c) - 22) + c[24:] + b"\0\0"),
    "F-083.least_too_small": lambda: statistics("k", 0, (-6, 2**40, 0)), "F-083.least_too_great": lambda: statistics("k", 0, (-4, 2**40, 0)),
    "F-083.greatest_too_small": lambda: statistics("k", 1, (-5, -5, 0)), "F-083.greatest_too_great": lambda: statistics("i", 0, (7, 501, 0)),
    "F-083.a_row_less_is_missing": lambda: statistics("b", 0, (1, 1, 0)), "F-083.more_missing_than_rows": lambda: statistics("n", 0, (None, None, 4)),
    "F-083.zero_for_minus_zero": lambda: statistics("f", 0, (0, 0, 0)), "F-083.bounds_of_nan": lambda: statistics("f", 1, (0, 0, 1)),
    "F-083.no_bounds": lambda: statistics("f", 0, (None, None, 0)), "F-083.float_bounds_in_the_wrong_order": lambda: statistics("n", 1, (TWO, ONE, 0)),
    "F-083.longer_than_needed": lambda: statistics(change=lambda c: c[:20] + struct.pack("<I", len(c) - 23) + c[24:-1] + b"\x81\0"),
    "F-083.ends_inside": lambda: statistics(change=lambda c: c[:20] + struct.pack("<I", len(c) - 25) + c[24:-1]),
    "sound.deleted": lambda: deleted((2, [0, 1, 0, 0, 1]), (3, None)), "sound.deleted_none": lambda: deleted((0, None)), "sound.deleted_all": lambda: deleted((5, None), (3, None)),
    "F-080.deleted_not_required": lambda: deleted((1, [1, 0, 0, 0, 0]), flags=2), "F-084.too_many": lambda: deleted((6, None)), "F-084.no_node": lambda: deleted((2, None)),
    "F-084.node_of_nothing": lambda: deleted((0, [0] * 5)), "F-084.node_of_everything": lambda: deleted((5, [1] * 5)), "F-084.count_too_small": lambda: deleted((1, [0, 1, 0, 0, 1])),
    "F-084.count_too_great": lambda: deleted((3, [0, 1, 0, 0, 1])), "F-084.no_flags": lambda: deleted((3, [2, 1, 0, 0, 0])),
    "F-084.node_too_long": lambda: deleted((2, en.raw([0, 1, 0, 0, 1], 1) + bytes(8))), "F-084.bytes_behind": lambda: deleted((2, [0, 1, 0, 0, 1]), change=lambda c: c + bytes(8)),
    "E-002.deleted_of_fewer_rows": lambda: deleted((2, [0, 1, 0, 1])), "E-005.deleted.unsupported": lambda: deleted((2, bytes([99]) + en.raw([0, 1, 0, 0, 1], 1)[1:])),
    "sound.overlay": lambda: overlay((4, 9), (20, 23)), "sound.overlay_of_one_range": lambda: overlay((22, 30)), "sound.overlay_of_all": lambda: overlay((0, 8), base_rows=8),
    "F-080.overlay_not_required": lambda: overlay((4, 9), (20, 23), flags=0), "F-080.overlay_in_blocks": lambda: overlay((4, 9), (20, 23), flags=3),
    "F-080.two_overlays": lambda: overlay((4, 9), (20, 23), more=[(7, 1, bytes(32))]),
    "F-087.no_rows": overlay, "F-087.half_a_range": lambda: overlay((4, 12), behind=bytes(8)), "F-087.more_ranges_than_stripes": lambda: overlay((0, 5), (6, 8), (9, 10)),
    "F-087.an_empty_range": lambda: overlay((4, 12), (20, 20)), "F-087.a_range_backwards": lambda: overlay((12, 4)), "F-087.ranges_that_touch": lambda: overlay((4, 9), (9, 12)),
    "F-087.ranges_that_overlap": lambda: overlay((4, 9), (8, 11)), "F-087.ranges_that_descend": lambda: overlay((20, 25), (4, 7)),
    "F-087.beyond_the_base": lambda: overlay((23, 31)), "F-087.a_row_less": lambda: overlay((4, 11)), "F-087.a_row_more": lambda: overlay((4, 13)),
    "F-087.a_stripe_of_two_ranges": lambda: overlay((4, 8), (20, 24)), "F-087.ends_that_wrap": lambda: overlay((2**64 - 8, 2**64 - 1), base_rows=2**64 - 1),
    "F-087.cluster_keys": lambda: overlay((4, 9), (20, 23), keys=[0]), "F-087.deleted_rows": lambda: overlay((4, 9), (20, 23), more=[(4, 3, struct.pack("<4I", 0, 0, 0, 0))]),
    "sound.appended": lambda: grown(), "sound.replaced": lambda: grown(kept=1), "sound.footer_replaced": lambda: grown(more=0), "sound.stripe_dropped": lambda: grown(more=-1, kept=1),
    "sound.previous_not_named": lambda: grown(edit=no_sections),
    "F-051.appended_without_flag": lambda: grown(kept=0, compat=0, edit=no_sections), "F-034.previous_without_flag": lambda: grown(more=0, compat=0),
    "F-034.no_file": lambda: grown(before=lambda size: size - 8), "F-034.a_file_to_come": lambda: grown(before=lambda size: size + 4096),
    "sound.page_of_no_stream": lambda: other_parts("pages", lambda pages: pages + [(en.raw([1, 2, 3], 4), 3)]),
    "F-063.page_of_no_stream": lambda: other_parts("pages", lambda pages: pages + [(en.raw([1, 2, 3], 4), 3)], 0),
    "sound.node_of_no_stream": lambda: other_parts("pages", lambda pages: [(pages[0][0] + en.raw([1, 2, 3], 4), 0)] + pages[1:]),
    "F-064.node_of_no_stream": lambda: other_parts("pages", lambda pages: [(pages[0][0] + en.raw([1, 2, 3], 4), 0)] + pages[1:], 0),
    "F-002.pages_of_two_stripes": same_pages,
    "F-061.form_9.unsupported": lambda: unknown_form(3), "F-061.form_9_of_a_shape.unsupported": lambda: unknown_form(4, offset_in_page=3, size=5, reserved=7, constant=1),
    "F-061.form_9_without_values": lambda: unknown_form(5),
    "D-010.damage_beside_form_9": lambda: unknown_form(4, num_values=2), "F-061.alias_of_form_9.unsupported": alias_of_unknown_form,
    "F-061.damage_beside_form_9": lambda: alias_of_unknown_form(num_values=2),
    "F-070.damage_beside_form_9": lambda: other_parts("stripe 1 streams", lambda streams: [dict(s, form=9, num_values=2) if i == 3 else s for i, s in enumerate(streams)], 0),
    "sound.values_per_page": lambda: paged(3000, 1024, 2048), "sound.most_values_per_page": lambda: paged(3000, 1024, 2**20),
    "F-061.values_per_page_as_stated": lambda: paged(3000, 1024, 1024), "F-061.values_per_page_not_of_1024": lambda: paged(3000, 1024, 1500),
    "F-061.too_many_values_per_page": lambda: paged(3000, 1024, 2**20 + 1024, 2**20), "F-061.fewer_pages_than_values": lambda: paged(3000, 1024, 2048, 4096),
    "F-062.page_of_other_values": lambda: paged(3000, 1024, 2048, 1500),
    "E-005.flags.unsupported": lambda: other_parts("pages", lambda pages: [pages[0], (pages[1][0][:3] + b"\2" + pages[1][0][4:], pages[1][1])], 0),
    "F-085.encrypted.unsupported": lambda: smallest(sections=[(6, 1, b"key")]).bytes(), "F-085.not_required": lambda: smallest(sections=[(6, 0, b"key")]).bytes(),
    "F-073.group_without_columns": lambda: Builder([Col("a", "dense", "int8")], [Rows(2, {"a": [1, 2]}, groups=[(0, 2, ())])], [Grp("g")]).bytes(),
}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "rules"
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in (FILES | EDGES).items():
        (folder / f"{name}.dsi").write_bytes(make())


if __name__ == "__main__":
    main()

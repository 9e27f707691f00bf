#!/usr/bin/env python3
"""Makes the small files of tests/golden/rules: `sound.*.dsi`, and `<rule>.*.dsi`, which break that rule under valid seals. Deterministic.

    tests/golden/make_rules.py [FOLDER]

`*.unsupported.dsi` are refused as unsupported, not as damage. `found.*.dsi` broke a decoder once and are refused now, whatever the rule; they are not made here.
"""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "spec" / "reference"))
import encode_nodes as en  # noqa: E402
from dsi_nodes import node  # noqa: E402
from build_example import Alias, Builder, Col, Grp, Ids, Rows  # noqa: E402


def pools(lists, codes, pool, tiers=0, top=0, flags=0, spread=None, more=(), nodes=None, type="int64"):
    """A feature "l", or two with `more`, whose streams are as given whatever the rules say. `spread`: the tiers."""
    columns = [Col("l.a", "sequence", type, feature="l", windows=True, tiers=tiers, flags=flags),
               Col("l.b", "sequence", "uint8", feature="l", windows=True, tiers=tiers, flags=flags), *more]
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


def groups(*forms, rows=5, times=None, time_group=0, keys=None, ids=None):
    """A column for each group; form, unique rows and index of each, whose parent is the one before. `times`: a time column, the last key."""
    columns = [Col(f"g{i}", "key", "int64", group=i) for i in range(len(forms) + 1)]
    values = {f"g{i}": list(range(n)) for i, n in enumerate([rows] + [n for _, n, _ in forms])}
    if times:
        columns.append(Col("t", "timestamp", "int64", group=time_group, time_unit=2, **({"id_space": 0} if ids else {})))
        values["t"] = [t if t is None else t % 2**64 for t in times]
        keys = [0, len(columns) - 1] if keys is None else keys
    return Builder(columns, [Rows(rows, values, list(forms), num_sessions=int(bool(keys)), **({"ids": {0: ids}} if ids else {}))],
                   [Grp(f"group {i}", parent=i) for i in range(len(forms))], [Ids("", 8)] if ids else (), cluster_keys=keys or ()).bytes()


OWNERS = (3, 3, [0, 1, 0, 1, 2])
TIMES = [5, 5, 3, 9, None]  # Of owner 0: rows 2, 0; of owner 1: rows 1, 3.


def as_of(counts, num_unique=None, owners=OWNERS, **more):
    return groups(owners, (6, len(counts) if num_unique is None else num_unique, counts), **{"times": TIMES, **more})


def compressed(what="", edit=None, change=None, encoder=en.compressed(2)):
    """Three blocks of columns and a page, compressed; `edit` changes the part of the file called `what`, `change` each node."""
    columns = [Col(f"feature.{i:03}", "list", "int64") for i in range(100)]
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


FILES = {
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
    "F-073.group_without_columns": lambda: Builder([Col("a", "dense", "int8")], [Rows(2, {"a": [1, 2]}, groups=[(0, 2, ())])], [Grp("g")]).bytes(),
}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "rules"
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        (folder / f"{name}.dsi").write_bytes(make())


if __name__ == "__main__":
    main()

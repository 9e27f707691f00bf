#!/usr/bin/env python3
"""Prints `spec/smallest.md`: the smallest file, and a page of a larger one, byte by byte.

    python walk_example.py > ../smallest.md
"""

from __future__ import annotations

from build_example import alias, joined, smallest, three

OPAQUE = ("magic", "root", "vtable: its", "names", "padding", "nodes", "content", "writer: bytes")

HEAD = """\
# The smallest file, byte by byte

Made by `python spec/reference/walk_example.py`; a test keeps this page equal to its output. Rules
are those of [format.md](format.md) and [encodings.md](encodings.md). A field is one line: its
offset in the file, its bytes, its name and, for plain numbers, its value. Seals are printed as the
bytes they are.

## One row, one feature: x = 7 ({small} bytes)

The shape stream says *present* (code 1) for the only unique row, the values stream says 7. Both are
constant (form 1), so the stripe has no page, its page table is empty, and its data range is the
empty one at 64. The group of rows (group 0) is there as in every file.
"""

PAGE = """\
## A page: three rows, a list and a number ({other} bytes)

Rows: `clicks` = [5, 6], [5, 6], []; `price` = 1.0, missing, 0.5. The first two rows share a unique
row of the group *session*, whose index is the run lengths 2, 1. Five small streams share one page,
which starts at 64: at 0 the shape of `clicks` (codes 3 and 1, raw), at 24 its entries (packed: base
5, bit width 1, bits 0 and 1), at 64 the shape of `price` (1, 0, 1), at 88 its values, at 112 the
index. Directory, core footer and trailer are as above.
"""


ALIAS = """\
## Aliases and sections: two equal lists, a rounded number ({other} bytes)

Rows: `seen` = `liked` = [7, 8, 9] and [8]; `score` = 0.1 rounded to fp16, and missing. The streams
of `liked`, slots 3 and 4, are of form 4: `first_page` names the slots 0 and 1, whose nodes, count,
width and max they have. The page holds three nodes: at 0 the shape of `seen` (codes 4 and 2), at 24
its entries, at 56 the shape of `score` (1, 0); its one value is a constant. Of `liked` no byte is
stored but its records. The sections are user metadata, kind 1, whose padding is no part of its 15
bytes, and the rounded columns, kind 2: column 2, precision 1, the greatest error. Their descriptors
stand in the core footer, of which nothing else is shown.
"""


def walk(builder, only=None, fields=""):
    """The ranges of a file as Markdown: place, bytes and meaning of every field. With `only`, those
    ranges, and of the core footer what begins with `fields`."""
    at, lines = 0, []
    for r in builder.ranges:
        start = at
        at += len(joined(r.fields))
        if only and not r.what.startswith(only):
            continue
        shown = fields if r.what == "core footer" else ""
        lines += [f"### {start}…{at - 1}: {r.what}", "", "```"]
        place = start
        for f in r.fields:
            width = 8 if len(f.data) <= 8 else 16
            chunks = [f.data[i:i + width] for i in range(0, len(f.data), width)]
            opaque = f.name.startswith(OPAQUE) or "seal" in f.name or len(f.data) > 8
            value = int.from_bytes(f.data, "little")
            meaning = f.name if opaque else f"{f.name} = {value}"
            for i, chunk in enumerate(chunks):
                if not f.name.startswith(shown):
                    place += len(chunk)
                    continue
                text = chunk.hex(" ")
                lines.append(f"{place:5}  {text:<47}  {meaning if i == 0 else ''}".rstrip())
                place += len(chunk)
        lines += ["```", ""]
    return lines


def page():
    small, other, equal = smallest(), three(), alias()
    lines = HEAD.format(small=small.size).split("\n")
    lines += walk(small)
    lines += PAGE.format(other=other.size).split("\n")
    lines += walk(other, "stripe 0")
    lines += ALIAS.format(other=equal.size).split("\n")
    shown = ("stripe 0 page", "stripe 0 streams", "section", "core footer")
    return lines + walk(equal, shown, "sections[")[:-1]


if __name__ == "__main__":
    print("\n".join(page()))

"""A description as tables of text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _bars
from ._shown import count, factor, group_columns, markup, name, owner, share, size

if TYPE_CHECKING:
    from .description import Description


@dataclass
class _Table:
    """left: so many columns are texts, the others numbers. plot: the one that belongs to it."""

    headings: list[str]
    rows: list[list[str]]
    left: int = 1
    plot: str = ""


def _summary(of: Description) -> _Table:
    rows = count(of.rows) + (f" ({count(of.deleted_rows)} deleted)" if of.deleted_rows else "")
    each = f" ({of.bytes / of.rows:,.1f} B a row)" if of.rows else ""
    facts = {
        "files": count(of.files),
        "rows": rows,
        "sessions": count(of.sessions),
        "bytes": size(of.bytes) + each,
        "features": count(len(of.features)),
        "stripes": count(of.stripes),
        "written by": ", ".join(name(writer) for writer in of.writers),
    }
    return _Table(["", ""], [[key, fact] for key, fact in facts.items()], left=2)


def _features(of: Description) -> _Table:
    rounded = any(one.precision != "exact" for one in of.features)
    lines = []
    for one in of.features[: of.top]:
        line = [name(one.name), one.kind, one.type, count(one.values)]
        if rounded:
            exact = one.precision == "exact"
            line += ["", ""] if exact else [one.precision, f"{one.max_error:.3g}"]
        lines.append([*line, size(one.bytes), share(one.bytes, of.bytes)])
    gap = ["", "", ""] + ["", ""] * rounded
    rest = sum(one.bytes for one in of.features[of.top :])
    others = {f"({count(len(of.features) - of.top)} others)": rest} if rest else {}
    for title, number in {
        **others,
        **{f"({key})": number for key, number in of.other_bytes.items() if number},
        "(all)": of.bytes,
    }.items():
        lines.append([title, *gap, size(number), share(number, of.bytes)])
    error = ["precision", "max error"] if rounded else []
    return _Table(
        ["feature", "kind", "type", "values", *error, "bytes", "of all"], lines, 3, "bytes"
    )


def _groups(of: Description) -> _Table:
    lines = [
        [
            owner(one),
            group_columns(one),
            count(one.rows),
            count(one.unique_rows),
            factor(one.rows, one.unique_rows),
            size(one.index_bytes),
        ]
        for one in of.groups[: of.top]
    ]
    if rest := of.groups[of.top :]:
        rows, unique = sum(one.rows for one in rest), sum(one.unique_rows for one in rest)
        index = size(sum(one.index_bytes for one in rest))
        title = f"({count(len(rest))} others)"
        lines.append([title, "", count(rows), count(unique), factor(rows, unique), index])
    return _Table(
        ["owner", "features", "rows", "unique rows", "rows / unique", "index"], lines, 2, "dedup"
    )


def _plan(of: Description) -> _Table:
    plan = of.plan
    line = [
        count(plan.columns),
        size(plan.bytes),
        share(plan.bytes, of.bytes),
        size(plan.bytes_needed),
        count(plan.reads),
        size(plan.directory_bytes),
        count(plan.directory_reads),
        f"{count(plan.stripes_skipped)} of {count(of.stripes)}",
    ]
    headings = [
        "columns of a scan",
        "bytes",
        "of all",
        "needed",
        "reads",
        "of the directory",
        "reads",
        "stripes skipped",
    ]
    return _Table(headings, [line], 0, "plan")


def _tables(of: Description) -> Iterator[_Table]:
    yield _summary(of)
    yield _features(of)
    yield _groups(of)
    yield _plan(of)


def as_text(of: Description) -> str:
    """Tables for a terminal, as wide as they are."""
    return "\n\n".join(_table_text(table) for table in _tables(of))


def _table_text(table: _Table) -> str:
    lines = [*([table.headings] if any(table.headings) else []), *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = [
        [
            cell.ljust(width) if place < table.left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in lines
    ]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def as_html(of: Description) -> str:
    """The same tables, each beside its plot. No script, no style of the page is touched."""
    plots = _bars.plots(of)
    parts = [_table_html(table) + plots.get(table.plot, "") for table in _tables(of)]
    return f'<div class="dsi-description">{"".join(parts)}</div>'


def _table_html(table: _Table) -> str:
    def line(cells: list[str], tag: str) -> str:
        made = (
            f'<{tag} style="text-align:{"left" if place < table.left else "right"}">'
            f"{markup(cell)}</{tag}>"
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(made)}</tr>"

    head = f"<thead>{line(table.headings, 'th')}</thead>" if any(table.headings) else ""
    body = "".join(line(row, "td") for row in table.rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"

"""Bars as SVG, small enough to stand in a page. What is shown of names is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._shown import factor, markup, name, owner, share, size

if TYPE_CHECKING:
    from .description import Description, GroupRows

_LABEL, _BAR, _TEXT = 210, 330, 150  # Widths.
_LINE, _TOP = 20, 28  # Heights: of a bar with its gap, of the title.


@dataclass
class Bar:
    """value out of `of`, which is drawn behind it; text stands beside."""

    label: str
    value: int
    text: str
    of: int = 0


def plots(of: Description) -> dict[str, str]:
    """The plots of a description, as SVG by name."""
    return {
        "bytes": bars("bytes by feature", _by_feature(of)),
        "dedup": bars("dedup by owner: unique values of all values", _by_owner(of.groups)),
        "plan": bars("what a scan reads", _by_part(of)),
    }


def _by_feature(of: Description) -> list[Bar]:
    made = [Bar(name(one.name, 28), one.bytes, size(one.bytes)) for one in of.features[: of.top]]
    rest = sum(one.bytes for one in of.features[of.top :])
    if rest:
        made.append(Bar(f"({len(of.features) - of.top:,} others)", rest, size(rest)))
    return made


def _by_owner(groups: Sequence[GroupRows]) -> list[Bar]:
    """A row of a group has a value of each of its columns."""
    totals: dict[str, tuple[int, int]] = {}
    for one in groups:
        rows, unique = totals.get(owner(one), (0, 0))
        weight = len(one.columns)
        totals[owner(one)] = (rows + one.rows * weight, unique + one.unique_rows * weight)
    return [
        Bar(name(whose, 28), unique, f"{factor(rows, unique)} fewer" if rows > unique else "", rows)
        for whose, (rows, unique) in totals.items()
    ]


def _by_part(of: Description) -> list[Bar]:
    plan = of.plan
    return [
        Bar("files", of.bytes, size(of.bytes)),
        Bar(
            f"read of {plan.columns:,} columns",
            plan.bytes,
            f"{size(plan.bytes)}, {share(plan.bytes, of.bytes)}",
            of.bytes,
        ),
        Bar(
            "directory, to find them",
            plan.directory_bytes,
            size(plan.directory_bytes),
            of.bytes,
        ),
    ]


def bars(title: str, of: Sequence[Bar]) -> str:
    """A chart of horizontal bars. It takes the colour of the text around it."""
    most = max((max(bar.value, bar.of) for bar in of), default=0) or 1
    width, height = _LABEL + _BAR + _TEXT, _TOP + _LINE * len(of) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" style="max-width:100%;height:auto"'
        f' role="img" aria-label="{markup(title)}"'
        ' font-family="system-ui, sans-serif" font-size="12" fill="currentColor">',
        f'<text x="0" y="16" font-weight="bold">{markup(title)}</text>',
    ]
    for place, bar in enumerate(of):
        top = _TOP + _LINE * place
        middle, whole = top + 12, _BAR * bar.of / most
        length = _BAR * max(bar.value, 0) / most
        parts.append(f'<text x="{_LABEL - 8}" y="{middle}" text-anchor="end">')
        parts.append(f"{markup(bar.label)}</text>")
        if bar.of:
            parts.append(_bar(top, whole, "#4c78a8", 0.25))
        parts.append(_bar(top, length, "#4c78a8", 1))
        end = _LABEL + max(whole, length) + 6
        parts.append(f'<text x="{end:.1f}" y="{middle}">{markup(bar.text)}</text>')
    return "".join(parts) + "</svg>"


def _bar(top: int, length: float, colour: str, opacity: float) -> str:
    return (
        f'<rect x="{_LABEL}" y="{top}" width="{length:.1f}" height="{_LINE - 5}" fill="{colour}"'
        f' fill-opacity="{opacity}"/>'
    )

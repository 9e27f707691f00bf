"""Numbers and names as people read them. Names come from files, so nothing of them is believed."""

from __future__ import annotations

import html
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .description import GroupRows


def count(number: int) -> str:
    """'1,234'."""
    return f"{number:,}"


def size(number: int) -> str:
    """'1.7 MiB'; negative where it is a saving."""
    value, unit = float(number), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if abs(value) < 1024:
            break
        value, unit = value / 1024, larger
    return f"{number} B" if unit == "B" else f"{value:,.1f} {unit}"


def share(part: int, whole: int) -> str:
    """'12.5%'."""
    return f"{100 * part / whole:.1f}%" if whole else ""


def factor(rows: int, unique: int) -> str:
    """'6.04x'."""
    return f"{rows / unique:.2f}x" if unique else ""


def name(text: str, most: int = 48) -> str:
    """A name on one line: what steers a terminal or turns the direction of text is escaped, what is
    too long is cut in its middle."""
    safe = "".join(c if _is_plain(c) else f"\\u{{{ord(c):x}}}" for c in text)
    if len(safe) <= most:
        return safe
    return safe[: most - most // 2 - 1] + "…" + safe[len(safe) - most // 2 :]


def _is_plain(char: str) -> bool:
    return char == " " or unicodedata.category(char)[0] not in "CZ"


def markup(text: str) -> str:
    """For HTML and SVG."""
    return html.escape(text, quote=True)


def owner(group: GroupRows) -> str:
    """Whose state a group is."""
    if not group.shared:
        return "(each row)"
    return name(group.owner) if group.owner else "(unknown)"


def group_columns(group: GroupRows) -> str:
    """Its declared name, else its first column, and how many others there are."""
    first = group.name or (group.columns[0] if group.columns else "")
    more = f" +{len(group.columns) - 1}" if len(group.columns) > 1 and not group.name else ""
    return name(first) + more

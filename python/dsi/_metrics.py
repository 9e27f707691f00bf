"""What a trainer's exporter serves of scans and loaders: Prometheus' text format."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .errors import InvalidArgument

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def label_text(labels: Mapping[str, object] | None, taken: tuple[str, ...] = ("stage",)) -> str:
    """Labels as they stand between the braces of a line: `job="ranker",rank="0"`.

    InvalidArgument: a name that no label may have, or that the lines have themselves.
    """
    parts = []
    for name, value in (labels or {}).items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name.startswith("__"):
            raise InvalidArgument(f"label {name!r}: names are letters, digits and '_'")
        if name in taken:
            raise InvalidArgument(f"label {name!r} is one that the metrics have themselves")
        shown = str(value).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
        parts.append(f'{name}="{shown}"')
    return ",".join(parts)

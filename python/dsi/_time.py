"""Points in time of Python as the whole numbers that timestamps are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def units_since_epoch(value: Any, unit: str) -> int | None:
    """A datetime (without a zone it is UTC) or numpy.datetime64 in this unit; None: it is neither,
    NaT, or lies between two numbers. Called by the native module.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        since = value - _EPOCH
        micros = (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds
        whole, rest = divmod(micros * _PER_SECOND[unit], 10**6)
        return None if rest else whole
    if type(value).__name__ == "datetime64":
        made = value.astype(f"datetime64[{unit}]")
        return int(made.astype("int64")) if made == value else None
    return None

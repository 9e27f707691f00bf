"""Points in time of Python as the whole numbers that timestamps are, and as text."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def units_since_epoch(value: Any, unit: str) -> int | str | None:
    """A datetime (without a zone it is UTC), date or numpy.datetime64 in this unit; None: it is
    neither; 'unfit': it is NaT, or lies between two numbers. Called by the native module.
    """
    if isinstance(value, date):
        if not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        if value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        since = value - _EPOCH
        micros = (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds
        whole, rest = divmod(micros * _PER_SECOND[unit], 10**6)
        return "unfit" if rest else whole
    if type(value).__name__ == "datetime64":
        made = value.astype(f"datetime64[{unit}]")
        return int(made.astype("int64")) if made == value else "unfit"
    return None


def times_of_array(values: Any) -> list[Any] | None:
    """The entries of an array of numpy.datetime64, NaT as None; None: it is no such array. Called
    by the native module.
    """
    if getattr(getattr(values, "dtype", None), "kind", "") != "M":
        return None
    return [None if value != value else value for value in values]


def iso_text(value: Any) -> Any:
    """ISO 8601 of a date, datetime or numpy.datetime64, in as many digits as its type has; a list
    of an array of these. None: it is neither.
    """
    if isinstance(value, datetime):
        return value.isoformat(
            timespec="nanoseconds" if hasattr(value, "nanosecond") else "microseconds"
        )
    if isinstance(value, date):
        return value.isoformat()
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":
        return value.astype(str).tolist()
    return None

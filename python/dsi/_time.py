"""Points in time of Python as the whole numbers that timestamps are, and as text."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Units of numpy: seconds in one, or how many make a second.
_SECONDS = {"W": 604_800, "D": 86_400, "h": 3600, "m": 60}
_PARTS = {**_PER_SECOND, "ps": 10**12, "fs": 10**15, "as": 10**18}
# More months than 64 bits of seconds have.
_MOST_MONTHS = 2**44


def units_since_epoch(value: Any, unit: str) -> int | str | None:
    """A datetime (without a zone it is UTC), date or numpy.datetime64 in this unit, of as many bits
    as it takes; None: it is neither; 'unfit': it is NaT, or lies between two numbers. Called by the
    native module.
    """
    if hasattr(value, "to_datetime64"):  # Of pandas, which has nanoseconds.
        value = value.to_datetime64()
    if isinstance(value, date):
        if not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        if value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        since = value - _EPOCH
        count = (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds
        return _whole(count * _PER_SECOND[unit], 10**6)
    if type(value).__name__ == "datetime64":
        return _units_of_datetime64(value, _PER_SECOND[unit])
    return None


def _units_of_datetime64(value: Any, per_second: int) -> int | str:
    if value != value:
        return "unfit"
    # Whole numbers of Python: those of numpy wrap around.
    unit, step = importlib.import_module("numpy").datetime_data(value.dtype)
    count: int = int(value.astype("int64")) * step
    if unit in ("Y", "M"):
        if abs(count) > _MOST_MONTHS:
            return count * 10**9
        unit, count = "D", int(value.astype("datetime64[D]").astype("int64"))
    return _whole(count * _SECONDS.get(unit, 1) * per_second, _PARTS.get(unit, 1))


def _whole(count: int, parts: int) -> int | str:
    whole, rest = divmod(count, parts)
    return "unfit" if rest else whole


def finest_unit(values: Iterable[Any]) -> str:
    """The coarsest unit that the types of all of these points in time need."""
    found = {_unit_of(value) for value in values}
    return max(found, key=list(_PER_SECOND).index, default="s")


def _unit_of(value: Any) -> str:
    if hasattr(value, "nanosecond"):
        return "ns"
    if isinstance(value, date):
        return "us" if isinstance(value, datetime) else "s"
    unit: str = importlib.import_module("numpy").datetime_data(value.dtype)[0]
    return unit if unit in _PER_SECOND else "ns" if unit in _PARTS else "s"


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

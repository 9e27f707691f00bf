"""How files are opened: the keywords that calls which read files have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypedDict

from . import _dsi
from ._checks import MOST_32, flag, number, path, text, whole, wrong
from .errors import InvalidArgument

_MOST_SECONDS = 86400
_MOST_CONNECTIONS = 256


class RemoteKeywords(TypedDict, total=False):
    """Of `dsi.open`: how files are asked for, of a disk and behind URLs."""

    headers: Sequence[str]
    ca_file: str
    s3_endpoint: str
    s3_region: str
    s3_profile: str
    s3_no_sign_request: bool
    connections: int
    first_connections: int
    max_tries: int
    deadline_s: float
    connect_timeout_s: float
    stall_timeout_s: int
    latency_s: float | None
    bytes_per_s: float | None
    direct: bool


def _is_header(line: Any) -> bool:
    is_line = isinstance(line, str) and not set(line) & set("\r\n\0")
    return is_line and line.find(":") > 0


def _headers(name: str, value: Any) -> list[str]:
    """Lines of a request. What is wrong with one is said without it: it may be a token."""
    is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    lines: list[Any] = list(value) if is_list else [None]
    if not all(map(_is_header, lines)):
        raise InvalidArgument(f"{name}: expected a list of lines 'Name: value'")
    return lines


def _seconds(name: str, value: Any) -> float:
    seconds = number(name, value)
    if not 0 < seconds <= _MOST_SECONDS:
        raise wrong(name, value, f"seconds above 0 and at most {_MOST_SECONDS}")
    return seconds


def _latency(name: str, value: Any) -> float | None:
    if value is None:
        return None
    seconds = number(name, value)
    if not 0 <= seconds <= _MOST_SECONDS:
        raise wrong(name, value, f"seconds from 0 to {_MOST_SECONDS}, or None")
    return seconds


def _speed(name: str, value: Any) -> float | None:
    if value is None:
        return None
    speed = number(name, value)
    if not (speed > 0 and isfinite(speed)):
        raise wrong(name, value, "a number above 0, or None")
    return speed


_CHECKS: dict[str, Any] = {
    "headers": _headers,
    "ca_file": path,
    "s3_endpoint": text,
    "s3_region": text,
    "s3_profile": text,
    "s3_no_sign_request": flag,
    "connections": lambda name, value: whole(name, value, 1, _MOST_CONNECTIONS),
    "first_connections": lambda name, value: whole(name, value, 0, MOST_32),
    "max_tries": lambda name, value: whole(name, value, 1, MOST_32),
    "deadline_s": _seconds,
    "connect_timeout_s": _seconds,
    "stall_timeout_s": lambda name, value: whole(name, value, 1, _MOST_SECONDS),
    "latency_s": _latency,
    "bytes_per_s": _speed,
    "direct": flag,
}


def checked(how: Mapping[str, Any]) -> dict[str, Any]:
    """The same keywords, as they are kept and pickled. InvalidArgument: a value of one."""
    return {
        name: _CHECKS[name](name, value) if name in _CHECKS else value
        for name, value in how.items()
    }


def opening(how: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of the library for what was `checked`: those of `_dsi.OpenOptions` as one."""
    others = {name: value for name, value in how.items() if name not in _CHECKS}
    asked = {name: value for name, value in how.items() if name in _CHECKS}
    return {**others, "open": _dsi.OpenOptions(**asked)}

"""Whether what was given for a keyword can be it: one tone for all of them."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from numbers import Real
from typing import Any

from .errors import InvalidArgument

# The greatest whole numbers that the library takes, of 32 and of 64 bits.
MOST_32 = 2**32 - 1
MOST_64 = 2**64 - 1
# Of what was given so much is shown.
_SHOWN = 80


def wrong(name: str, value: object, expected: str) -> InvalidArgument:
    """The error that says what was given and what was expected."""
    given = repr(value)
    if len(given) > _SHOWN:
        given = given[: _SHOWN - 3] + "..."
    return InvalidArgument(f"{name} is {given}, expected {expected}")


def whole(name: str, value: Any, least: int = 0, most: int = MOST_64) -> int:
    """A whole number, also one of numpy's, as int. InvalidArgument: another value."""
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(name, value, f"a whole number from {least}") from None
    if number < least:
        raise wrong(name, value, f"a whole number from {least}")
    if number > most:
        raise wrong(name, value, f"a whole number from {least} to {most}")
    return number


def number(name: str, value: Any) -> float:
    """A number, also one of numpy's. InvalidArgument: another value."""
    if not isinstance(value, Real):
        raise wrong(name, value, "a number")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """True or False, also those of numpy. InvalidArgument: another value."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise wrong(name, value, "True or False")
    return bool(value)


def word(name: str, value: Any, words: Sequence[str]) -> str:
    """One of these words. InvalidArgument: another value."""
    if not isinstance(value, str) or value not in words:
        *first, last = map(repr, words)
        raise wrong(name, value, f"{', '.join(first)} or {last}")
    return str(value)


def text(name: str, value: Any) -> str:
    """A str. InvalidArgument: another value."""
    if not isinstance(value, str):
        raise wrong(name, value, "a str")
    return str(value)


def path(name: str, value: Any) -> str:
    """A path as a str. InvalidArgument: another value."""
    return text(name, os.fspath(value) if isinstance(value, os.PathLike) else value)


def dtype_name(dtype: Any) -> str:
    """The name of a dtype of numpy, torch or jax; a str is one already."""
    if isinstance(dtype, str):
        return str(dtype)
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return str(name).removeprefix("torch.")

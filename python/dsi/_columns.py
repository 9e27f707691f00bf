"""Columns that are numpy arrays, as Arrow columns that share their memory where they can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from . import _dsi
from ._frameworks import need
from .errors import BadInput

_FORMATS = {
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
    "float16": "e",
    "float32": "f",
    "float64": "g",
}
_UNITS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}


def stream_of_columns(data: Mapping[str, Any]) -> _dsi.ArrowStream:
    """One array of all columns. BadInput: unequal lengths, an array that is no column."""
    made = [_column(name, value) for name, value in _flat(data, "")]
    lengths = {column.length for column in made}
    if len(lengths) > 1:
        named = ", ".join(
            f"'{name}' has {column.length}"
            for (name, _), column in zip(_flat(data, ""), made, strict=True)
        )
        raise BadInput(f"columns have unequal numbers of rows: {named}")
    return _dsi.stream_of_columns(made, lengths.pop() if lengths else 0)


def _flat(data: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _column(name: str, value: Any) -> _dsi.ArrowColumn:
    if isinstance(value, tuple) and len(value) == 2:
        return _lists(name, *value)
    numpy = need("numpy", "numpy", "a dict of columns")
    mask = numpy.ma.getmaskarray(value) if isinstance(value, numpy.ma.MaskedArray) else None
    array = _array(numpy, numpy.ma.getdata(value) if mask is not None else value, name)
    if array.dtype.kind in "OUS" and array.ndim == 1:
        return _objects(numpy, name, array, mask)
    if array.ndim == 2:
        if mask is not None:
            raise BadInput(f"'{name}': masks of matrices are not taken")
        return _matrix(numpy, name, array)
    if array.ndim != 1:
        raise BadInput(
            f"'{name}' has {array.ndim} dimensions, expected 1 (numbers), 2 (an embedding per row)"
            " or a pair (values, offsets) of lists"
        )
    return _numbers(numpy, name, array, mask)


def _array(numpy: Any, value: Any, name: str) -> Any:
    if isinstance(value, numpy.ndarray):
        return value
    if isinstance(value, list) and any(hasattr(item, "__len__") for item in value):
        made = numpy.empty(len(value), dtype=object)
        made[:] = value
        return made
    try:
        return numpy.asarray(value)
    except ValueError as error:
        raise BadInput(f"'{name}' is no array: {error}") from None


def _bits(numpy: Any, flags: Any) -> Any:
    return numpy.packbits(numpy.asarray(flags, dtype=bool), bitorder="little")


def _validity(numpy: Any, mask: Any) -> tuple[int, Any]:
    """Number of missing rows, and bits of those that are there."""
    missing = 0 if mask is None else int(mask.sum())
    return missing, _bits(numpy, ~mask) if missing else None


def _numbers(numpy: Any, name: str, array: Any, mask: Any = None) -> _dsi.ArrowColumn:
    if array.dtype.kind in "Mm":
        unit = numpy.datetime_data(array.dtype)
        if unit[1] != 1 or unit[0] not in _UNITS:
            raise BadInput(f"'{name}' counts {array.dtype}, expected units of s, ms, us or ns")
        gone = numpy.isnat(array)
        mask = gone if mask is None else mask | gone
        kind = "ts" if array.dtype.kind == "M" else "tD"
        text = f"{kind}{_UNITS[unit[0]]}" + (":" if kind == "ts" else "")
        array = array.view(numpy.dtype("int64").newbyteorder(array.dtype.byteorder))
    elif array.dtype.kind == "b":
        missing, validity = _validity(numpy, mask)
        buffers = [validity, _bits(numpy, array)]
        return _dsi.ArrowColumn.make(name, "b", len(array), missing, buffers)
    else:
        text = _FORMATS.get(array.dtype.name, "")
    if not text:
        raise BadInput(f"'{name}' is of dtype {array.dtype}, expected numbers, bool or strings")
    array = numpy.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    missing, validity = _validity(numpy, mask)
    return _dsi.ArrowColumn.make(name, text, len(array), missing, [validity, array.view("u1")])


def _lists(name: str, values: Any, offsets: Any, mask: Any = None) -> _dsi.ArrowColumn:
    numpy = need("numpy", "numpy", "a dict of columns")
    values, offsets = _array(numpy, values, name), _array(numpy, offsets, name)
    if values.ndim != 1 or offsets.ndim != 1 or len(offsets) == 0 or offsets.dtype.kind not in "iu":
        raise BadInput(
            f"'{name}' is no pair of lists: values [N] of shape {values.shape}, offsets [rows + 1]"
            f" of shape {offsets.shape} and dtype {offsets.dtype}"
        )
    offsets = numpy.ascontiguousarray(offsets, dtype="int64")
    missing, validity = _validity(numpy, mask)
    if values.dtype.kind in "OSU":
        items = _texts(numpy, name, values.tolist())
    else:
        items = _numbers(numpy, "item", values)
    return _dsi.ArrowColumn.make(
        name, "+L", len(offsets) - 1, missing, [validity, offsets], [items]
    )


def _texts(numpy: Any, name: str, items: list[Any]) -> _dsi.ArrowColumn:
    """Entries of lists of strings."""
    if not all(isinstance(item, str | bytes) for item in items):
        raise BadInput(f"'{name}' mixes types, expected lists of strings or lists of numbers")
    return _strings(numpy, "item", items, numpy.zeros(len(items), dtype=bool))


def _matrix(numpy: Any, name: str, array: Any) -> _dsi.ArrowColumn:
    child = _numbers(numpy, "item", numpy.ascontiguousarray(array).reshape(-1))
    return _dsi.ArrowColumn.make(name, f"+w:{array.shape[1]}", len(array), 0, [None], [child])


def _objects(numpy: Any, name: str, array: Any, mask: Any) -> _dsi.ArrowColumn:
    """Strings, bytes or lists, None where a row has none."""
    items = array.tolist()
    gone = numpy.fromiter((item is None for item in items), dtype=bool, count=len(items))
    mask = gone if mask is None else mask | gone
    there = [item for item, missing in zip(items, mask, strict=True) if not missing]
    if all(isinstance(item, str | bytes) for item in there):
        return _strings(numpy, name, items, mask)
    if all(isinstance(item, list | tuple | numpy.ndarray) for item in there):
        rows = [() if missing else item for item, missing in zip(items, mask, strict=True)]
        offsets = [0, *accumulate(map(len, rows))]
        if any(isinstance(item, str | bytes) for row in rows for item in row[:1]):
            return _lists(name, [item for row in rows for item in row], offsets, mask)
        parts = [numpy.asarray(row) for row in rows if len(row)]
        values = numpy.concatenate(parts) if parts else numpy.empty(0, dtype="int64")
        if values.dtype.kind in "OSU":
            raise BadInput(f"'{name}' mixes numbers and strings in a list")
        return _lists(name, values, offsets, mask)
    numbers = [0 if missing else item for item, missing in zip(items, mask, strict=True)]
    plain = numpy.asarray(numbers)
    if plain.dtype.kind not in "biufMm" or plain.ndim != 1:
        raise BadInput(f"'{name}' mixes types, expected strings, lists or numbers, and None")
    return _numbers(numpy, name, plain, mask)


def _strings(numpy: Any, name: str, items: list[Any], mask: Any) -> _dsi.ArrowColumn:
    coded = [
        b"" if missing else item.encode() if isinstance(item, str) else item
        for item, missing in zip(items, mask, strict=True)
    ]
    text = "Z" if any(isinstance(item, bytes) for item in items) else "U"
    offsets = numpy.fromiter(accumulate(map(len, coded), initial=0), "int64", len(coded) + 1)
    missing, validity = _validity(numpy, mask)
    return _dsi.ArrowColumn.make(
        name, text, len(coded), missing, [validity, offsets, b"".join(coded)]
    )

"""Columns of a dict as Arrow columns, which share the memory of arrays where they can."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import accumulate, chain
from typing import Any, NamedTuple

from . import _dsi
from ._frameworks import need
from ._time import finest_unit, units_since_epoch
from .errors import BadInput, OutOfRange

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
# Of formats of Arrow without parameters, the types of pyarrow.
_ALIASES = {format: name for name, format in _FORMATS.items()} | {
    "b": "bool",
    "U": "large_string",
    "Z": "large_binary",
}
_FLOATS = frozenset([float, type(None)])
# Types whose values stand for none; those of pandas by name, so that it is not imported.
MISSING = ("NoneType", "NAType", "NaTType")


class _Column(NamedTuple):
    """A column as the C interface of Arrow has it."""

    name: str
    format: str
    length: int
    missing: int
    buffers: list[Any]
    children: tuple[_Column, ...] = ()

    def native(self) -> _dsi.ArrowColumn:
        children = [child.native() for child in self.children]
        return _dsi.ArrowColumn.make(
            self.name, self.format, self.length, self.missing, self.buffers, children
        )

    def arrow(self, pyarrow: Any) -> Any:
        """As an array of pyarrow."""
        if self.format == "n":
            return pyarrow.nulls(self.length)
        buffers = [None if made is None else pyarrow.py_buffer(made) for made in self.buffers]
        children = [child.arrow(pyarrow) for child in self.children]
        return pyarrow.Array.from_buffers(
            self._type(pyarrow, children), self.length, buffers, self.missing, children=children
        )

    def _type(self, pyarrow: Any, children: list[Any]) -> Any:
        if self.format == "+s":
            names = [child.name for child in self.children]
            return pyarrow.struct(
                [(name, child.type) for name, child in zip(names, children, strict=True)]
            )
        if self.format == "+L":
            return pyarrow.large_list(children[0].type)
        if self.format.startswith("+w:"):
            return pyarrow.list_(children[0].type, int(self.format[3:]))
        if self.format[0] == "t":
            unit = next(unit for unit, letter in _UNITS.items() if letter == self.format[2])
            return pyarrow.timestamp(unit) if self.format[1] == "s" else pyarrow.duration(unit)
        return pyarrow.type_for_alias(_ALIASES[self.format])


class _Taken(NamedTuple):
    """A column that came as Arrow."""

    name: str
    values: Any

    @property
    def length(self) -> int:
        return len(self.values)

    def arrow(self, pyarrow: Any) -> Any:
        return self.values


def stream_of_columns(data: Mapping[str, Any]) -> _dsi.ArrowStream:
    """One table of all columns. BadInput: unequal lengths, a value that is no column.

    OutOfRange: numbers that no type holds exactly.
    """
    made = [_column(name, value) for name, value in _flat(data, "")]
    lengths = {column.length for column in made}
    if len(lengths) > 1:
        named = ", ".join(f"'{column.name}' has {column.length}" for column in made)
        raise BadInput(f"columns have unequal numbers of rows: {named}")
    own = [column for column in made if isinstance(column, _Column)]
    if len(own) == len(made):
        return _dsi.stream_of_columns(
            [column.native() for column in own], lengths.pop() if lengths else 0
        )
    pyarrow = _pyarrow()
    table = pyarrow.Table.from_arrays(
        [column.arrow(pyarrow) for column in made], [column.name for column in made]
    )
    return _dsi.ArrowStream.of_stream(table.__arrow_c_stream__())


def _flat(data: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def refuse_rounded(data: Mapping[str, Any], of_float32: Collection[str]) -> None:
    """OutOfRange: a whole number among values of Python that a column of float32 would round, as
    rows refuse it too. Beside fractions an array has it as a float, and cannot tell any more."""
    # A dict in the values has columns of longer names.
    heads = {column[:end] for column in of_float32 for end in _ends_of_parts(column)}
    for name, value in _flat(data, ""):
        is_pair = isinstance(value, tuple) and len(value) == 2
        items = value[0] if is_pair else value
        if getattr(getattr(items, "dtype", None), "kind", "") == "O":
            items = items.tolist()
        if name not in heads or not isinstance(items, list | tuple) or _are_floats(items):
            continue
        for row, item in enumerate(items):
            for column, whole in () if _are_floats(item) else _wholes(name, item):
                # Without the zeros at its end it has more digits than float32.
                if column in of_float32 and (whole // (whole & -whole or 1)).bit_length() > 24:
                    where = "" if is_pair else f", row {row}"
                    raise OutOfRange(
                        f'column "{column}"{where}: found {whole}, which float32 does not hold'
                        " exactly: declare float64, or an integer type"
                    )


def _ends_of_parts(column: str) -> list[int]:
    return [i for i, letter in enumerate(column) if letter == "."] + [len(column)]


def _are_floats(items: Any) -> bool:
    """Nothing else is in a list, nor in the array: a quick look, as lists may be long."""
    if isinstance(items, list | tuple):
        return _FLOATS.issuperset(map(type, items))
    return getattr(getattr(items, "dtype", None), "kind", "") == "f"


def _wholes(name: str, item: Any) -> Iterator[tuple[str, int]]:
    """The whole numbers of a value, and the column of each."""
    if isinstance(item, Mapping):
        for key, part in item.items():
            yield from _wholes(f"{name}.{key}", part)
    elif isinstance(item, list | tuple) or getattr(item, "ndim", None):
        for part in () if _are_floats(item) else item:
            yield from _wholes(name, part)
    elif isinstance(item, int) or type(item).__module__ == "numpy":
        with suppress(TypeError):
            yield name, operator.index(item)


def _pyarrow() -> Any:
    return need("pyarrow", "pyarrow", "Arrow arrays in a dict of columns")


def _is_arrow(value: Any) -> bool:
    """Series of pandas with a dtype of numpy are taken as arrays."""
    if type(getattr(value, "dtype", None)).__module__.split(".")[0] == "numpy":
        return False
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")


def _from_arrow(value: Any) -> Any:
    arrow = _pyarrow()
    return (
        arrow.chunked_array(value) if hasattr(value, "__arrow_c_stream__") else arrow.array(value)
    )


def _column(name: str, value: Any) -> _Column | _Taken:
    if isinstance(value, tuple) and len(value) == 2:
        return _pair(name, *value)
    if _is_arrow(value):
        return _Taken(name, _from_arrow(value))
    numpy = need("numpy", "numpy", "a dict of columns")
    if isinstance(value, list | tuple):
        return _items(numpy, name, value)
    mask = numpy.ma.getmaskarray(value) if isinstance(value, numpy.ma.MaskedArray) else None
    array = _array(numpy, numpy.ma.getdata(value) if mask is not None else value, name)
    if array.dtype.kind in "OUS" and array.ndim == 1:
        items = array.tolist()
        if mask is not None:
            items = [None if gone else item for item, gone in zip(items, mask, strict=True)]
        return _items(numpy, name, items)
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
    try:
        return numpy.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise BadInput(f"'{name}' is no array: {error}") from None


def _bits(numpy: Any, flags: Any) -> Any:
    return numpy.packbits(numpy.asarray(flags, dtype=bool), bitorder="little")


def _validity(numpy: Any, mask: Any) -> tuple[int, Any]:
    """Number of missing rows, and bits of those that are there."""
    missing = 0 if mask is None else int(mask.sum())
    return missing, _bits(numpy, ~mask) if missing else None


def _numbers(numpy: Any, name: str, array: Any, mask: Any = None) -> _Column:
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
        return _Column(name, "b", len(array), missing, buffers)
    else:
        text = _FORMATS.get(array.dtype.name, "")
    if not text:
        raise BadInput(f"'{name}' is of dtype {array.dtype}, expected numbers, bool or strings")
    array = numpy.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    missing, validity = _validity(numpy, mask)
    return _Column(name, text, len(array), missing, [validity, array.view("u1")])


def _matrix(numpy: Any, name: str, array: Any) -> _Column:
    child = _numbers(numpy, "item", numpy.ascontiguousarray(array).reshape(-1))
    return _Column(name, f"+w:{array.shape[1]}", len(array), 0, [None], (child,))


def _pair(name: str, values: Any, offsets: Any) -> _Column | _Taken:
    numpy = need("numpy", "numpy", "a dict of columns")
    offsets = _array(numpy, offsets, name)
    made = _column(name, values)
    if offsets.ndim != 1 or len(offsets) == 0 or offsets.dtype.kind not in "iu":
        raise BadInput(
            f"'{name}' is no pair (values [N], offsets [rows + 1]): offsets are of shape"
            f" {offsets.shape} and dtype {offsets.dtype}"
        )
    if isinstance(made, _Column):
        return _lists(numpy, made._replace(name="item"), name, offsets)
    arrow = _pyarrow()
    items = made.values
    if isinstance(items, arrow.ChunkedArray):
        items = items.combine_chunks()
    ends = arrow.array(offsets.astype("int64"))
    return _Taken(name, arrow.LargeListArray.from_arrays(ends, items))


def _lists(numpy: Any, items: _Column, name: str, offsets: Any, mask: Any = None) -> _Column:
    offsets = numpy.ascontiguousarray(offsets, dtype="int64")
    missing, validity = _validity(numpy, mask)
    return _Column(name, "+L", len(offsets) - 1, missing, [validity, offsets], (items,))


def _items(numpy: Any, name: str, items: Sequence[Any]) -> _Column:
    """Of values of Python: all strings, lists, dicts, points in time or numbers; or None."""
    types = set(map(type, items))
    if numpy.ndarray in types:
        items = [i[()] if isinstance(i, numpy.ndarray) and i.ndim == 0 else i for i in items]
        types = set(map(type, items))
    mask = None
    if any(kind.__name__ in MISSING for kind in types):
        gone = (type(item).__name__ in MISSING for item in items)
        mask = numpy.fromiter(gone, dtype=bool, count=len(items))
        types = {kind for kind in types if kind.__name__ not in MISSING}
        if not types:
            return _Column(name, "n", len(items), len(items), [])

    def are_all(*kinds: type) -> bool:
        return bool(types) and all(issubclass(kind, kinds) for kind in types)

    if are_all(str, bytes):
        return _strings(numpy, name, items, mask)
    if are_all(list, tuple, numpy.ndarray):
        return _rows(numpy, name, items, mask)
    if are_all(Mapping):
        return _structs(numpy, name, items, mask)
    there = [i for i, no in zip(items, mask, strict=True) if not no] if mask is not None else items
    if are_all(date, numpy.datetime64):
        values = _times(numpy, name, there)
    elif any(issubclass(kind, str | bytes | list | tuple | Mapping | date) for kind in types):
        words = ", ".join(sorted(kind.__name__ for kind in types))
        raise BadInput(f"'{name}' mixes types ({words}), expected one of them, and None")
    else:
        values = _exact(numpy, name, there)
    if mask is not None:
        spread = numpy.zeros(len(items), values.dtype)
        spread[~mask] = values
        values = spread
    return _numbers(numpy, name, values, mask)


def _rows(numpy: Any, name: str, items: Sequence[Any], mask: Any) -> _Column:
    """Lists, of anything that `_items` takes."""
    if mask is not None:
        items = [() if gone else item for item, gone in zip(items, mask, strict=True)]
    offsets = numpy.fromiter(accumulate(map(len, items), initial=0), "int64", len(items) + 1)
    parts = [item for item in items if len(item)]
    # Where there is no entry, arrays still tell of what type it would be.
    typed = parts or [item for item in items if isinstance(item, numpy.ndarray)]
    dtypes = {item.dtype if isinstance(item, numpy.ndarray) else None for item in typed}
    dtype = next(iter(dtypes)) if len(dtypes) == 1 else None
    if dtype is not None and dtype.kind in "biufMm" and all(item.ndim == 1 for item in typed):
        made = _numbers(numpy, "item", numpy.concatenate(typed))
    elif parts:
        made = _items(numpy, name, list(chain.from_iterable(parts)))._replace(name="item")
    else:
        made = _numbers(numpy, "item", numpy.zeros(0, dtype="int64"))
    if made.format == "n":  # Nulls alone: of what type, the schema says.
        nulls = numpy.ones(made.length, dtype=bool)
        made = _numbers(numpy, "item", numpy.zeros(made.length, dtype="int64"), nulls)
    return _lists(numpy, made, name, offsets, mask)


def _structs(numpy: Any, name: str, items: Sequence[Any], mask: Any) -> _Column:
    names = dict.fromkeys(chain.from_iterable(item for item in items if isinstance(item, Mapping)))
    if not all(isinstance(key, str) for key in names):
        raise BadInput(f"'{name}' holds dicts with keys that are not str")
    given = [item if isinstance(item, Mapping) else {} for item in items]
    children = [
        _items(numpy, f"{name}.{key}", [item.get(key) for item in given])._replace(name=key)
        for key in names
    ]
    missing, validity = _validity(numpy, mask)
    return _Column(name, "+s", len(items), missing, [validity], tuple(children))


def _times(numpy: Any, name: str, items: Sequence[Any]) -> Any:
    """Points in time in the coarsest unit that holds all of them; NaT stays NaT."""
    unit = finest_unit(items)
    counts = []
    for item in items:
        count = units_since_epoch(item, unit)
        if not isinstance(count, int):
            if item == item:
                raise BadInput(f"'{name}': {item} is not exact in {unit}")
            count = -(2**63)
        elif not -(2**63) < count < 2**63:
            raise OutOfRange(f"'{name}': {item} is out of range in {unit}")
        counts.append(count)
    return numpy.array(counts, dtype="int64").view(f"datetime64[{unit}]")


def _exact(numpy: Any, name: str, numbers: Sequence[Any]) -> Any:
    """An array of these numbers, none of which is rounded."""
    array = _array(numpy, numbers, name)
    kind = array.dtype.kind
    if array.ndim != 1 or kind not in "biufmcO":
        raise BadInput(f"'{name}' is of dtype {array.dtype}, expected numbers")
    if kind == "m" and len({number.dtype for number in numbers if hasattr(number, "dtype")}) > 1:
        raise BadInput(f"'{name}' mixes units of timedelta64")
    # Arrays of numpy hold whole numbers beside fractions as floats, and beyond 64 bits as objects.
    if kind in "bium" or (kind == "f" and not (abs(array) >= 2**53).any()):
        return array
    wholes = [int(n) for n in numbers if isinstance(n, int | numpy.integer | numpy.bool_)]
    low, high = min(wholes, default=0), max(wholes, default=0)
    if low < -(2**63) or high >= 2**64:
        raise OutOfRange(f"'{name}': {low if low < 0 else high} has more than 64 bits")
    if len(wholes) == len(numbers):
        if low < 0 and high >= 2**63:
            raise OutOfRange(f"'{name}': negative numbers beside some of 2^63 and more fit no type")
        return numpy.array(wholes, dtype="int64" if high < 2**63 else "uint64")
    if kind == "f":
        for whole in wholes:
            if float(whole) != whole:
                raise OutOfRange(
                    f"'{name}': {whole} beside fractions fits no type, floats would round it"
                )
        return array
    words = ", ".join(sorted({type(number).__name__ for number in numbers}))
    raise BadInput(f"'{name}' mixes types or is of one that is not taken: {words}")


def _strings(numpy: Any, name: str, items: Sequence[Any], mask: Any) -> _Column:
    coded = [
        item.encode() if isinstance(item, str) else item if isinstance(item, bytes) else b""
        for item in items
    ]
    text = "Z" if any(isinstance(item, bytes) for item in items) else "U"
    offsets = numpy.fromiter(accumulate(map(len, coded), initial=0), "int64", len(coded) + 1)
    missing, validity = _validity(numpy, mask)
    return _Column(name, text, len(coded), missing, [validity, offsets, b"".join(coded)])

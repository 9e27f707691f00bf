"""Filters of pyarrow as terms of a scan's `where`.

pyarrow tells what is in an expression in one public form alone, as a Substrait message. Of that,
this module reads what a comparison of a column with a number is made of; whatever else there is
stays to Arrow. The numbers of fields are those of Substrait's proto files, which are stable.
"""

from __future__ import annotations

import importlib
import struct
from typing import Any

from .options import Term

_COMPARES = {
    "equal": "==",
    "not_equal": "!=",
    "lt": "<",
    "lte": "<=",
    "gt": ">",
    "gte": ">=",
}
_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

Message = dict[int, list[Any]]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _message(data: bytes) -> Message:
    """The fields of a protobuf message; what they hold is not looked at."""
    fields: Message = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        value: int | bytes
        if wire == 0:
            value, at = _varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(wire)
            if size is None:
                size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        fields.setdefault(key >> 3, []).append(value)
    return fields


def _inside(message: Message, *path: int) -> Message:
    """The message that lies at this path of fields. KeyError: there is none."""
    for field in path:
        message = _message(message[field][0])
    return message


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _number(expression: Message, column: Any) -> int | float:
    """The value of a literal that is compared with a column. KeyError: it is no number."""
    literal = _inside(expression, 1)
    if 14 in literal:  # Points in time, whatever their unit, are microseconds.
        value, rest = divmod(_signed(literal[14][0]) * _PER_SECOND[column.type.unit], 10**6)
        if rest:
            raise KeyError("between two points in time of the column")
        return value
    for field in (1, 2, 3, 5, 7):  # bool, i8, i16, i32, i64
        if field in literal:
            return _signed(literal[field][0])
    for field, form in ((10, "<f"), (11, "<d")):
        if field in literal:
            return float(struct.unpack(form, literal[field][0])[0])
    wrapped = _inside(literal, 33, 2)  # Numbers that Substrait lacks: an Any with a UIntValue.
    name = wrapped[1][0].rpartition(b".")[2]
    if name not in (b"UInt64Value", b"UInt32Value"):
        raise KeyError(name)
    return int(_message(wrapped[2][0]).get(1, [0])[0]) if 2 in wrapped else 0


def _column(expression: Message, schema: Any) -> Any:
    """The column that a field reference names. KeyError: it is something else."""
    selection = _inside(expression, 2)
    field = _inside(selection, 1, 2)
    if 2 in field or 4 not in selection:
        raise KeyError("a field inside of another")
    return schema.field(field.get(1, [0])[0])


def _term(function: str, arguments: list[Message], schema: Any) -> Term:
    compare = _COMPARES[function]
    left, right = arguments
    if 1 in left:
        left, right, compare = right, left, _TURNED[compare]
    column = _column(left, schema)
    return column.name, compare, _number(right, column)


def _collect(
    expression: Message, functions: dict[int, str], schema: Any, terms: list[Term]
) -> bool:
    """Adds the terms that `expression` implies; True: together they are all of it."""
    try:
        call = _inside(expression, 3)
        function = functions[call.get(1, [0])[0]]
        arguments = [_inside(_message(argument), 3) for argument in call[4]]
        if function == "and":
            # Each is looked at, whatever the one before it was.
            return min(_collect(part, functions, schema, terms) for part in arguments)
        terms.append(_term(function, arguments, schema))
        return True
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, struct.error):
        return False


def _read(filter: Any, told: Any, schema: Any) -> tuple[list[Term], bool]:
    message = _message(bytes(filter.to_substrait(told)))
    functions = {}
    for declared in message.get(2, ()):
        fields = _message(declared)
        if 3 in fields:
            function = _message(fields[3][0])
            functions[function.get(2, [0])[0]] = function[3][0].decode()
    terms: list[Term] = []
    exact = _collect(_inside(message, 3, 1), functions, schema, terms)
    return terms, exact


def _told(schema: Any, whole: bool) -> Any:
    """The schema with types that Substrait has; of others no more than the names matter here.

    whole: integers as int64, the type of whole numbers that a filter is written with. Substrait has
    no checked casts, so a filter that needs one cannot be told; scans compare exactly whatever the
    types.
    """
    pyarrow = importlib.import_module("pyarrow")
    types = pyarrow.types

    def told(kind: Any) -> Any:
        if types.is_large_list(kind) or types.is_fixed_size_list(kind):
            return pyarrow.list_(told(kind.value_type))
        if types.is_large_binary(kind):
            return pyarrow.binary()
        if types.is_timestamp(kind) and kind.unit == "ns":
            return pyarrow.timestamp("us")
        return pyarrow.int64() if whole and types.is_integer(kind) else kind

    return pyarrow.schema([field.with_type(told(field.type)) for field in schema])


def terms_of(filter: Any, schema: Any, usable: set[str]) -> tuple[list[Term], bool]:
    """Terms that every row that passes `filter` (a pyarrow expression) fulfils.

    schema: of the columns. usable: those that a scan can compare. True: the terms are the filter,
    row by row; False: Arrow is to apply it to what passes them.
    """
    for whole in (False, True):
        try:
            terms, exact = _read(filter, _told(schema, whole), schema)
        except Exception:  # What Substrait cannot say: each version has its own errors.
            continue
        kept = [term for term in terms if term[0] in usable and term[2] == term[2]]
        return kept, exact and len(kept) == len(terms)
    return [], False

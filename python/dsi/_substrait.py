"""Filters of pyarrow as terms of a scan's `where`.

pyarrow tells what is in an expression in one public form alone, as a Substrait message. Of that,
this module reads comparisons of a column with numbers and strings, sets of them, and whether it is
null; whatever else there is stays to Arrow. The numbers of fields are those of Substrait's proto
files, which are stable.
"""

from __future__ import annotations

import importlib
import struct
from typing import Any

from .options import MOST_CLAUSES, AnyOf, Term, Value, column_of, joined

_COMPARES = {
    "equal": "==",
    "not_equal": "!=",
    "lt": "<",
    "lte": "<=",
    "gt": ">",
    "gte": ">=",
}
_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

_PRESENCE = {"is_null": "missing", "is_not_null": "exists"}

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

Message = dict[int, list[Any]]
# What comes of looking for something where something else is.
_NOT_SO = (KeyError, IndexError, ValueError, TypeError, AttributeError, struct.error)


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


def _value(expression: Message, column: Any) -> Value:
    """The value of a literal that is compared with a column. KeyError: no number or string."""
    literal = _inside(expression, 1)
    if 12 in literal:
        return bytes(literal[12][0]).decode()
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
    wrapped = _inside(literal, 33, 2)  # What Substrait lacks: an Any with a value of protobuf's.
    name = wrapped[1][0].rpartition(b".")[2]
    held = _message(wrapped[2][0]).get(1) if 2 in wrapped else None
    if name == b"StringValue":
        return bytes(held[0]).decode() if held else ""
    if name not in (b"UInt64Value", b"UInt32Value"):
        raise KeyError(name)
    return int(held[0]) if held else 0


def _column(expression: Message, schema: Any) -> Any:
    """The column that a field reference names. KeyError: it is something else."""
    selection = _inside(expression, 2)
    field = _inside(selection, 1, 2)
    if 2 in field or 4 not in selection:
        raise KeyError("a field inside of another")
    return schema.field(field.get(1, [0])[0])


def _term(function: str, arguments: list[Message], schema: Any) -> Term:
    if function in _PRESENCE:
        return _column(arguments[0], schema).name, _PRESENCE[function]
    compare = _COMPARES[function]
    left, right = arguments
    if 1 in left:
        left, right, compare = right, left, _TURNED[compare]
    column = _column(left, schema)
    return column.name, compare, _value(right, column)


def _one_of(choice: Message, schema: Any) -> Term:
    """Of a SingularOrList. KeyError: something in it is no plain value, such as null."""
    column = _column(_message(choice[1][0]), schema)
    return column.name, "in", [_value(_message(one), column) for one in choice.get(2, [])]


def _either(terms: list[Term]) -> Term:
    """Equalities of one column joined by "or". KeyError: they are something else."""
    names = {column_of(term) for term in terms}
    if len(names) != 1:
        raise KeyError("of several columns")
    values: list[Any] = []
    for term in terms:
        values += {"==": lambda one: [one], "in": list}[term[1]](term[2])  # type: ignore[misc]
    return names.pop(), "in", values


def _called(expression: Message, functions: dict[int, str]) -> tuple[str, list[Message]]:
    """The function of a call and its arguments. KeyError: it is none."""
    call = _inside(expression, 3)
    arguments = [_inside(_message(argument), 3) for argument in call[4]]
    return functions[call.get(1, [0])[0]], arguments


def _parts(expression: Message, functions: dict[int, str]) -> tuple[bool, list[Message]]:
    """Expressions that together are one, which is joined by "and" or null unless the first holds
    (True), or joined by "or" (False). KeyError: it is none of these.
    """
    if 6 in expression:  # DuckDB asks of sets: if the column is there, and else null.
        choice = _inside(expression, 6)
        (clause,) = choice[1]
        if 29 not in _inside(_message(choice[2][0]), 1):
            raise KeyError("an alternative")
        return True, [_inside(_message(clause), part) for part in (1, 2)]
    function, arguments = _called(expression, functions)
    return {"and": True, "or": False}[function], arguments


def _simple(expression: Message, functions: dict[int, str], schema: Any) -> Term:
    """The term that an expression is. KeyError and others: it is none."""
    if 8 in expression:
        return _one_of(_inside(expression, 8), schema)
    function, arguments = _called(expression, functions)
    if function == "or":
        return _either([_simple(part, functions, schema) for part in arguments])
    return _term(function, arguments, schema)


def _clauses(
    expression: Message, functions: dict[int, str], schema: Any
) -> tuple[list[list[Term]], bool]:
    """Clauses that `expression` implies, a term of each holds; True: they are all of it."""
    try:
        return [[_simple(expression, functions, schema)]], True
    except _NOT_SO:
        pass
    try:
        all_hold, parts = _parts(expression, functions)
    except _NOT_SO:
        return [], False
    # Each is looked at, whatever the one before it was.
    found = [_clauses(part, functions, schema) for part in parts]
    exact = all(is_exact for _, is_exact in found)
    if all_hold:
        return [clause for some, _ in found for clause in some], exact
    clauses: list[list[Term]] = [[]]
    for some, _ in found:
        clauses = joined(clauses, some)
        if len(clauses) > MOST_CLAUSES:
            return [], False
    return clauses, exact


def _read(filter: Any, told: Any, schema: Any) -> tuple[list[list[Term]], bool]:
    message = _message(bytes(filter.to_substrait(told)))
    functions = {}
    for declared in message.get(2, ()):
        fields = _message(declared)
        if 3 in fields:
            function = _message(fields[3][0])
            functions[function.get(2, [0])[0]] = function[3][0].decode()
    return _clauses(_inside(message, 3, 1), functions, schema)


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
        if types.is_large_string(kind):
            return pyarrow.string()
        if types.is_timestamp(kind) and kind.unit == "ns":
            return pyarrow.timestamp("us")
        return pyarrow.int64() if whole and types.is_integer(kind) else kind

    return pyarrow.schema([field.with_type(told(field.type)) for field in schema])


def _is_sound(term: Term, schema: Any) -> bool:
    """Arrow finds the same rows: it takes NaN for itself in sets, but not when it compares."""
    if len(term) == 2:
        return True
    if term[1] == "in":
        return not str(schema.field(column_of(term)).type).endswith(("float", "double"))
    return bool(term[2] == term[2])


def terms_of(filter: Any, schema: Any, usable: set[str]) -> tuple[list[AnyOf], bool]:
    """What every row that passes `filter` (a pyarrow expression) fulfils, for `where` of a scan.

    schema: of the columns. usable: those that a scan can compare. True: they are the filter,
    row by row; False: Arrow is to apply it to what passes them.
    """
    for whole in (False, True):
        try:
            clauses, exact = _read(filter, _told(schema, whole), schema)
        except Exception:  # What Substrait cannot say: each version has its own errors.
            continue
        kept = [
            AnyOf(*clause)
            for clause in clauses
            if all(column_of(term) in usable and _is_sound(term, schema) for term in clause)
        ]
        return kept, exact and len(kept) == len(clauses)
    return [], False

"""Datasets for polars: lazy frames that read the columns and rows that a query needs."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ._frameworks import need
from .arrow import ROWS_OF_BATCH, ArrowScan
from .options import MOST_CLAUSES, AnyOf, Term, Value, joined

if TYPE_CHECKING:
    from ._dsi import Column
    from .dataset import Dataset

_COMPARES = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PRESENCE = {"IsNull": "missing", "IsNotNull": "exists"}
_COMPARABLE = ("dense", "label", "key", "string")
# Where NaN equals itself and is above all numbers; a scan has it differ from everything.
_FLOAT_COMPARES = ("==", "<", "<=")


def _literal(node: Any) -> int | float | str | None:
    """The number or string that a literal is; None: it is neither."""
    if not isinstance(node, dict) or "Literal" not in node:
        return None
    kind = node["Literal"]
    value = next(iter(kind.values())) if isinstance(kind, dict) else None
    if isinstance(value, dict):
        (name, value) = next(iter(value.items()))
        if not name.startswith(("Int", "UInt", "Float", "Boolean", "Str")):
            return None
    return value if isinstance(value, int | float | str) else None


def _members(node: Any) -> list[Any]:
    """The values of a literal that is a list or a series, which is told as an Arrow stream."""
    kind = node["Literal"]
    stream = bytes(kind["Series"] if "Series" in kind else kind["Scalar"]["List"])
    values = need("polars", "polars", "dsi.polars").read_ipc_stream(stream).to_series(0)
    return list(values.to_list())


def _compared(column: Column, op: str, value: Any) -> Value | None:
    """What a term compares the column with; None: there is none for it."""
    if isinstance(value, str) or column.type == "bytes":
        return value if isinstance(value, str) and column.type == "bytes" else None
    if not isinstance(value, int | float):
        return None
    if "float" not in column.type:
        return int(value) if isinstance(value, bool) else value
    if op not in _FLOAT_COMPARES:
        return None
    # A scan rounds the number to the column's type, where engines may widen the column.
    exact = float(value)
    if column.type == "float32":
        try:
            exact = struct.unpack("f", struct.pack("f", exact))[0]
        except OverflowError:
            return None
    return exact if exact == value else None


def term_of(column: Column | None, op: str, value: Any = None) -> Term | None:
    """A term that fails no row for which the comparison holds; None: there is none.

    For engines in which NaN equals itself and is above all numbers. op 'in': `value` is a list, of
    which null equals nothing.
    """
    if column is None:
        return None
    if op in ("exists", "missing"):
        return column.name, op
    if op != "in":
        compared = _compared(column, op, value)
        return None if compared is None else (column.name, op, compared)
    members = [_compared(column, "==", one) for one in value if one is not None]
    known = [member for member in members if member is not None]
    return (column.name, op, known) if len(known) == len(members) else None


def _term(left: Any, op: str, right: Any, columns: dict[str, Column]) -> Term | None:
    value = _literal(right)
    if value is None:
        left, op, value = right, _TURNED[op], _literal(left)
    name = left.get("Column") if isinstance(left, dict) else None
    return term_of(columns.get(name) if isinstance(name, str) else None, op, value)


def comparable_columns(dataset: Dataset) -> dict[str, Column]:
    """By name, the columns that terms may compare."""
    return {
        column.name: column
        for column in dataset.columns()
        if column.kind in _COMPARABLE and column.supported
    }


def _clauses(node: Any, columns: dict[str, Column]) -> list[list[Term]]:
    """Clauses, each with a term that holds where `node` does. What is not understood has none."""
    if not isinstance(node, dict):
        return []
    if "BinaryExpr" in node:
        part = node["BinaryExpr"]
        left, op, right = part["left"], part["op"], part["right"]
        if op in ("And", "LogicalAnd"):
            return _clauses(left, columns) + _clauses(right, columns)
        if op in ("Or", "LogicalOr"):
            return joined(_clauses(left, columns), _clauses(right, columns))[:MOST_CLAUSES]
        if op in _COMPARES:
            term = _term(left, _COMPARES[op], right, columns)
            return [] if term is None else [[term]]
    elif "Function" in node:
        function = node["Function"]
        kind = function["function"]
        kind = kind.get("Boolean") if isinstance(kind, dict) else None
        return [[term] for term in _boolean(kind, function["input"], columns)]
    return []


def _boolean(kind: Any, arguments: list[Any], columns: dict[str, Column]) -> list[Term]:
    """Terms of a function that is true or false."""

    def made(argument: Any, op: str, value: Any = None) -> Term | None:
        return term_of(columns.get(argument.get("Column")), op, value)

    found: list[Term | None] = []
    if isinstance(kind, str) and kind in _PRESENCE:
        found = [made(arguments[0], _PRESENCE[kind])]
    elif isinstance(kind, dict) and "IsIn" in kind:
        values = _members(arguments[1])
        if not (kind["IsIn"]["nulls_equal"] and None in values):
            found = [made(arguments[0], "in", values)]
    elif isinstance(kind, dict) and "IsBetween" in kind:
        closed = kind["IsBetween"]["closed"]
        value, low, high = arguments
        found = [
            _term(value, ">=" if closed in ("Both", "Left") else ">", low, columns),
            _term(value, "<=" if closed in ("Both", "Right") else "<", high, columns),
        ]
    return [term for term in found if term is not None]


def terms_of(predicate: Any, columns: dict[str, Column]) -> list[AnyOf]:
    """What every row that passes a polars expression fulfils; it may ask for more."""
    with suppress(Exception):
        # The form is not stable between versions: of another one polars filters alone.
        node = json.loads(predicate.meta.serialize(format="json"))
        return [AnyOf(*clause) for clause in _clauses(node, columns)]
    return []


def scan(dataset: Dataset, *, batch_size: int = ROWS_OF_BATCH) -> Any:
    """polars.LazyFrame over a dataset; columns and types are those of `Dataset.arrow`.

    Columns are read as the query asks for them, comparisons of numbers and strings skip stripes and
    rows before anything else of them is read, and a limit ends the scan. batch_size: rows of a
    frame, unless polars asks for another.
    """
    polars = need("polars", "polars", "dsi.polars")
    plugins = need("polars.io.plugins", "polars", "dsi.polars")
    usable = comparable_columns(dataset)
    names = dataset.arrow().column_names

    def frames(
        with_columns: list[str] | None,
        predicate: Any,
        n_rows: int | None,
        asked_batch_size: int | None,
    ) -> Iterator[Any]:
        wanted = names if with_columns is None else list(with_columns)
        read = list(wanted)
        terms: list[AnyOf] = []
        if predicate is not None:
            terms = terms_of(predicate, usable)
            read += [name for name in predicate.meta.root_names() if name not in read]
        rows_of_batch = asked_batch_size or batch_size
        if n_rows is not None and predicate is None:
            rows_of_batch = max(1, min(rows_of_batch, n_rows))
        source = ArrowScan(
            dataset,
            read or [names[0]],
            False,
            False,
            {"where": terms, "batch_size": rows_of_batch},
        )
        left = n_rows
        for batch in source.parts():
            frame = polars.DataFrame(batch)
            if predicate is not None:
                frame = frame.filter(predicate)
            if left is not None:
                frame = frame.head(left)
                left -= len(frame)
            yield frame.select(wanted)
            if left == 0:
                return

    empty = polars.DataFrame(dataset.arrow(rows=[(0, 0)]))
    return plugins.register_io_source(frames, schema=empty.schema)

"""Types of Arrow that Spark has, for those that it lacks, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._frameworks import need
from .errors import OutOfRange

# Spark's own choice for Parquet's unsigned numbers: the next type that has all of them.
_UINT64_DIGITS = 20


def _map_schema(schema: Any, of_type: Callable[[Any], Any]) -> Any:
    pyarrow = need("pyarrow", "pyarrow", "dsi.spark")
    return pyarrow.schema([field.with_type(of_type(field.type)) for field in schema])


def plain_schema(schema: Any) -> Any:
    """A schema of pyarrow with types that Spark has; values fit, but for nanoseconds."""
    return _map_schema(schema, _plain)


def _plain(type_: Any) -> Any:
    pyarrow = need("pyarrow", "pyarrow", "dsi.spark")
    types = pyarrow.types
    if types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_):
        return pyarrow.list_(_plain(type_.value_type))
    if types.is_large_string(type_):
        return pyarrow.string()
    if types.is_large_binary(type_):
        return pyarrow.binary()
    if types.is_timestamp(type_):
        return pyarrow.timestamp("us", type_.tz)
    wider = {
        pyarrow.uint8(): pyarrow.int16(),
        pyarrow.uint16(): pyarrow.int32(),
        pyarrow.uint32(): pyarrow.int64(),
        pyarrow.uint64(): pyarrow.decimal128(_UINT64_DIGITS, 0),
        pyarrow.float16(): pyarrow.float32(),
    }
    return wider.get(type_, type_)


def to_spark(batch: Any, schema: Any) -> Any:
    """A batch of pyarrow with the types of `plain_schema`. OutOfRange: a value does not fit."""
    pyarrow = need("pyarrow", "pyarrow", "dsi.spark")
    columns = []
    for column, field in zip(batch.columns, schema, strict=True):
        try:
            columns.append(column.cast(field.type))
        except pyarrow.ArrowInvalid as error:
            raise OutOfRange(
                f'column "{field.name}" does not fit {field.type}, which is what Spark has for it'
                f" ({error}): leave it out with the option columns"
            ) from None
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def from_spark(schema: Any) -> Any:
    """A schema of a frame of Spark's, of whose types one for `Writer` is found."""
    return _map_schema(schema, _stored)


def _stored(type_: Any) -> Any:
    pyarrow = need("pyarrow", "pyarrow", "dsi.spark")
    if pyarrow.types.is_list(type_):
        return pyarrow.list_(_stored(type_.value_type))
    if type_ == pyarrow.decimal128(_UINT64_DIGITS, 0):
        return pyarrow.uint64()
    return type_

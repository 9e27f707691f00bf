"""Files of other formats, through pyarrow: Parquet, Arrow, Feather, ORC and CSV."""

from __future__ import annotations

import difflib
import json
import os
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Unpack
from urllib.parse import unquote

from . import _dsi
from ._frameworks import need
from ._schema import SchemaLike, feature_columns, schema_json, stored_schema
from .arrow import ArrowScan
from .errors import AlreadyExists, BadInput, Cancelled, Error, InvalidArgument, NotFound
from .projections import name_list
from .writer import NullEntries, Writer, WriteReport, WriterKeywords

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

# Format of pyarrow.dataset by the end of the name.
FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".orc": "orc",
    ".csv": "csv",
}


# Texts that `from_text` reads, by the end of the name without that of the packer.
_TEXTS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tfrecord")
_PACKED = (".gz", ".zst", ".lz4")

# What writes each format.
_WRITTEN_BY = {"parquet": "to_parquet", "ipc": "to_feather", "orc": "to_orc"}


def format_of(path: str) -> str | None:
    """The format that the end of a name tells; None: none of these."""
    return FORMATS.get(os.path.splitext(path)[1].lower())


def is_text(path: str) -> bool:
    """Whether the end of a name tells of a text that `from_text` alone reads."""
    name = path.lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return name.endswith(_TEXTS) and format_of(path) is None


def advice_on(path: str, out: str) -> str:
    """What makes a .dsi file of a file of this name; '': the name does not tell."""
    if path.lower().endswith(".dsi"):
        return f"dsi.open({path!r}) is the table of the file"
    if is_text(path):
        return f"dsi.from_text({path!r}, {out!r}) makes a .dsi file of it"
    if format_of(path) is not None:
        return f"dsi.from_parquet({path!r}, {out!r}) makes a .dsi file of it"
    return ""


def from_parquet(
    paths: Paths,
    out: str | os.PathLike[str],
    schema: SchemaLike | None = None,
    cluster_by: Sequence[str] | str = (),
    *,
    columns: Sequence[str] | None = None,
    filter: Any = None,
    format: str | None = None,
    batch_rows: int = 65_536,
    metadata: Mapping[str, str] | None = None,
    ignore_unknown: bool = False,
    null_entries: NullEntries = "fail",
    **options: Unpack[WriterKeywords],
) -> WriteReport:
    """Makes one .dsi file of Parquet files, a folder of them, or of files of another format.

    paths: files or folders, as pyarrow.dataset takes them. format: 'parquet', 'ipc' (Arrow,
    Feather), 'orc', 'csv'; None: by the end of the first name, else Parquet. columns and filter (an
    expression of pyarrow.compute): what is read. schema: else the one that `to_parquet` left in the
    files, else found from the types of the columns. Other arguments: `Writer`. Keys in paths
    ("day=2026-01-01/hour=7/part-0.parquet") are columns, of int32 or strings, but where a schema
    lacks them. An index of pandas that has no name is no column, unless asked for.

    Columns that some files lack are missing there, and types that differ widen.

    NotFound: a file, a column. BadInput: a file that is of no such format; texts such as JSON Lines
    are for `from_text`. InvalidArgument: a filter, files of a table of Delta Lake, Hudi or
    Iceberg, of which some may be deleted ones.

    Files are read batch by batch; the writer keeps the rows, in memory (memory_bytes) or
    spilled, until it clusters them.
    """
    named = _names(paths)
    if format is None:
        _refuse_texts(named, os.fspath(out))
    source = _open(named, format)
    asked = _asked(source, columns)
    index = _unnamed_index(source.schema) if columns is None else set()
    if schema is None:
        asked = [name for name in asked if name not in index]
        schema = _stored_schema(source, asked)
    elif columns is None:
        schema = schema_json(schema)
        wanted = {name for f in json.loads(schema)["features"] for name in feature_columns(f)}
        optional = index.union(_path_keys(source))
        asked = [name for name in asked if name in wanted or name not in optional]
    try:
        scanner = source.scanner(columns=asked, filter=filter, batch_size=batch_rows)
    except ValueError as error:  # Columns were looked for already.
        raise InvalidArgument(f"filter {filter}: {_first_line(error)}") from None
    with Writer(
        out,
        schema,
        cluster_by,
        metadata=metadata,
        ignore_unknown=ignore_unknown,
        null_entries=null_entries,
        **options,
    ) as writer:
        writer.append(scanner.to_reader())
        return writer.finish()


def find_schema(paths: Paths, columns: Sequence[str] | None = None) -> str:
    """The schema, as JSON, that `from_parquet` uses where it is given none; by the first rows."""
    source = _open(_names(paths), None)
    asked = _asked(source, columns)
    if columns is None:
        index = _unnamed_index(source.schema)
        asked = [name for name in asked if name not in index]
    stored = _stored_schema(source, asked)
    if stored is not None:
        return stored
    rows = source.scanner(columns=asked).to_reader()
    return _dsi.ArrowStream.of_stream(rows.__arrow_c_stream__()).infer_schema()[0]


class NoColumn(NotFound):
    """No file has a column of this name; the files themselves are there."""


def _asked(source: Any, columns: Sequence[str] | None) -> list[str]:
    """The columns that were asked for, or all. NoColumn: one that is not there."""
    names = list(source.schema.names)
    if columns is None:
        return names
    asked = name_list(columns, "columns")
    for name in asked:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=3)
            there = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            told = f"near it: {', '.join(near)}" if near else f"there are: {there}"
            raise NoColumn(f"{source.files[0]}: no column is named '{name}'; {told}")
    return asked


def _names(paths: Paths) -> list[str]:
    named = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    return [os.fspath(path) for path in named]


def _refuse_texts(files: Sequence[str], out: str) -> None:
    """BadInput: a text that pyarrow does not read, with what does."""
    for path in files:
        if is_text(path):
            raise BadInput(f"{path}: no file of Parquet, Arrow, ORC or CSV: {advice_on(path, out)}")


def _first_line(error: Exception) -> str:
    """What pyarrow says first; lists of all columns follow."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _open(files: Sequence[str], format: str | None) -> Any:
    """A dataset of pyarrow. NotFound: no such file. BadInput: one that is of another format.
    InvalidArgument: a format that there is not, a table of others."""
    arrow = need("pyarrow", "pyarrow", "reading files of other formats")
    for path in files:
        _refuse_tables_of_others(path)
    kind = format or (format_of(files[0]) if files else None) or "parquet"
    try:
        return _dataset(files, kind)
    except Error:
        raise
    except FileNotFoundError as error:
        raise NotFound(f"{_first_line(error)}: no such file") from None
    except arrow.ArrowInvalid as error:
        raise BadInput(
            f"{_first_line(error)} Expected files of format '{kind}'; JSON Lines, CSV and TSV are"
            " for dsi.from_text"
        ) from None
    except ValueError as error:
        words = ", ".join(map(repr, sorted(set(FORMATS.values()))))
        raise InvalidArgument(f"{_first_line(error)}, expected one of {words}") from None


def _dataset(files: Sequence[str], kind: str) -> Any:
    dataset = need("pyarrow.dataset", "pyarrow", "reading files of other formats")
    source = dataset.dataset(files[0] if len(files) == 1 else files, format=kind)
    schema = _schema_of_all(source)
    types = _types_of_keys(source.files)
    # What files have themselves is read from them, whatever their paths say.
    keys = [item for item in types.items() if item[0] not in schema.names]
    if not keys and schema.equals(source.schema):
        return source
    arrow = need("pyarrow", "pyarrow", "reading files of other formats")
    partitioning = dataset.HivePartitioning(arrow.schema(keys)) if keys else None
    for name, type in keys:
        schema = schema.append(arrow.field(name, type))
    return dataset.dataset(
        source.files,
        schema=schema,
        format=kind,
        filesystem=source.filesystem,
        partitioning=partitioning,
    )


# Folders that mark tables whose files are not all of them rows of the table, and how such a table
# is read.
_TABLES_OF_OTHERS = {
    "_delta_log": ("Delta Lake", "deltalake.DeltaTable(path).to_pyarrow_dataset()"),
    ".hoodie": ("Hudi", "what its own library reads"),
    "metadata": ("Iceberg", "pyiceberg's table.scan().to_arrow_batch_reader()"),
}


def _refuse_tables_of_others(path: str) -> None:
    """Files that such a table has deleted or replaced lie beside the others."""
    if format_of(path) is not None:
        return
    fs = need("pyarrow.fs", "pyarrow", "reading files of other formats")
    where, base = fs.FileSystem.from_uri(path) if "://" in path else (fs.LocalFileSystem(), path)
    marks = [f"{base.rstrip('/')}/{name}" for name in _TABLES_OF_OTHERS]
    for found, (format, reader) in zip(
        where.get_file_info(marks), _TABLES_OF_OTHERS.values(), strict=True
    ):
        if found.type != fs.FileType.Directory:
            continue
        if format == "Iceberg":
            inside = where.get_file_info(fs.FileSelector(found.path))
            if not any(file.base_name.endswith(".metadata.json") for file in inside):
                continue
        raise InvalidArgument(
            f"{path}: a table of {format}, in which files may lie that it has deleted; give "
            f"dsi.write {reader}"
        )


def _without_dictionaries(schema: Any) -> Any:
    """Of columns that are dictionaries, as pandas' categories are, the types of their values."""
    for i, field in enumerate(schema):
        if hasattr(field.type, "value_type") and hasattr(field.type, "index_type"):
            schema = schema.set(i, field.with_type(field.type.value_type))
    return schema


def _schema_of_all(source: Any) -> Any:
    """Of Arrow, over all files: pyarrow takes that of the first, and drops what others have."""
    arrow = need("pyarrow", "pyarrow", "reading files of other formats")
    pieces = list(source.get_fragments())
    with ThreadPoolExecutor() as threads:
        schemas = list(threads.map(lambda piece: piece.physical_schema, pieces))
    made = source.schema
    for piece, schema in zip(pieces, schemas, strict=True):
        if schema.equals(made):
            continue
        both = [_without_dictionaries(one) for one in (made, schema)]
        try:
            made = arrow.unify_schemas(both, promote_options="permissive")
        except arrow.ArrowException as error:
            raise BadInput(
                f"{piece.path}: its columns do not go together with those before: {error}"
            ) from None
    return made


def _types_of_keys(paths: Sequence[str]) -> dict[str, str]:
    """Of keys in paths ("day=2026-01-01/hour=7/part-0.parquet") the types of Arrow."""
    values: dict[str, set[str]] = {}
    for path in paths:
        for part in path.split("/")[:-1]:
            name, equals, value = part.partition("=")
            if name and equals and value != "__HIVE_DEFAULT_PARTITION__":
                values.setdefault(unquote(name), set()).add(unquote(value))
    return {name: "int32" if all(map(_is_int32, of)) else "string" for name, of in values.items()}


def _is_int32(text: str) -> bool:
    return re.fullmatch(r"-?(0|[1-9]\d{0,9})", text) is not None and -(2**31) <= int(text) < 2**31


def _unnamed_index(schema: Any) -> set[str]:
    """Columns that hold the index of frames of pandas, where it has no name."""
    if b"pandas" not in (schema.metadata or {}):
        return set()
    return {name for name in schema.names if re.fullmatch(r"__index_level_\d+__", name)}


def _path_keys(source: Any) -> dict[str, str]:
    """Columns that no file has, but the paths: name and type of Arrow."""
    keys = source.partitioning.schema if source.partitioning is not None else ()
    return {field.name: str(field.type) for field in keys}


def _stored_schema(source: Any, columns: Sequence[str]) -> str | None:
    """What `to_parquet` left in the files, and features of the keys in their paths."""
    keys = {name: type for name, type in _path_keys(source).items() if name in columns}
    inside = [name for name in columns if name not in keys]
    stored = stored_schema(source.schema.metadata, inside)
    if stored is None or not keys:
        return stored
    made = json.loads(stored)
    for name, type in keys.items():
        is_text = type == "string"
        made["features"].append(
            {
                "name": name,
                "kind": "string" if is_text else "dense",
                "type": "bytes" if is_text else type,
            }
        )
    return json.dumps(made)


@contextmanager
def _published(path: str, overwrite: bool) -> Iterator[str]:
    """A name beside `path` to write to, which becomes `path` when the block ends well."""
    if not overwrite and os.path.exists(path):
        raise AlreadyExists(f"{path}: exists, and overwrite is not set")
    folder, name = os.path.split(path)
    being_made = os.path.join(folder, f".{name}.{uuid.uuid4().hex[:12]}")
    try:
        yield being_made
        if overwrite:
            os.replace(being_made, path)
            return
        try:
            os.link(being_made, path)
        except FileExistsError:
            raise AlreadyExists(f"{path}: has come into being meanwhile") from None
    finally:
        if os.path.exists(being_made):
            os.unlink(being_made)


@contextmanager
def _sink(kind: str, path: str, schema: Any, compression: str | None) -> Iterator[Any]:
    if kind == "parquet":
        parquet = need("pyarrow.parquet", "pyarrow", "writing Parquet")
        with parquet.ParquetWriter(path, schema, compression=compression or "none") as writer:
            yield writer.write_batch
    elif kind == "feather":
        pyarrow = need("pyarrow", "pyarrow", "writing Feather")
        options = pyarrow.ipc.IpcWriteOptions(compression=compression)
        with (
            pyarrow.OSFile(path, "wb") as file,
            pyarrow.ipc.new_file(file, schema, options=options) as writer,
        ):
            yield writer.write_batch
    elif kind == "orc":
        pyarrow = need("pyarrow", "pyarrow", "writing ORC")
        orc = need("pyarrow.orc", "pyarrow", "writing ORC")
        _refuse_types(pyarrow, orc, schema)
        with orc.ORCWriter(path, compression=compression or "uncompressed") as writer:
            writer.write(schema.empty_table())  # Nothing written is no file of ORC.
            yield lambda batch: writer.write(pyarrow.Table.from_batches([batch]))
    else:
        raise InvalidArgument(f"format is {kind!r}, expected 'parquet', 'feather' or 'orc'")


def _refuse_types(pyarrow: Any, orc: Any, schema: Any) -> None:
    """InvalidArgument: columns of types that ORC lacks, such as unsigned numbers."""
    unfit = []
    for field in schema:
        try:
            orc.write_table(pyarrow.schema([field]).empty_table(), pyarrow.BufferOutputStream())
        except pyarrow.ArrowNotImplementedError:
            unfit.append(f"{field.name} ({field.type})")
    if unfit:
        raise InvalidArgument(
            f"ORC has no type for {', '.join(unfit)}; Parquet and Feather have, or leave these"
            " columns out"
        )


def _refuse_ending(path: str, kind: str) -> None:
    """InvalidArgument: the end of the name tells of another format than the one written."""
    told = format_of(path)
    if told == {"feather": "ipc"}.get(kind, kind):
        return
    ending = os.path.splitext(path)[1]
    if told in _WRITTEN_BY:
        advice = f"{_WRITTEN_BY[told]} writes such files"
    elif ending.lower() == ".dsi":
        advice = "dsi.rewrite writes such files"
    elif told == "csv" or is_text(path):
        advice = "'dsictl convert' writes JSON Lines, and CSV is only read"
    else:
        return
    word = {"parquet": "Parquet", "feather": "Feather", "orc": "ORC"}[kind]
    raise InvalidArgument(
        f"{path}: {word} is not written to a file that ends in {ending}: {advice}"
    )


def export(
    scan: ArrowScan,
    path: str | os.PathLike[str],
    kind: str,
    total_rows: int,
    overwrite: bool = False,
    progress: Callable[[str, int, int], object] | None = None,
    compression: str | None = "zstd",
) -> int:
    """Writes the rows of a scan as 'parquet', 'feather' or 'orc', batch by batch; their number.

    InvalidArgument: a name that ends as files of another format do, a type that ORC lacks.
    """
    _refuse_ending(os.fspath(path), kind)
    schema = scan.schema()
    done = 0
    with (
        _published(os.fspath(path), overwrite) as being_made,
        _sink(kind, being_made, schema, compression) as write,
    ):
        for batch in scan.batches():
            write(batch)
            done += batch.num_rows
            if progress is not None and progress("write", done, total_rows) is False:
                raise Cancelled("writing was cancelled by progress")
    return done

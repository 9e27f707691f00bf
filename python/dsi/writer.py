"""Files made of tables, arrays and rows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack, get_args

from . import _dsi
from ._columns import refuse_rounded, stream_of_columns
from ._schema import (
    SchemaLike,
    completed,
    feature_columns,
    float32_columns,
    infer_from_rows,
    infer_from_stream,
    schema_json,
    stored_schema,
)
from .errors import AlreadyExists, BadInput, InvalidArgument, OutOfRange

if TYPE_CHECKING:
    from .texts import OnBadRow, TextKeywords, TextRows

# Rows that a schema is found from.
_ROWS_TO_INFER = 10_000

Progress = Callable[[str, int, int], object]
# What a null in a list does.
NullEntries = Literal["fail", "drop", "fill"]


class WriterKeywords(TypedDict, total=False):
    """Keywords of `Writer` and of all that writes a file.

    keep_order: ignore keys, rows keep the order of input. clustered: rows come so by the keys, the
    rows of a session behind each other in the order of their time, and keep their order; stripes
    are written while rows come, and rows that come otherwise are refused (BadInput).
    keep_position: store each row's position.
    stripe_rows (262,144), stripe_bytes (1 GiB), page_values (65,536): sizes of the file's parts.
    memory_bytes: for rows and what finishing needs; 0: three quarters of what there is. Rows that
    do not fit wait in spill_folder, in files without a name; '': the file's folder. threads: of
    finishing; 0: all cores. tuning: where files are read from, 'nvme', 'network' or 'archive'.
    dedup: False stores every row. find_groups: look for features that change together.
    verify_after_encode: decode what was encoded, and compare.
    layout_from: an access log (see `ReadKeywords`): what its jobs read lies side by side.
    overwrite: replace an existing file. progress(phase, rows_done, rows_total): told how far it is,
    False stops (Cancelled); phases are 'append', 'cluster', 'encode' and 'publish'; rows_total is 0
    where it is not known.
    """

    keep_order: bool
    keep_position: bool
    stripe_rows: int
    stripe_bytes: int
    page_values: int
    memory_bytes: int
    spill_folder: str
    threads: int
    tuning: str
    dedup: bool
    find_groups: bool
    verify_after_encode: bool
    layout_from: str
    clustered: bool
    overwrite: bool
    progress: Progress | None


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What was written. values_in: entries handed in; values_stored: those left after dedup.
    came_clustered: there are keys, and rows stand as they came."""

    num_rows: int
    num_sessions: int
    num_stripes: int
    num_groups: int
    file_bytes: int
    values_in: int
    values_stored: int
    index_bytes: int
    spilled_bytes: int
    came_clustered: bool
    encode_seconds: float
    choose_seconds: float


def writer_options(
    cluster_by: Sequence[str] | str, keywords: WriterKeywords
) -> tuple[_dsi.WriterOptions, Progress | None]:
    """The options of the library, and who is told. TypeError: a keyword that there is not."""
    given: dict[str, Any] = dict(keywords)
    unknown = given.keys() - WriterKeywords.__annotations__.keys()
    if unknown:
        raise TypeError(f"unknown keyword {sorted(unknown)[0]!r}")
    progress = given.pop("progress", None)
    keys = [cluster_by] if isinstance(cluster_by, str) else list(cluster_by)
    return _dsi.WriterOptions(cluster_by=keys, **given), progress


class Writer:
    """Writes one .dsi file: rows in, clustered by key, deduplicated, published atomically.

        with dsi.Writer("clicks.dsi", cluster_by=["session_id", "timestamp"]) as writer:
            writer.append(table)

    The file is there when the block has ended well, and after an exception nothing is. Without a
    schema one is found from what comes first (`append`). One thread at a time.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        schema: SchemaLike | None = None,
        cluster_by: Sequence[str] | str = (),
        *,
        metadata: Mapping[str, str] | None = None,
        ignore_unknown: bool = False,
        null_entries: NullEntries = "fail",
        **options: Unpack[WriterKeywords],
    ):
        """path: of the file to make. schema: a dict, JSON, a file of it, or a .dsi file.

        cluster_by: features, outermost key first, the last may be a timestamp; by default those of
        the schema. Where no schema is given, whole numbers and strings of these names are keys.
        metadata: notes to store with the file, beside those of the schema and in the place of those
        of the same key; `Dataset.metadata_of` gives them back. ignore_unknown: skip columns that
        the schema lacks. null_entries: what a null in a list does: 'fail', 'drop' (it
        is left out; where lists stand side by side it fails) or 'fill' (NaN, 0 or the empty text
        stands there). Other keywords: `WriterKeywords`.

        BadInput: an unsound schema. InvalidArgument: an option. AlreadyExists, NotFound (folder).
        """
        self.path = os.fspath(path)
        self._metadata = dict(metadata or {})
        self._ignore_unknown = ignore_unknown
        self._null_entries = null_entries
        if null_entries not in get_args(NullEntries):
            raise InvalidArgument(f"null_entries is {null_entries!r}, not 'fail', 'drop' or 'fill'")
        self._keys = [cluster_by] if isinstance(cluster_by, str) else list(cluster_by)
        self._options, self._progress = writer_options(self._keys, options)
        self._threads = options.get("threads", 0)
        self._memory_bytes = options.get("memory_bytes", 0)
        self._native: _dsi.Writer | None = None
        self._over = False
        self._inferred_from = 0  # Rows that the schema was found from.
        self._report: WriteReport | None = None
        self._of_float32: set[str] | None = None  # Once it was asked for.
        if schema is not None:
            self._create(schema_json(schema))
        elif os.path.exists(self.path) and not options.get("overwrite", False):
            raise AlreadyExists(f"{self.path}: exists, and overwrite is not set")

    def _create(self, schema: str) -> _dsi.Writer:
        if self._metadata:
            noted = json.loads(schema)
            noted["metadata"] = {**noted.get("metadata", {}), **self._metadata}
            schema = json.dumps(noted)
        self._native = _dsi.Writer.create(self.path, schema, self._options, self._progress)
        return self._native

    @property
    def schema(self) -> dict[str, Any] | None:
        """As the file will have it; None: nothing was appended yet."""
        return None if self._native is None else json.loads(self._native.schema)

    @property
    def num_rows(self) -> int:
        """Rows added so far."""
        if self._report is not None:
            return self._report.num_rows
        return 0 if self._native is None or self._over else self._native.num_rows

    @property
    def size_bytes(self) -> int:
        """Bytes of the values, lengths and row numbers of the rows added so far."""
        return 0 if self._native is None or self._over else self._native.size_bytes

    def append(self, data: Any) -> int:
        """Adds rows, and returns how many.

        data: a table that speaks Arrow's PyCapsule interface (pyarrow, polars, DuckDB, pandas,
        `Dataset`), a pyarrow dataset; a dict of columns: numpy arrays [rows], matrices
        [rows, L] as embeddings, pairs (values [N], offsets [rows + 1]) as lists, lists of what rows
        have, arrays of Arrow and series; a numpy array of records; or an iterable of rows that are
        dicts (nested dicts have dotted names), or of tables.

        Missing and null are one state, an empty list another. Numbers of 64 bits are exact, or
        OutOfRange. An index of pandas that has no name is left out. Columns and features are
        matched by name. Where no schema was given: a table of this library's brings its own, other
        tables and dicts of columns have the types of their columns, rows those that
        `dsictl convert` finds in JSON Lines (the first 10,000 tell).

        BadInput, OutOfRange name column, row and value; a table or dict is added whole, or up to an
        array of it that is refused, rows up to the one that is refused. IoError: no room to spill.
        """
        if self._over:
            raise InvalidArgument("the writer is finished or was given up")
        data = _without_index(data)
        if hasattr(data, "scanner") and not hasattr(data, "__arrow_c_stream__"):
            data = data.scanner().to_reader()
        if hasattr(data, "__arrow_c_stream__"):
            stream = _dsi.ArrowStream.of_stream(data.__arrow_c_stream__())
            return self._append_stream(stream, data)
        if hasattr(data, "__arrow_c_array__"):
            return self._append_stream(_dsi.ArrowStream.of_array(*data.__arrow_c_array__()), data)
        if names := getattr(getattr(data, "dtype", None), "names", None):
            data = {name: data[name] for name in names}
        if isinstance(data, Mapping):
            stream = stream_of_columns(data)
            if self._native is not None:
                refuse_rounded(data, self._float32_columns(self._native))
            return self._append_stream(stream, data)
        if isinstance(data, str | bytes) or not isinstance(data, Iterable):
            advice = ": collect() it" if hasattr(data, "collect") else ""
            if isinstance(data, str | os.PathLike):
                advice = _advice_on_path(os.fspath(data), self.path)
            raise BadInput(
                f"a {type(data).__name__} is no table{advice}; expected what has"
                " __arrow_c_stream__, a dict of arrays, an array of records or an iterable of dicts"
            )
        return self._append_items(iter(data))

    def append_text(
        self,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        on_bad_row: OnBadRow | None = None,
        infer_rows: int = 0,
        lists: Sequence[str] = (),
        **keywords: Unpack[TextKeywords],
    ) -> TextRows:
        """Adds the rows of texts (JSON Lines, CSV, TSV, TFRecord, Criteo), and tells what was read.

        Arguments: those of `from_text`. An error names file and line; rows before it are added.
        """
        from .texts import TextRows, TextSource, bad_row_teller

        if self._over:
            raise InvalidArgument("the writer is finished or was given up")
        tell = bad_row_teller(on_bad_row)
        source = TextSource(
            paths,
            keywords,
            null_entries=self._null_entries,
            ignore_unknown=self._ignore_unknown,
            threads=self._threads,
            writer_memory_bytes=self._memory_bytes,
        )
        native = self._native
        if native is None:
            found = source.find_schema(
                infer_rows, lists, self._keys, on_bad_row is not None, self._progress
            )
            native = self._create(found)
        elif lists:
            raise InvalidArgument("lists: the schema says which columns are lists")
        read = native.append_text(source.files, source.options, tell)
        return TextRows(**read)  # type: ignore[arg-type]

    def _float32_columns(self, native: _dsi.Writer) -> set[str]:
        if self._of_float32 is None:
            self._of_float32 = float32_columns(native.schema)
        return self._of_float32

    def _append_stream(self, stream: _dsi.ArrowStream, source: Any) -> int:
        native = self._native
        if native is None:
            native = self._create(self._schema_for(source, stream))
        rows = getattr(source, "num_rows", 0)
        total = native.num_rows + rows if isinstance(rows, int) and rows else 0
        return native.append_arrow(stream, self._ignore_unknown, self._null_entries, total)

    def _schema_for(self, source: Any, stream: _dsi.ArrowStream) -> str:
        """What a table of this library's brings along; the rest is found for its first rows."""
        stored = _schema_of(source)
        if stored is None:
            return infer_from_stream(stream, self._keys)
        of_stored = json.loads(stored)
        covered = {name for f in of_stored.get("features", ()) for name in feature_columns(f)}
        if covered.issuperset(getattr(source, "column_names", ())):
            return stored
        return completed(of_stored, infer_from_stream(stream, self._keys))

    def _append_items(self, items: Iterator[Any]) -> int:
        first = next(items, None)
        if first is None:
            return 0
        if not isinstance(first, Mapping):
            if not hasattr(first, "__arrow_c_stream__") and not hasattr(first, "__arrow_c_array__"):
                raise BadInput(f"rows are dicts, the first is of type {type(first).__name__}")
            return sum(self.append(item) for item in chain([first], items))
        native = self._native
        head: list[Any] = [first]
        if native is None:
            head += islice(items, _ROWS_TO_INFER - 1)
            native = self._create(infer_from_rows(head, self._null_entries, self._keys))
            self._inferred_from = len(head)
        try:
            return native.append_rows(chain(head, items), self._ignore_unknown, self._null_entries)
        except (BadInput, OutOfRange) as error:
            row = re.match(r"row (\d+): ", str(error))
            if row is None or not 0 < self._inferred_from <= int(row[1]):
                raise
            rows = f"{self._inferred_from:,} rows" if self._inferred_from > 1 else "row"
            raise type(error)(
                f"{error}; the schema was found from the first {rows}: give schema="
            ) from None

    def finish(self) -> WriteReport:
        """Clusters, encodes, writes and publishes; once.

        OutOfRange: a value beyond its declared precision. BadInput: rows that do not come as
        `clustered` says. ResourceExhausted, AlreadyExists,
        Cancelled (by progress), IoError: nothing is published.
        """
        if self._native is None or self._over:
            raise InvalidArgument(
                "the writer is finished or was given up"
                if self._over
                else "nothing was appended, and without a schema there is nothing to write"
            )
        self._over = True
        self._report = WriteReport(**self._native.finish())  # type: ignore[arg-type]
        return self._report

    def discard(self) -> None:
        """Gives up: nothing is left behind."""
        self._over = True
        if self._native is not None:
            self._native.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.discard()
        elif not self._over:
            self.finish()


def _advice_on_path(path: str | bytes, out: str) -> str:
    """What takes a file of this name; nothing where it is no name that tells."""
    from .files import advice_on

    advice = advice_on(os.fsdecode(path), out)
    return f": {advice}" if advice else ""


def _without_index(data: Any) -> Any:
    """Frames of pandas without the levels of their index that have no name."""
    names = getattr(getattr(data, "index", None), "names", None)
    if names is None or not hasattr(data, "reset_index"):
        return data
    if type(data.index).__name__ == "RangeIndex":  # Which Arrow leaves out, named or not.
        return data.reset_index() if names[0] not in (None, *data) else data
    unnamed = [level for level, name in enumerate(names) if name is None]
    return data.reset_index(level=unnamed, drop=True) if unnamed else data


def _schema_of(source: Any) -> str | None:
    """The schema that a table of this library's brings along."""
    schema = getattr(source, "dsi_schema", None)
    if callable(schema):
        return json.dumps(schema())
    arrow = getattr(source, "schema", None)
    names = getattr(arrow, "names", None)
    metadata = getattr(arrow, "metadata", None)
    if isinstance(names, list) and isinstance(metadata, Mapping):
        return stored_schema(metadata, names)
    return None


def write(
    data: Any,
    path: str | os.PathLike[str],
    schema: SchemaLike | None = None,
    cluster_by: Sequence[str] | str = (),
    *,
    metadata: Mapping[str, str] | None = None,
    ignore_unknown: bool = False,
    null_entries: NullEntries = "fail",
    **options: Unpack[WriterKeywords],
) -> WriteReport:
    """Writes one file of a table, a dict of arrays or rows: `Writer` with one `append`."""
    with Writer(
        path,
        schema,
        cluster_by,
        metadata=metadata,
        ignore_unknown=ignore_unknown,
        null_entries=null_entries,
        **options,
    ) as writer:
        writer.append(data)
        return writer.finish()

"""Texts as rows: JSON Lines, CSV, TSV, TFRecord and the click logs of Criteo, packed or not."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

from . import _dsi
from ._schema import SchemaLike, schema_of_text_files
from .errors import BadInput, InvalidArgument, NotFound
from .files import Paths, format_of
from .writer import NullEntries, Progress, Writer, WriteReport, WriterKeywords

TextFormat = Literal["jsonl", "csv", "tsv", "criteo", "tfrecord"]


class TextKeywords(TypedDict, total=False):
    """Keywords of what reads texts (docs/sources.md).

    format: 'jsonl', 'csv', 'tsv', 'criteo' or 'tfrecord'; else the ends of the names tell, before
    .gz, .zst or .lz4. time_formats: what texts of times look like, as of strptime, with %f for a
    fraction; 'iso' is ISO 8601, the default. epoch_unit: what numbers of times are in ('s', 'ms',
    'us', 'ns'); else the unit of the feature.
    Of CSV and TSV: separator (a comma, or a tab), header (names of the columns, where the text has
    none; '' leaves one out), quotes (False: a quote is text), missing (cells of this text are
    missing, as empty ones are), list_separator ('|', between the entries of a list).
    """

    format: TextFormat
    time_formats: Sequence[str]
    epoch_unit: Literal["s", "ms", "us", "ns"]
    separator: str
    header: Sequence[str]
    quotes: bool
    missing: str
    list_separator: str


class FromTextKeywords(TextKeywords, WriterKeywords, total=False):
    """Keywords of `from_text`: of texts and of files written."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be read.

    line: its first. text: as it stands there. reason: with file, line and column, what was found
    and what was expected."""

    file: str
    line: int
    text: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class TextRows:
    """What was read of texts. first_bad_row: its reason. ignored: names that the schema lacks, and
    how many values they had; more_ignored: values of further such names. absent: features that no
    row had."""

    num_rows: int
    num_bad_rows: int
    first_bad_row: str
    ignored: Mapping[str, int]
    more_ignored: int
    absent: Sequence[str]


# Told of each; False ends the reading.
OnBadRow = Callable[[BadRow], object]


class TextSource:
    """Files of a text, and how they are read."""

    def __init__(self, paths: Paths, keywords: TextKeywords, **options: Any):
        """TypeError: a keyword that there is not. NotFound, InvalidArgument. BadInput: a file that
        is no text by its name."""
        unknown = keywords.keys() - TextKeywords.__annotations__.keys()
        if unknown:
            raise TypeError(f"unknown keyword {sorted(unknown)[0]!r}")
        given: dict[str, Any] = {k: value for k, value in keywords.items() if value is not None}
        for name in ("header", "time_formats"):
            given[name] = _strings(name, given.get(name, ()))
        self.options = _dsi.TextOptions(**given, **options)
        named = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        self.files = _dsi.list_texts([os.fspath(path) for path in named], self.options)
        if not self.files:
            raise InvalidArgument("paths: no file is named")
        for path in self.files:
            if path != "-" and "://" not in path and not os.path.exists(path):
                raise NotFound(f"{path}: no such file")
            if "format" not in given:
                _refuse_others(path)

    def find_schema(
        self,
        rows: int = 0,
        lists: Sequence[str] = (),
        keys: Sequence[str] = (),
        skip_bad_rows: bool = False,
        progress: Progress | None = None,
    ) -> str:
        """A schema as JSON. InvalidArgument: what can be read but once."""
        for path in self.files:
            if path == "-" or (os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)):
                raise InvalidArgument(
                    f"{path}: can be read but once, and finding a schema is a second reading: give"
                    " schema="
                )
        return schema_of_text_files(
            self.files, self.options, rows, _strings("lists", lists), keys, skip_bad_rows, progress
        )


def _refuse_others(path: str) -> None:
    """BadInput: a file that the end of its name tells something else reads."""
    if path.lower().endswith(".dsi"):
        raise BadInput(f"{path}: a .dsi file, no text; dsi.open and dsi.rewrite take it")
    if format_of(path) not in (None, "csv"):
        raise BadInput(f"{path}: no text; dsi.from_parquet takes it")


def _strings(name: str, given: Sequence[str]) -> list[str]:
    if isinstance(given, str):
        raise InvalidArgument(f"{name} is {given!r}, expected a list of strings")
    return list(given)


def bad_row_teller(on_bad_row: OnBadRow | None) -> Callable[[str, int, bytes, str], object] | None:
    """What the library calls with the parts of such a row."""
    if on_bad_row is None:
        return None
    if not callable(on_bad_row):
        raise InvalidArgument(f"on_bad_row is {on_bad_row!r}, expected what can be called")
    return lambda file, line, text, reason: on_bad_row(BadRow(file, line, text, reason))


def schema_of_text(
    paths: Paths,
    *,
    infer_rows: int = 0,
    lists: Sequence[str] = (),
    null_entries: NullEntries = "fail",
    progress: Progress | None = None,
    **text: Unpack[TextKeywords],
) -> dict[str, Any]:
    """The schema that `from_text` finds, to be looked at, changed and handed to it.

    infer_rows: how many rows tell, the first ones; 0: all. lists: columns of CSV and TSV that are
    lists, of texts as well. Other arguments: `from_text`. progress(phase, bytes_done, bytes_total):
    phase 'schema'; False stops.

    BadInput: values of a feature are of more than one kind, a text that is damaged; names file and
    line. NotFound, InvalidArgument, Cancelled.
    """
    source = TextSource(paths, text, null_entries=null_entries)
    made: dict[str, Any] = json.loads(source.find_schema(infer_rows, lists, progress=progress))
    return made


def from_text(
    paths: Paths,
    out: str | os.PathLike[str],
    schema: SchemaLike | None = None,
    cluster_by: Sequence[str] | str = (),
    *,
    on_bad_row: OnBadRow | None = None,
    infer_rows: int = 0,
    lists: Sequence[str] = (),
    metadata: Mapping[str, str] | None = None,
    ignore_unknown: bool = False,
    null_entries: NullEntries = "fail",
    **keywords: Unpack[FromTextKeywords],
) -> WriteReport:
    """Makes one .dsi file of texts, as `dsictl convert` does; all threads parse.

        bad = []
        dsi.from_text("logs/day=*/*.jsonl.gz", "clicks.dsi", cluster_by=["session_id", "timestamp"],
                      on_bad_row=bad.append)

    paths: files, patterns ('*', '?', '[…]', '**'), folders or URLs, read one behind the other.
    schema: else it is found from all rows (`schema_of_text`; infer_rows: the first ones), with
    cluster_by as keys; what is read but once, such as a pipe, takes a schema. on_bad_row: told of
    each row that cannot be read, which is left out; False ends the reading (Cancelled). None: the
    first such row is an error. lists: columns of CSV that are lists, where the schema is found.
    Other arguments: `TextKeywords` and `Writer`; progress is told of bytes in the phases 'schema'
    and 'read'.

    BadInput, OutOfRange: names file, line and feature. NotFound, InvalidArgument, AlreadyExists,
    ResourceExhausted: nothing is written.
    """
    given: dict[str, Any] = dict(keywords)
    text = {name: given.pop(name) for name in TextKeywords.__annotations__ if name in given}
    with Writer(
        out,
        schema,
        cluster_by,
        metadata=metadata,
        ignore_unknown=ignore_unknown,
        null_entries=null_entries,
        **given,
    ) as writer:
        writer.append_text(paths, on_bad_row=on_bad_row, infer_rows=infer_rows, lists=lists, **text)
        return writer.finish()

"""Features of files' rows in files of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Unpack

from . import _dsi
from ._schema import SchemaLike
from .dataset import Dataset, as_dataset, paths_of
from .dataset import open as open_dataset
from .errors import InvalidArgument
from .options import native_rows
from .projections import Names, name_list
from .writer import Writer, WriteReport, WriterKeywords, writer_options

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class OverlayReport:
    """write: what was written; its num_rows are those of the base that the overlay has.
    num_given: rows of these that have what was given; the others miss the features, num_deleted of
    them since the base has deleted them. num_unused: rows whose key no row of the base has."""

    write: WriteReport
    num_given: int
    num_deleted: int
    num_unused: int


@dataclass(frozen=True, slots=True)
class BaseOverlay:
    """One of `write_overlays`: base, and path of its overlay. report: None where no row of the base
    is given, and so it has no overlay; its num_unused is 0."""

    base: str
    path: str
    report: OverlayReport | None


@dataclass(frozen=True, slots=True)
class OverlaysReport:
    """overlays: of each base, in the order of the dataset. num_unused: rows that no base takes."""

    overlays: list[BaseOverlay]
    num_unused: int


def write_overlay(
    base: str | os.PathLike[str] | Dataset,
    data: Any,
    path: str | os.PathLike[str],
    key: str = "",
    *,
    broadcast: bool = False,
    rows: Sequence[tuple[int, int]] = (),
    only: Names = (),
    drop: Names = (),
    schema: SchemaLike | None = None,
    metadata: Mapping[str, str] | None = None,
    ignore_unknown: bool = False,
    **options: Unpack[WriterKeywords],
) -> OverlayReport:
    """Writes features of the rows of a .dsi file, which stays as it is, as an overlay beside it.

    A dataset that finds both files reads them as one table: features of the overlay stand in the
    place of those of their names, new ones behind them; of several overlays of a file the last in
    the order of the dataset has the say.

    base: a .dsi file, or a `Dataset` of one.
    data: what `Writer.append` takes, a `Dataset`, or the path of a .dsi file. key: a column of one
    whole number or string by which rows find those of the base; without it they are those of the
    base that are not deleted, in its order, and as many. broadcast: rows of the base that share a
    key all take what is given for it. rows: which rows of the base, ranges of whole stripes;
    default all. only, drop: names and patterns of features; the key is left out unless `only` names
    it. schema, ignore_unknown: of data, as for `Writer`. Other keywords: `WriterKeywords`, but for
    those that say how rows are ordered and cut.

    InvalidArgument: more or fewer rows than the base has, without a key; a key that two rows of
    data have, or without broadcast two of the base; rows that are no whole stripes. BadInput,
    NotFound, AlreadyExists, Cancelled, IoError.
    """
    writer, progress = writer_options((), options)
    of = _only_file(base)

    def write(source: Dataset) -> OverlayReport:
        report = _dsi.write_overlay(
            source.native,
            of,
            os.fspath(path),
            key,
            broadcast,
            native_rows(rows),
            name_list(only, "only"),
            name_list(drop, "drop"),
            dict(metadata or {}),
            writer,
            progress,
        )
        return _report(report)

    folder = options.get("spill_folder") or os.path.dirname(os.path.abspath(path))
    return _with_rows(write, data, folder, schema, ignore_unknown)


def write_overlays(
    bases: Dataset | str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    data: Any,
    name: str,
    key: str = "",
    *,
    broadcast: bool = False,
    only: Names = (),
    drop: Names = (),
    schema: SchemaLike | None = None,
    metadata: Mapping[str, str] | None = None,
    ignore_unknown: bool = False,
    **options: Unpack[WriterKeywords],
) -> OverlaysReport:
    """Writes an overlay of each of many .dsi files, reading the rows that are given once.

    bases: a `Dataset`, or what `dsi.open` takes. name: where overlays go; `{}` stands for the path
    of the base without `.dsi` where the name begins with it (`"{}.scores.dsi"`: beside the base),
    else for its file name without it (`"scores/{}.dsi"`). Without a key the rows of data are those
    of all bases, one behind the other. The rest is as for `write_overlay`, as if each base were
    given by itself, but that a base of which no row is given gets no overlay.

    Each overlay appears when it is whole; where one fails those before it stay, and the message
    says how many these are. AlreadyExists: one of them, before anything is written.
    """
    writer, progress = writer_options((), options)
    of = as_dataset(bases)

    def write(source: Dataset) -> OverlaysReport:
        made, unused = _dsi.write_overlays(
            source.native,
            of.native,
            name,
            key,
            broadcast,
            name_list(only, "only"),
            name_list(drop, "drop"),
            dict(metadata or {}),
            writer,
            progress,
        )
        overlays = [
            BaseOverlay(base, path, _report(report) if written else None)
            for base, path, written, report in made
        ]
        return OverlaysReport(overlays, unused)

    beside = of.files[0].path if name.startswith("{}") else name
    folder = options.get("spill_folder") or os.path.dirname(os.path.abspath(beside))
    return _with_rows(write, data, folder, schema, ignore_unknown)


def _only_file(base: str | os.PathLike[str] | Dataset) -> str:
    """The path of a base. InvalidArgument: it is several files, or none."""
    paths = [file.path for file in base.files] if isinstance(base, Dataset) else paths_of(base)
    if len(paths) != 1:
        raise InvalidArgument(
            f"base is of {len(paths)} files, expected one: dsi.write_overlays writes an overlay of"
            " each of many"
        )
    return paths[0]


def _report(report: tuple[Any, ...]) -> OverlayReport:
    written, given, deleted, unused = report
    return OverlayReport(WriteReport(**written), given, deleted, unused)


def _with_rows(
    write: Callable[[Dataset], _Made],
    data: Any,
    folder: str,
    schema: SchemaLike | None,
    ignore_unknown: bool,
) -> _Made:
    """Calls write with data as a dataset, which may be of a temporary file."""
    if isinstance(data, Dataset):
        return write(data)
    if isinstance(data, str | os.PathLike):
        return write(open_dataset(data))
    with tempfile.TemporaryDirectory(prefix=".overlay-", dir=folder) as hidden:
        name = os.path.join(hidden, "rows.dsi")
        with Writer(name, schema, keep_order=True, ignore_unknown=ignore_unknown) as rows_of:
            rows_of.append(data)
            rows_of.finish()
        return write(open_dataset(name))

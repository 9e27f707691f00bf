"""Features of a file's rows in a file of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from . import _dsi
from ._schema import SchemaLike
from .dataset import Dataset
from .dataset import open as open_dataset
from .writer import Writer, WriteReport, WriterKeywords, writer_options


@dataclass(frozen=True, slots=True)
class OverlayReport:
    """write: what was written; its num_rows are those of the base that the overlay has.
    num_given: rows of these that were given; the others miss the features, num_deleted of them
    since the base has deleted them. num_unused: rows whose key no row of the base has."""

    write: WriteReport
    num_given: int
    num_deleted: int
    num_unused: int


def write_overlay(
    base: str | os.PathLike[str],
    data: Any,
    path: str | os.PathLike[str],
    key: str = "",
    *,
    rows: Sequence[tuple[int, int]] = (),
    only: Iterable[str] | str = (),
    drop: Iterable[str] | str = (),
    schema: SchemaLike | None = None,
    metadata: Mapping[str, str] | None = None,
    ignore_unknown: bool = False,
    **options: Unpack[WriterKeywords],
) -> OverlayReport:
    """Writes features of the rows of a .dsi file, which stays as it is, as an overlay beside it.

    A dataset that finds both files reads them as one table: features of the overlay stand in the
    place of those of their names, new ones behind them; of several overlays of a file the last in
    the order of the dataset has the say.

    data: what `Writer.append` takes, a `Dataset`, or the path of a .dsi file. key: a column of one
    whole number or string by which rows find those of the base; without it they are those of the
    base that are not deleted, in its order, and as many. rows: which rows of the base, ranges of
    whole stripes; default all. only, drop: names and patterns of features; the key is left out
    unless `only` names it. schema, ignore_unknown: of data, as for `Writer`. Other keywords:
    `WriterKeywords`, but for those that say how rows are ordered and cut.

    InvalidArgument: more or fewer rows than the base has, without a key; a key that two rows have;
    rows that are no whole stripes. BadInput, NotFound, AlreadyExists, Cancelled, IoError.
    """
    writer, progress = writer_options((), options)

    def write(source: Dataset) -> OverlayReport:
        report = _dsi.write_overlay(
            source.native,
            os.fspath(base),
            os.fspath(path),
            key,
            list(rows),
            [only] if isinstance(only, str) else list(only),
            [drop] if isinstance(drop, str) else list(drop),
            dict(metadata or {}),
            writer,
            progress,
        )
        written, given, deleted, unused = report
        return OverlayReport(WriteReport(**written), given, deleted, unused)

    if isinstance(data, Dataset):
        return write(data)
    if isinstance(data, str | os.PathLike):
        return write(open_dataset(data))
    folder = options.get("spill_folder") or os.path.dirname(os.path.abspath(path))
    with tempfile.TemporaryDirectory(prefix=".overlay-", dir=folder) as hidden:
        name = os.path.join(hidden, "rows.dsi")
        with Writer(name, schema, keep_order=True, ignore_unknown=ignore_unknown) as rows_of:
            rows_of.append(data)
            rows_of.finish()
        return write(open_dataset(name))

"""Files written anew from others, and rows taken out of files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack, overload

from . import _dsi
from ._checks import whole
from ._schema import SchemaLike, schema_json
from .dataset import Dataset, as_dataset
from .errors import InvalidArgument
from .options import Filter, Sample, native_clauses, native_sample
from .projections import Names, name_list
from .writer import Progress, WriteReport, WriterKeywords, writer_options

Where = Dataset | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a folder that `rewrite` made."""

    path: str
    report: WriteReport


@dataclass(frozen=True, slots=True)
class DeleteReport:
    """num_rows: of the file, deleted ones among them. num_deleted: by this call.
    num_deleted_rows: now. file_bytes: now."""

    num_rows: int
    num_deleted: int
    num_deleted_rows: int
    file_bytes: int


@dataclass(frozen=True, slots=True)
class LostRows:
    """Rows [begin, end) of a file of which these features cannot be read. left_out: the rows are
    not in what was written; else they miss the features there."""

    path: str
    begin: int
    end: int
    features: list[str]
    left_out: bool
    message: str


@dataclass(frozen=True, slots=True)
class RecoverReport:
    """lost: in the order of rows; empty where nothing is damaged."""

    written: WriteReport
    lost: list[LostRows]

    @property
    def num_rows_left_out(self) -> int:
        """Rows of the ranges that are left out, deleted ones among them."""
        return sum(part.end - part.begin for part in self.lost if part.left_out)


def rewrite(
    source: Where,
    /,
    to: str | os.PathLike[str],
    cluster_by: Sequence[str] | str = (),
    *,
    only: Names = (),
    drop: Names = (),
    rename: Mapping[str, str] | None = None,
    schema: SchemaLike | None = None,
    metadata: Mapping[str, str] | None = None,
    where: Filter = (),
    sample: Sample = (),
    sample_seed: int = 0,
    shard_rows: int = 0,
    shard_bytes: int = 0,
    **options: Unpack[WriterKeywords],
) -> list[Shard]:
    """Writes rows of files as one file, or as the files of a new folder; what was written.

    source: a `Dataset`, or what `dsi.open` takes. to: the file, or with shard_rows or shard_bytes
    the folder: its files have so many rows, or about so many bytes, at most, and no session is in
    two of them.
    only, drop: names and patterns of features, or of columns of sequences. rename: old name, new
    name; datasets know the feature by its id, which stays. schema: in the place of these all
    features to write; those of the files by id, then by name, in types as wide or wider, and
    others, which no row has.
    where: terms that all must hold; sample, sample_seed: all three as of `scan`.
    cluster_by: by default the keys that the files have. Other keywords: `WriterKeywords`; phases of
    progress are 'keys', 'read' and 'write'.

    The bytes are those that writing the same rows afresh gives; deleted rows are not copied.
    InvalidArgument: names that nothing has, a schema that does not fit. BadInput: files that cannot
    be reconciled. AlreadyExists, NotFound, ResourceExhausted, Cancelled, IoError.
    """
    writer, progress = writer_options(cluster_by, options)
    chosen = _dsi.ScanOptions(
        where=native_clauses(where),
        sample=native_sample(sample),
        sample_seed=whole("sample_seed", sample_seed),
    )
    written = _dsi.rewrite(
        as_dataset(source).native,
        os.fspath(to),
        chosen,
        name_list(only, "only"),
        name_list(drop, "drop"),
        list((rename or {}).items()),
        None if schema is None else schema_json(schema),
        dict(metadata or {}),
        shard_rows,
        shard_bytes,
        writer,
        progress,
    )
    return [Shard(path, WriteReport(**report)) for path, report in written]


def recover(
    source: Where,
    /,
    to: str | os.PathLike[str],
    *,
    keep_rows: bool = False,
    **options: Unpack[WriterKeywords],
) -> RecoverReport:
    """Writes what can still be read of damaged files as a sound one, and tells what is lost.

    source: a `Dataset`, or what `dsi.open` takes. Rows of which a feature cannot be read are left
    out; with keep_rows they stay and miss it, unless it is a key, a label or a timestamp. Other
    keywords: `WriterKeywords`; phases of progress are 'check', 'read' and 'write'. The files stay
    as they are.

    Rows are tried in ranges of no less than 1,024; what a whole stripe shares, as its dictionaries,
    takes away the stripe. Reads everything twice.

    Corrupt: no row can be read, or what stands at the end of a file is damaged. Unsupported: a
    feature that only a newer version can read. Other errors: those of `rewrite`.
    """
    writer, progress = writer_options((), options)
    written, lost = _dsi.recover(
        as_dataset(source).native, os.fspath(to), keep_rows, writer, progress
    )
    return RecoverReport(WriteReport(**written), [LostRows(*part) for part in lost])


@overload
def delete_rows(
    path: str | os.PathLike[str],
    where: Filter,
    *,
    dry_run: bool = ...,
    memory_bytes: int = ...,
    progress: Progress | None = ...,
) -> DeleteReport: ...
@overload
def delete_rows(
    path: Dataset | list[str] | list[os.PathLike[str]] | tuple[str | os.PathLike[str], ...],
    where: Filter,
    *,
    dry_run: bool = ...,
    memory_bytes: int = ...,
    progress: Progress | None = ...,
) -> list[DeleteReport]: ...
def delete_rows(
    path: Where,
    where: Filter,
    *,
    dry_run: bool = False,
    memory_bytes: int = 4 << 30,
    progress: Progress | None = None,
) -> DeleteReport | list[DeleteReport]:
    """Takes rows out of a file for which all terms of `where` hold, as those of `Dataset.scan`: of
    some users `("user_id", "in", users)`.

    The file is replaced by itself with a list of the rows that no scan gives any more; `rewrite`
    then leaves nothing of them. dry_run: only count.

    path: a file, or a `Dataset` or a list of what `dsi.open` takes, of each of whose files there is
    a report, in their order: terms are of the table that they are, and what a file lacks is missing
    there. All rows are found before the first file is replaced; the dataset is then to be opened
    again. Those of a table on disk are deleted by `Table.delete_rows`.

    InvalidArgument: no term, one that does not fit its column, a pattern, a folder or a manifest
    that is not opened. NotFound: no such file or column.
    """
    chosen = _dsi.ScanOptions(where=native_clauses(where))
    if not isinstance(path, str | os.PathLike):
        native = as_dataset(path).native
        of_files = _dsi.delete_rows_of_files(native, chosen, dry_run, memory_bytes, progress)
        return [DeleteReport(**made) for made in of_files]
    name = os.fspath(path)
    if _may_be_many(name):
        raise InvalidArgument(
            f"{name}: rows are deleted from one file, or from all that are one table:"
            f" dsi.delete_rows(dsi.open({name!r}), ...)"
        )
    made = _dsi.delete_rows(name, chosen, dry_run, memory_bytes, progress)
    return DeleteReport(**made)


def _may_be_many(name: str) -> bool:
    """A pattern, a folder or a manifest, and no file of this name."""
    if os.path.isdir(name) or name.endswith(("/", ".json")):
        return True
    return any(c in name for c in "*?[") and not os.path.exists(name)

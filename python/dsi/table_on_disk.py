"""Tables on disk that many jobs write: staged files, one atomic commit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self, Unpack

from . import _dsi
from ._opening import RemoteKeywords, checked, opening
from ._schema import SchemaLike
from .dataset import Dataset
from .dataset import open as open_dataset
from .errors import AlreadyExists, InvalidArgument
from .options import Filter, native_clauses
from .writer import Progress, WriterKeywords, write, writer_options


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a table. `operation`: 'create', 'append', 'overwrite', 'replace', 'gc' or
    'abort'; the last two change no file that counts. `time` is by the clock of who committed."""

    number: int
    operation: str
    job: str
    message: str
    time: datetime
    num_files: int
    num_rows: int


@dataclass(frozen=True, slots=True)
class Garbage:
    """What `Table.gc` removed: numbers of snapshots, names of files below the table's folder."""

    snapshots: list[int]
    files: list[str]


@dataclass(frozen=True, slots=True)
class Deletion:
    """What `Table.delete_rows` took out. num_rows: of the table before. files: that were replaced,
    or would be, by name. snapshot: the one that was made, else the newest."""

    num_rows: int
    num_deleted: int
    files: list[str]
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Compaction:
    """What `Table.compact` merged. merged: names of files, of each run that became one file.
    bytes_before, bytes_after: of these, and of what they became. snapshot: the newest."""

    merged: list[list[str]]
    bytes_before: int
    bytes_after: int
    snapshot: Snapshot


class Staged:
    """A file that a task adds to a table; of `Table.stage`.

    `path`: where to write it, a path of this machine where nothing is yet.
    """

    def __init__(self, native: _dsi.StagedFile):
        self._native: _dsi.StagedFile | None = native
        self.path = native.path
        self._message: str | None = None

    def finish(self) -> str:
        """Takes the file that was written into the table; its message. Uploads it to S3."""
        if self._message is None:
            if self._native is None:
                raise InvalidArgument("the staged file was given up")
            self._message = self._native.finish()
            self._native = None
        return self._message

    @property
    def message(self) -> str:
        """For `Table.commit`. InvalidArgument: the block has not ended well yet."""
        if self._message is None:
            raise InvalidArgument("the file is not staged yet: finish() it, or leave its block")
        return self._message

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is None:
            self.finish()
        self._native = None


def _snapshot(native: _dsi.TableSnapshot) -> Snapshot:
    return Snapshot(
        native.number,
        native.operation,
        native.job,
        native.message,
        datetime.fromtimestamp(native.time_ms / 1000, UTC),
        native.num_files,
        native.num_rows,
    )


def _milliseconds(time: timedelta | float) -> int:
    seconds = time.total_seconds() if isinstance(time, timedelta) else time
    if seconds < 0:
        raise InvalidArgument(f"a time of {seconds} s")
    return round(seconds * 1000)


class Table:
    """A table on disk that many jobs write: a folder, or s3://bucket/prefix/.

        table = dsi.Table("clicks")
        message = table.write(rows, "day-1", "part-0")       # in each task
        table.commit("day-1", messages)                      # once, where the job is run
        for batch in table.dataset().scan(["label"]): ...

    Calls from many threads, processes and machines are safe. Pickled by where it is.
    """

    def __init__(
        self,
        where: str | os.PathLike[str],
        *,
        threads: int = 0,
        **remote: Unpack[RemoteKeywords],
    ):
        """Opens a table. threads: that read footers of staged files; 0: as many as cores, 32 of S3.
        The other keywords are those of `dsi.open`, and hold for what is read of it, too.

        NotFound: no table is there (`Table.create`).
        """
        how: dict[str, Any] = {"threads": threads, **remote}
        self._open(os.fspath(where), how, False)

    def _open(self, where: str, how: dict[str, Any], create: bool) -> None:
        self._native = _dsi.Table.open(where, create=create, **opening(checked(how)))
        self._how = how

    @classmethod
    def create(
        cls,
        where: str | os.PathLike[str],
        *,
        exist_ok: bool = False,
        threads: int = 0,
        **remote: Unpack[RemoteKeywords],
    ) -> Self:
        """Makes a table, whose snapshot 1 has no files. AlreadyExists: one is there, and exist_ok
        is not set. The other keywords are those of `dsi.open`."""
        how: dict[str, Any] = {"threads": threads, **remote}
        table = cls.__new__(cls)
        try:
            table._open(os.fspath(where), how, True)
        except AlreadyExists:
            if not exist_ok:
                raise
            table._open(os.fspath(where), how, False)
        return table

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (type(self), self.where, self._how)

    def __repr__(self) -> str:
        return f"dsi.Table({self.where!r})"

    @property
    def where(self) -> str:
        """Its folder or prefix, with a slash at the end."""
        return self._native.where

    def stage(self, job: str, task: str = "task") -> Staged:
        """Begins a file of a task, in a block:

            with table.stage("day-1", "part-0") as staged:
                dsi.write(rows, staged.path)
            return staged.message

        Nobody sees it before it is committed. A block that raises leaves nothing that counts. Ids
        of jobs and tasks are letters, digits, '.', '_' and '-'. On S3 `path` is a temporary file,
        which is uploaded when the block ends.
        """
        return Staged(self._native.stage(job, task))

    def stage_copy(self, path: str | os.PathLike[str], job: str, task: str = "task") -> str:
        """A copy of a .dsi file that is written already; its message."""
        return self._native.stage_copy(job, task, os.fspath(path))

    def write(
        self,
        data: Any,
        job: str,
        task: str = "task",
        schema: SchemaLike | None = None,
        cluster_by: Sequence[str] | str = (),
        *,
        metadata: Mapping[str, str] | None = None,
        **options: Unpack[WriterKeywords],
    ) -> str:
        """Stages one file of a table, a dict of arrays or rows, as `dsi.write` makes it; its
        message."""
        with self.stage(job, task) as staged:
            write(data, staged.path, schema, cluster_by, metadata=metadata, **options)
        return staged.message

    def commit(
        self,
        job: str,
        messages: Iterable[str],
        *,
        operation: str = "append",
        base: int | None = None,
        replaced: Sequence[str] = (),
        message: str = "",
    ) -> Snapshot:
        """Makes the files of these messages a snapshot: all of them, or none.

        operation: 'append'; 'overwrite', in the place of all files, of the snapshot `base` (by
        default the newest when this object was made, or what it has committed since); 'replace', in
        the place of the files `replaced`, named as snapshots name them ("data/..."). message: a
        note for people.

        A job commits once: where it has, among the last 1,000 commits, that snapshot is the answer
        and nothing is done, so whoever is not sure commits again. AlreadyExists: others have
        committed since `base`. NotFound: a file that is replaced is gone. BadInput: a file is not
        what its message says, or features cannot be reconciled; both files are named.
        InvalidArgument: the job was aborted.
        """
        made = self._native.commit(job, list(messages), operation, base, list(replaced), message)
        return _snapshot(made)

    def delete_rows(
        self,
        where: Filter = (),
        *,
        job: str = "",
        message: str = "",
        erase: bool = False,
        dry_run: bool = False,
        memory_bytes: int = 4 << 30,
        progress: Progress | None = None,
    ) -> Deletion:
        """Takes out rows for which all terms of `where` hold, as those of `Dataset.scan`: the files
        that have some are replaced, in one commit. Rows that other jobs append meanwhile stay.

        job: by default an id that is made up. Older snapshots have the rows until `gc` removes
        them. erase: write files without the bytes of deleted rows, and of those deleted before,
        instead of copies that list them; then `where` may be empty. dry_run: only count.

        InvalidArgument: no term, or one that does not fit its column. NotFound: no such column, or
        another job has replaced such a file meanwhile; BadInput: or has added an overlay to one
        that was written anew.
        """
        rows = _dsi.ScanOptions(where=native_clauses(where), memory_bytes=memory_bytes)
        num_rows, num_deleted, files, snapshot = _dsi.delete_from_table(
            self._native, rows, job, message, erase, dry_run, progress
        )
        return Deletion(num_rows, num_deleted, files, _snapshot(snapshot))

    def compact(
        self,
        file_bytes: int = 512 << 20,
        *,
        fold_overlays: bool = False,
        message: str = "",
        dry_run: bool = False,
        **options: Unpack[WriterKeywords],
    ) -> Compaction:
        """Merges files that follow each other, while they have no more than `file_bytes` together:
        a commit for each file that is made. Sessions of merged files lie together again, deleted
        rows are gone. Files of three quarters of `file_bytes` stay, and those with overlays, unless
        `fold_overlays`: then what their overlays add becomes part of them, whatever their size.
        Older snapshots have the small files until `gc` removes them. dry_run: only tell. options:
        of each file; `progress` is told ('merge', files done, files).

        NotFound: another job has replaced such a file meanwhile; BadInput: or has added an overlay
        to it.
        """
        writer, progress = writer_options((), options)
        merged, before, after, snapshot = _dsi.compact_table(
            self._native, file_bytes, fold_overlays, message, dry_run, writer, progress
        )
        return Compaction(merged, before, after, _snapshot(snapshot))

    def abort(self, job: str) -> int:
        """Removes what a job has staged, and keeps it from committing; how many files."""
        return self._native.abort(job)

    def newest(self) -> Snapshot:
        """The newest snapshot."""
        return _snapshot(self._native.newest())

    def snapshots(self) -> list[Snapshot]:
        """Those that are there, newest first."""
        return [_snapshot(one) for one in self._native.snapshots()]

    def gc(
        self,
        keep: int = 10,
        younger_than: timedelta | float = timedelta(days=7),
        grace: timedelta | float = timedelta(hours=24),
        *,
        dry_run: bool = False,
    ) -> Garbage:
        """Removes snapshots that are neither among the newest `keep` nor `younger_than` a time, and
        files that no snapshot needs and that were staged longer ago than `grace`. Times are
        timedelta or seconds. dry_run: only tell.

        A job reads its snapshot to the end only if it is kept so long; a job that has not committed
        within `grace` cannot any more.
        """
        snapshots, files = self._native.gc(
            keep, _milliseconds(younger_than), _milliseconds(grace), dry_run
        )
        return Garbage(snapshots, files)

    def dataset(self, snapshot: int | None = None, **options: Any) -> Dataset:
        """What is in the table, or in one of its snapshots; keywords of `dsi.open`. NotFound: the
        snapshot is not there, or has no files."""
        where = self.where if snapshot is None else f"{self.where}@{snapshot}"
        return open_dataset(where, **{**self._how, **options})


def _reopen(cls: type[Table], where: str, how: dict[str, Any]) -> Table:
    return cls(where, **how)

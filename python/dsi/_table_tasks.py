"""What tasks of a distributed job do to write a table on disk: one file each, or none."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from . import _dsi
from ._schema import infer_from_stream
from .errors import AlreadyExists, InvalidArgument
from .table_on_disk import Snapshot, Table
from .writer import NullEntries, Writer, WriterKeywords

# Tasks share a machine: each keeps so much of its rows in memory, and spills the others.
_MEMORY_BYTES = 1 << 30


def schema_of_types(arrow_schema: Any, keys: Sequence[str]) -> str:
    """The schema that the types of a pyarrow.Schema tell, with these keys, and no values: the same
    in each task."""
    reader = arrow_schema.empty_table().to_reader()
    return infer_from_stream(_dsi.ArrowStream.of_stream(reader.__arrow_c_stream__()), keys)


@dataclass
class TableTasks:
    """A job that writes one table; goes to its tasks by pickle.

    job: '' for an id of its own, by which what a failed job staged can be removed at once. schema:
    JSON; None: by what each task writes first.
    """

    where: str
    how: dict[str, Any]
    job: str = ""
    schema: str | None = None
    cluster_by: list[str] = field(default_factory=list)
    ignore_unknown: bool = False
    null_entries: NullEntries = "fail"
    operation: str = "append"
    message: str = ""
    options: WriterKeywords = field(default_factory=lambda: WriterKeywords())
    _is_named: bool = field(default=False, init=False)
    _base: int = field(default=0, init=False)  # The snapshot that the job began with.

    def begin(self) -> None:
        """Where the job is run, before its tasks: makes the table, unless it is there."""
        if self.operation not in ("append", "overwrite"):
            raise InvalidArgument(f"operation is {self.operation!r}, not 'append' or 'overwrite'")
        self._check_writer()
        self._is_named = self.job != ""
        self.job = self.job or f"job-{uuid.uuid4().hex}"
        try:
            table = Table.create(self.where, **self.how)
        except AlreadyExists:
            table = Table(self.where, **self.how)
        self._base = table.newest().number

    def _check_writer(self) -> None:
        """What no task could do is said at once, and once. Folders are those of the tasks."""
        if self.schema is None:
            return
        options: dict[str, Any] = {**self.options, "spill_folder": "", "layout_from": ""}
        with tempfile.TemporaryDirectory(prefix="dsi-") as folder:
            path = os.path.join(folder, "check.dsi")
            Writer(path, self.schema, self.cluster_by, **options).discard()

    def write(self, tables: Iterable[Any], task: str, threads: int) -> str:
        """In a task: stages a file of all rows of these tables; its message, '' where there are
        none."""
        left = iter(tables)
        first = next((one for one in left if one.num_rows), None)
        if first is None:
            return ""
        options: WriterKeywords = {
            "memory_bytes": _MEMORY_BYTES,
            "threads": threads,
            **self.options,
        }
        table = Table(self.where, **self.how)
        with (
            table.stage(self.job, task) as staged,
            Writer(
                staged.path,
                self.schema,
                self.cluster_by,
                ignore_unknown=self.ignore_unknown,
                null_entries=self.null_entries,
                **options,
            ) as writer,
        ):
            for one in chain([first], left):
                writer.append(one)
        return staged.message

    def commit(self, messages: Iterable[str]) -> Snapshot | None:
        """Where the job is run, once all tasks are done. None: there were no rows to append."""
        staged = [message for message in messages if message]
        if not staged and self.operation == "append":
            return None
        return Table(self.where, **self.how).commit(
            self.job,
            staged,
            operation=self.operation,
            base=self._base if self.operation == "overwrite" else None,
            message=self.message,
        )

    def abort(self) -> None:
        """The job has failed. One that has a name may be run again under it: what it staged is left
        to `Table.gc`."""
        if not self._is_named:
            Table(self.where, **self.how).abort(self.job)

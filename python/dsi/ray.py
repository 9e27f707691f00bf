"""Ray Data: datasets of Ray from datasets of dsi, and to tables on disk.

    rows.write_datasink(dsi.ray.DsiSink("s3://lake/clicks/", cluster_by=["session_id"]))
    dsi.ray.read("s3://lake/clicks/", ["label", "user.*"])

Needs this package where Ray's workers are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from ._frameworks import need
from ._schema import SchemaLike, schema_json
from ._table_tasks import TableTasks
from .dataset import Dataset, Where
from .dataset import open as open_dataset
from .options import AnyOf, Filter, kept_filter
from .projections import Names, name_list
from .table_on_disk import Snapshot
from .writer import NullEntries, WriterKeywords

if TYPE_CHECKING:
    from ray.data import Datasink, Datasource
else:
    _data = need("ray.data", "ray", "dsi.ray")
    Datasink, Datasource = _data.Datasink, _data.Datasource

# Rows that a task of reading is not made for.
_FEW_ROWS = 4096


class DsiSink(Datasink[str]):  # type: ignore[misc]
    """A `dsi.Table` for Dataset.write_datasink: all rows are committed, or none.

    Each task of writing makes one file, so rows of a session belong into one block:
    `dataset.groupby(key)` or a sort puts them there, and min_rows_per_file makes blocks large.
    `snapshot` is what the job made; None before it ends, and where there was nothing to append.
    Used again it is another job, unless `job` says that it is the same.
    """

    def __init__(
        self,
        where: str,
        *,
        schema: SchemaLike | None = None,
        cluster_by: Sequence[str] | str = (),
        job: str = "",
        operation: str = "append",
        message: str = "",
        min_rows_per_file: int | None = None,
        ignore_unknown: bool = False,
        null_entries: NullEntries = "fail",
        ca_file: str = "",
        s3_endpoint: str = "",
        s3_region: str = "",
        s3_profile: str = "",
        **options: Unpack[WriterKeywords],
    ):
        """where: of the table, which is made where there is none. schema: by default the types of
        the columns tell. job: an id by which a job that is run again does not add its rows twice.
        operation: 'append' or 'overwrite'. Other keywords: `WriterKeywords`; memory_bytes is 1 GiB
        of each task, threads are 1.
        """
        self._asked = TableTasks(
            where,
            {
                "ca_file": ca_file,
                "s3_endpoint": s3_endpoint,
                "s3_region": s3_region,
                "s3_profile": s3_profile,
            },
            job,
            None if schema is None else schema_json(schema),
            [cluster_by] if isinstance(cluster_by, str) else list(cluster_by),
            ignore_unknown,
            null_entries,
            operation,
            message,
            options,
        )
        self._min_rows = min_rows_per_file
        self._begin()  # What is wrong is told now.

    def _begin(self) -> None:
        """A job of its own id, unless it was given one, upon what the table has now."""
        tasks = replace(self._asked)
        tasks.begin()
        self._tasks, self._is_over = tasks, False
        self.snapshot: Snapshot | None = None

    @property
    def min_rows_per_write(self) -> int | None:
        """Rows that Ray hands to a task at least."""
        return self._min_rows

    def on_write_start(self, schema: Any = None) -> None:
        """Begins a job; tasks get the sink as it is then."""
        self._begin()

    def write(self, blocks: Iterable[Any], ctx: Any) -> str:
        """Stages one file of these blocks."""
        accessor = need("ray.data.block", "ray", "dsi.ray").BlockAccessor
        tables = (_plain(accessor.for_block(block).to_arrow()) for block in blocks)
        return self._tasks.write(_alike(tables), f"task-{ctx.task_idx:05}", 1)

    def on_write_complete(self, write_result: Any) -> None:
        """All files count from here on."""
        if self._is_over:  # No block, no start.
            self._begin()
        self.snapshot = self._tasks.commit(write_result.write_returns)
        self._is_over = True

    def on_write_failed(self, error: Exception) -> None:
        """None of them does."""
        if not self._is_over:
            self._is_over = True
            self._tasks.abort()


def _alike(tables: Iterable[Any]) -> Iterator[Any]:
    """Without what Ray leaves of no rows, which may have no types either."""
    return (table for table in tables if table.num_rows)


def _plain(table: Any) -> Any:
    """Ray's tensors of one dimension are lists to everybody else."""
    pyarrow = need("pyarrow", "pyarrow", "dsi.ray")
    for at, field in enumerate(table.schema):
        if len(getattr(field.type, "shape", ())) == 1:
            chunks = [chunk.storage for chunk in table.column(at).chunks]
            table = table.set_column(
                at, field.name, pyarrow.chunked_array(chunks, field.type.storage_type)
            )
    return table


class DsiSource(Datasource):  # type: ignore[misc]
    """A dataset for ray.data.read_datasource; `read` makes one."""

    def __init__(self, dataset: Dataset, columns: Names | None, where: list[AnyOf]):
        super().__init__()
        self._dataset = dataset
        self._columns = None if columns is None else name_list(columns, "columns")
        self._where = where

    def estimate_inmemory_data_size(self) -> int | None:
        """Not known before it is read."""
        return None

    def get_read_tasks(
        self,
        parallelism: int,
        per_task_row_limit: int | None = None,
        data_context: Any = None,
    ) -> list[Any]:
        """Tasks of about as many rows each."""
        block = need("ray.data.block", "ray", "dsi.ray")
        source = need("ray.data.datasource", "ray", "dsi.ray")
        schema = self._dataset.arrow(self._columns).schema()
        num_rows = len(self._dataset)
        # Ray takes what it is told for what is there.
        is_whole = not self._where and self._dataset.count_rows() == num_rows
        step = max(_FEW_ROWS, -(-num_rows // max(parallelism, 1)))
        tasks = []
        for begin in range(0, num_rows, step):
            end = min(begin + step, num_rows)
            count = None if self._where else end - begin
            if count is not None and not is_whole:
                count = self._dataset.count_rows(rows=[(begin, end)])
            metadata = block.BlockMetadata(
                num_rows=count,
                size_bytes=None,
                input_files=None,
                exec_stats=None,
            )
            read: Callable[[], Iterator[Any]] = partial(
                _read_rows, self._dataset, self._columns, self._where, begin, end
            )
            tasks.append(
                source.ReadTask(
                    read, metadata, schema=schema, per_task_row_limit=per_task_row_limit
                )
            )
        return tasks


def _read_rows(
    dataset: Dataset, columns: Sequence[str] | None, where: list[AnyOf], begin: int, end: int
) -> Iterator[Any]:
    pyarrow = need("pyarrow", "pyarrow", "dsi.ray")
    scan = dataset.arrow(columns, rows=[(begin, end)], where=where, threads=1)
    empty = True
    for batch in scan.batches():
        empty = False
        yield pyarrow.Table.from_batches([batch])
    if empty:
        yield scan.schema().empty_table()


def read(
    source: Where | Dataset,
    columns: Names | None = None,
    *,
    where: Filter = (),
    override_num_blocks: int | None = None,
    **how: Any,
) -> Any:
    """A ray.data.Dataset of the rows of a dataset, or of what `dsi.open` takes, of one snapshot.

    columns: names and patterns; None: all. where: terms as of `dsi.ReadKeywords`. how: keywords of
    `dsi.open`.
    """
    ray_data = need("ray.data", "ray", "dsi.ray")
    dataset = source if isinstance(source, Dataset) else open_dataset(source, **how)
    return ray_data.read_datasource(
        DsiSource(dataset, columns, kept_filter(where)), override_num_blocks=override_num_blocks
    )

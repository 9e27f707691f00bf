"""Spark: data frames from datasets and to tables on disk, by Spark's own interface of sources.

    spark.dataSource.register(dsi.spark.DsiSource)
    frame.repartition(8, "session_id").write.format("dsi").mode("append") \
        .option("cluster_by", "session_id,timestamp").save("s3://lake/clicks/")
    spark.read.format("dsi").option("columns", "label,user.*").load("s3://lake/clicks/")

Needs Spark 4.0 or later, and this package where its workers are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, get_type_hints

from ._frameworks import need
from ._schema import schema_json
from ._spark_types import from_spark, plain_schema, to_spark
from ._table_tasks import TableTasks, schema_of_types
from .dataset import Dataset
from .dataset import open as open_dataset
from .errors import InvalidArgument
from .options import Term
from .polars import comparable_columns, term_of
from .writer import NullEntries, WriterKeywords

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSource,
        DataSourceArrowWriter,
        DataSourceReader,
        InputPartition,
        WriterCommitMessage,
    )
else:
    _source = need("pyspark.sql.datasource", "pyspark", "dsi.spark")
    DataSource = _source.DataSource
    DataSourceArrowWriter = _source.DataSourceArrowWriter
    DataSourceReader = _source.DataSourceReader
    InputPartition = _source.InputPartition
    WriterCommitMessage = _source.WriterCommitMessage

_HOW = ("ca_file", "s3_endpoint", "s3_region", "s3_profile")
_READ = ("columns", "rows_per_partition", "push_filters")
_WRITE = ("job", "message", "schema", "cluster_by", "ignore_unknown", "null_entries")
# Keywords of `Writer` but the one that is no text.
_WRITER = {
    name: kind for name, kind in get_type_hints(WriterKeywords).items() if name != "progress"
}
_COMPARES = {
    "EqualTo": "==",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "In": "in",
    "IsNull": "missing",
    "IsNotNull": "exists",
}


def _names(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.strip())]


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise InvalidArgument(f"option {name} is {text!r}, expected 'true' or 'false'")
    return text.lower() == "true"


def _number(name: str, text: str) -> int:
    if not text.isdecimal():
        raise InvalidArgument(f"option {name} is {text!r}, expected a whole number")
    return int(text)


def _where(options: Mapping[str, str], known: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """The path, and how it is opened. Spark gives names of options in small letters."""
    names = {"path", *_HOW, *known}
    for name in options:
        if name.lower() not in names:
            raise InvalidArgument(f"option {name} is none of {', '.join(sorted(names))}")
    if not options.get("path"):
        raise InvalidArgument("no path: it is what load() or save() is given")
    return options["path"], {name: options[name] for name in _HOW if name in options}


def _writer_keywords(options: Mapping[str, str]) -> WriterKeywords:
    made: dict[str, Any] = {}
    for name, kind in _WRITER.items():
        if name not in options:
            continue
        text = options[name]
        read = {bool: _flag, int: _number}.get(kind)
        made[name] = read(name, text) if read is not None else text
    return made  # type: ignore[return-value]


class DsiSource(DataSource):  # type: ignore[misc]
    """The format "dsi" of Spark's readers and writers.

    load(path): what `dsi.open` takes. Options: columns, names and patterns with commas between
    (all); rows_per_partition (262,144); ca_file, s3_endpoint, s3_region, s3_profile. Types that
    Spark lacks become the next wider one: uint64 is decimal(20, 0), timestamps count microseconds.
    push_filters: comparisons of numbers and strings skip stripes and rows; needs Spark 4.1, and
    `spark.sql.python.filterPushdown.enabled`.

    save(path): a `dsi.Table`, made where there is none; modes are append and overwrite. Each
    partition becomes one file; all of them count, or none. Options: cluster_by, with commas
    between; schema, JSON or a file that the driver reads, else by the types of the columns; job, an
    id by which a job that is run again does not add its rows twice; message; ignore_unknown;
    null_entries; the keywords of `dsi.Writer`. memory_bytes is 1 GiB of each task, threads are its
    CPUs. Rows of a session belong into one partition: repartition by the session's id. Where
    it is sorted by the keys as well (sortWithinPartitions), clustered says so.
    """

    @classmethod
    def name(cls) -> str:
        """Of the format."""
        return "dsi"

    def schema(self) -> Any:
        """Of what `load` reads. NotFound: a path or a column."""
        types = need("pyspark.sql.pandas.types", "pyspark", "dsi.spark")
        return types.from_arrow_schema(_Read(self.options).arrow_schema)

    def reader(self, schema: Any) -> DataSourceReader:
        """Of all files of a dataset."""
        read = _Read(self.options)
        return DsiFilterReader(read) if read.push_filters else DsiReader(read)

    def writer(self, schema: Any, overwrite: bool) -> DataSourceArrowWriter:
        """Of a table, which is made where there is none."""
        types = need("pyspark.sql.pandas.types", "pyspark", "dsi.spark")
        options = self.options
        where, how = _where(options, (*_WRITE, *_WRITER))
        given, keys = options.get("schema"), _names(options.get("cluster_by", ""))
        if given:
            stored = schema_json(given)
        else:
            stored = schema_of_types(from_spark(types.to_arrow_schema(schema)), keys)
        tasks = TableTasks(
            where,
            how,
            options.get("job", ""),
            stored,
            keys,
            _flag("ignore_unknown", options.get("ignore_unknown", "false")),
            cast(NullEntries, options.get("null_entries", "fail")),
            "overwrite" if overwrite else "append",
            options.get("message", ""),
            _writer_keywords(options),
        )
        tasks.begin()
        return DsiWriter(tasks)


class _Read:
    """What is read, settled by the driver: tasks read the same snapshot."""

    def __init__(self, options: Mapping[str, str]):
        where, how = _where(options, _READ)
        self.dataset: Dataset = open_dataset(where, **how)
        self.columns = _names(options.get("columns", "")) or None
        text = options.get("rows_per_partition", "262144")
        self.rows_per_partition = _number("rows_per_partition", text)
        self.push_filters = _flag("push_filters", options.get("push_filters", "false"))
        if self.rows_per_partition == 0:
            raise InvalidArgument("option rows_per_partition is 0")
        self.arrow_schema = plain_schema(self.dataset.arrow(self.columns).schema())
        self.terms: list[Term] = []


@dataclass
class _Rows(InputPartition):  # type: ignore[misc]
    begin: int
    end: int


class DsiReader(DataSourceReader):  # type: ignore[misc]
    """Rows of a dataset; made by `DsiSource`."""

    def __init__(self, read: _Read):
        self._read = read

    def partitions(self) -> Sequence[InputPartition]:
        """Runs of rows of one file each."""
        step = self._read.rows_per_partition
        made = []
        for file in self._read.dataset.files:
            end = file.first_row + file.num_rows
            for begin in range(file.first_row, end, step):
                made.append(_Rows(begin, min(begin + step, end)))
        return made

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """pyarrow.RecordBatch one after the other. OutOfRange: a time that is no whole number of
        microseconds, or too far away for them."""
        read = self._read
        rows = [(partition.begin, partition.end)]
        scan = read.dataset.arrow(read.columns, rows=rows, where=read.terms, threads=1)
        for batch in scan.batches():
            yield to_spark(batch, read.arrow_schema)


class DsiFilterReader(DsiReader):
    """One that Spark tells its filters. Spark refuses its kind where it may not."""

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Takes what skips rows; Spark looks at all filters all the same."""
        usable = comparable_columns(self._read.dataset)
        for one in filters:
            compare = _COMPARES.get(type(one).__name__)
            if compare is not None and len(one.attribute) == 1:
                value = getattr(one, "value", None)
                term = term_of(usable.get(one.attribute[0]), compare, value)
                if term is not None:
                    self._read.terms.append(term)
        return filters


@dataclass
class _Staged(WriterCommitMessage):  # type: ignore[misc]
    text: str


class DsiWriter(DataSourceArrowWriter):  # type: ignore[misc]
    """Files of a table; made by `DsiSource`."""

    def __init__(self, tasks: TableTasks):
        self._tasks = tasks

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Stages one file of a partition. Spark may run a partition twice: one of both counts."""
        context = need("pyspark", "pyspark", "dsi.spark").TaskContext.get()
        task = f"part-{context.partitionId():05}"
        return _Staged(self._tasks.write(iterator, task, context.cpus()))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """All files count from here on."""
        self._tasks.commit(one.text for one in messages if one is not None)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """None of them does."""
        self._tasks.abort()

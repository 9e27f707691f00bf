"""A dataset of dsi as one of pyarrow, for engines that push projections and filters into those."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.dataset
import pyarrow.fs

from ._substrait import terms_of
from .arrow import ROWS_OF_BATCH, ArrowScan
from .errors import Unsupported
from .options import AnyOf

if TYPE_CHECKING:
    from .dataset import Dataset

_COMPARABLE = ("dense", "label", "key", "timestamp", "string")


# The file that code of Arrow finds which goes past the methods below: its name is the error.
_NO_FILE = "/a dataset of dsi is read by its own methods, such as to_table()"


class ArrowDataset(pyarrow.dataset.FileSystemDataset):  # type: ignore[misc]
    """Reads what a query asks for. `last_scan.stats` tells what that was.

    Thread safety: as `Dataset`; `last_scan` is that of whoever called last.
    """

    def __init__(self, dataset: Dataset, filter: Any = None):
        self._dsi = dataset
        self._filter = filter
        self._arrow_schema = dataset.arrow().schema()
        self._usable = {column.name for column in dataset.columns() if column.kind in _COMPARABLE}
        self.last_scan: ArrowScan | None = None
        # Without a dataset of its own below, Arrow crashes where it looks for one.
        format, files = pyarrow.dataset.IpcFileFormat(), pyarrow.fs.LocalFileSystem()
        nothing = [format.make_fragment(_NO_FILE, files)]
        super().__init__(nothing, self._arrow_schema, format, files)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._dsi, self._filter)

    @property
    def schema(self) -> pyarrow.Schema:
        """Of all columns."""
        return self._arrow_schema

    @property
    def files(self) -> list[str]:
        """Paths of the files, which are no files of Arrow."""
        return [file.path for file in self._dsi.files]

    @property
    def partition_expression(self) -> pyarrow.dataset.Expression:
        """True: it tells nothing about rows."""
        return pyarrow.dataset.scalar(True)

    def get_fragments(self, filter: Any = None) -> Iterator[Any]:
        """None: files of dsi are no fragments of pyarrow's."""
        return iter(())

    def filter(self, expression: Any) -> ArrowDataset:
        """The rows that pass this filter too."""
        return type(self)(self._dsi, self._both(expression))

    def _both(self, filter: Any) -> Any:
        """A filter, and that of the dataset."""
        if self._filter is None or filter is None:
            return self._filter if filter is None else filter
        return self._filter & filter

    def _in_memory(self) -> Any:
        return pyarrow.dataset.InMemoryDataset(self.to_table())

    def sort_by(self, *arguments: Any, **keywords: Any) -> Any:
        """As pyarrow's: reads all rows, and gives a dataset in memory."""
        return self._in_memory().sort_by(*arguments, **keywords)

    def join(self, right_dataset: Any, *arguments: Any, **keywords: Any) -> Any:
        """As pyarrow's: reads all rows, and gives a dataset in memory."""
        return self._in_memory().join(_read_whole(right_dataset), *arguments, **keywords)

    def join_asof(self, right_dataset: Any, *arguments: Any, **keywords: Any) -> Any:
        """As pyarrow's: reads all rows, and gives a dataset in memory."""
        return self._in_memory().join_asof(_read_whole(right_dataset), *arguments, **keywords)

    def replace_schema(self, schema: Any) -> Any:
        """Unsupported: the schema is that of the files."""
        raise Unsupported(
            "the schema of a dataset of dsi is that of its files; scanner(columns={name:"
            " expression}) renames and casts"
        )

    def _read(self, columns: list[str], filter: Any, batch_size: int) -> tuple[Any, bool]:
        """A reader of columns, and whether it gives those rows alone that pass the filter."""
        terms: list[AnyOf] = []
        exact = True
        if filter is not None:
            terms, exact = terms_of(filter, self._arrow_schema, self._usable)
        if not exact:
            read = self._columns_of(filter)
            columns = columns + [name for name in read if name not in columns]
        if not columns:
            columns = [self._cheapest()]
        scan = ArrowScan(
            self._dsi, columns, False, False, {"where": terms, "batch_size": batch_size}
        )
        self.last_scan = scan
        return pyarrow.RecordBatchReader.from_stream(scan), exact

    def _columns_of(self, filter: Any) -> list[str]:
        """The columns that a filter looks at."""
        # An expression does not tell; whether it can be bound without a column does.
        whole = self._arrow_schema
        try:
            none = whole.empty_table()
            none.filter(filter)
        except pyarrow.ArrowException:
            return list(
                whole.names
            )  # Of no use with this schema: Arrow says why when it is applied.
        found = []
        for name in whole.names:
            if name not in str(filter):
                continue
            try:
                none.drop_columns([name]).filter(filter)
            except pyarrow.ArrowException:
                found.append(name)
        return found

    def _cheapest(self) -> str:
        """The column that takes the fewest bytes in the first file: for rows without columns."""
        # Columns have other names in files from before a rename.
        names = [column.name for column in self._dsi.columns() if column.supported]
        sizes = {column.name: column.stored_bytes for column in self._dsi.columns_of(0)}
        return min(names, key=lambda name: sizes.get(name, float("inf")))

    def scanner(
        self,
        columns: list[str] | dict[str, Any] | None = None,
        filter: Any = None,
        batch_size: int = ROWS_OF_BATCH,
        **ignored: Any,
    ) -> pyarrow.dataset.Scanner:
        """Reads these columns of the rows that pass the filter. ignored: how Arrow reads files."""
        if columns is None:
            names = self._arrow_schema.names
        elif isinstance(columns, dict):
            read = [self._columns_of(e.is_valid() | e.is_null()) for e in columns.values()]
            names = list(dict.fromkeys(name for part in read for name in part))
        else:
            names = list(columns)
        filter = self._both(filter)
        reader, exact = self._read(list(names), filter, batch_size)
        return pyarrow.dataset.Scanner.from_batches(
            reader,
            columns=columns if columns is not None else names,
            filter=None if exact else filter,
            batch_size=batch_size,
        )

    def count_rows(self, filter: Any = None, **keywords: Any) -> int:
        """Rows that pass the filter."""
        terms: list[AnyOf] = []
        exact = True
        both = self._both(filter)
        if both is not None:
            terms, exact = terms_of(both, self._arrow_schema, self._usable)
        if exact:
            return self._dsi.count_rows(terms)
        return int(self.scanner([], filter, **keywords).count_rows())


def _read_whole(dataset: Any) -> Any:
    return dataset.to_table() if isinstance(dataset, ArrowDataset) else dataset

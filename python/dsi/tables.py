"""Datasets as tables of other programs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from . import _dsi
from ._frameworks import need
from .arrow import ArrowScan
from .options import ScanKeywords
from .projections import Names

Columns = Names | None


class Tables:
    """The part of `Dataset` that gives its rows to programs that take tables."""

    if TYPE_CHECKING:

        @property
        def native(self) -> _dsi.Dataset: ...

    @property
    def schema(self) -> dict[str, Any]:
        """The schema, as `Writer` takes it: of all files, with the keys and notes of the first."""
        made: dict[str, Any] = json.loads(_dsi.schema_of_dataset(self.native))
        return made

    def dsi_schema(self) -> dict[str, Any]:
        """The same; what writers ask of a table."""
        return self.schema

    def arrow(
        self,
        columns: Columns = None,
        *,
        dictionaries: bool = False,
        binary: bool = False,
        **keywords: Unpack[ScanKeywords],
    ) -> ArrowScan:
        """Rows as an Arrow stream, which pyarrow, polars, DuckDB and others take as it is.

        columns: names, features or patterns; None: all, or with `transforms` all that they make.
        dictionaries: lists and embeddings as
        dictionaries of their unique rows, so that what is stored once is handed out once.
        binary: strings as large_binary; else bytes that are not UTF-8 are OutOfRange.
        Keywords: `ScanKeywords`; batches have 65,536 rows unless `batch_size` says otherwise.

        NotFound: a name that stands for nothing. Reads no data.
        """
        return ArrowScan(self, columns, dictionaries, binary, keywords)  # type: ignore[arg-type]

    def __arrow_c_schema__(self) -> Any:
        return self.arrow().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.arrow().__arrow_c_stream__()

    def to_arrow(
        self, columns: Columns = None, *, dictionaries: bool = False, **keywords: Any
    ) -> Any:
        """pyarrow.Table of all rows, in memory. Arguments: those of `arrow`."""
        return self.arrow(columns, dictionaries=dictionaries, **keywords).table()

    def to_batches(
        self, columns: Columns = None, *, dictionaries: bool = False, **keywords: Any
    ) -> Any:
        """pyarrow.RecordBatchReader: batch after batch. Arguments: those of `arrow`."""
        return self.arrow(columns, dictionaries=dictionaries, **keywords).reader()

    def to_pyarrow_dataset(self) -> Any:
        """A pyarrow.dataset.Dataset, for engines that take one.

        Columns are read as they are asked for. Comparisons of numbers in a filter skip stripes and
        rows before anything else of them is read; Arrow does the rest of a filter.
        """
        need("pyarrow.dataset", "pyarrow", "a dataset of pyarrow")
        from ._arrow_dataset import ArrowDataset

        return ArrowDataset(self)  # type: ignore[arg-type]

    def to_duckdb(self, con: Any = None, name: str | None = None) -> Any:
        """A DuckDB relation that reads the columns and rows that a query needs.

        con: a connection; None: DuckDB's default one. name: registers the dataset as a view of the
        connection, for SQL.
        """
        duckdb = need("duckdb", "duckdb", "to_duckdb")
        connection = duckdb.default_connection() if con is None else con
        dataset = self.to_pyarrow_dataset()
        if name is None:
            return connection.from_arrow(dataset)
        connection.register(name, dataset)
        return connection.table(name)

    def to_polars_lazy(self) -> Any:
        """polars.LazyFrame that reads the columns and rows that a query needs."""
        from .polars import scan

        return scan(self)  # type: ignore[arg-type]

    def to_parquet(
        self,
        path: str | os.PathLike[str],
        columns: Columns = None,
        *,
        overwrite: bool = False,
        progress: Callable[[str, int, int], object] | None = None,
        row_group_rows: int = 131_072,
        compression: str = "zstd",
        **keywords: Any,
    ) -> int:
        """Writes a Parquet file, group of rows by group, and returns the number of rows.

        The file has the schema of dsi as a note, by which `from_parquet` makes the same features
        of it. It appears when it is whole. progress(phase, rows_done, rows_total): False stops.
        Other arguments: those of `arrow`.

        InvalidArgument: the name ends as files of another format do (".orc"), which another call
        writes. AlreadyExists, Cancelled.
        """
        from .files import export

        keywords = {"batch_size": row_group_rows, **keywords}
        scan = self.arrow(columns, **keywords)
        return export(
            scan, path, "parquet", len(self), overwrite, progress, compression=compression
        )

    def to_feather(
        self,
        path: str | os.PathLike[str],
        columns: Columns = None,
        *,
        overwrite: bool = False,
        progress: Callable[[str, int, int], object] | None = None,
        compression: str | None = "zstd",
        **keywords: Any,
    ) -> int:
        """Writes an Arrow file (Feather version 2). As `to_parquet`."""
        from .files import export

        scan = self.arrow(columns, **keywords)
        return export(
            scan, path, "feather", len(self), overwrite, progress, compression=compression
        )

    def to_orc(
        self,
        path: str | os.PathLike[str],
        columns: Columns = None,
        *,
        overwrite: bool = False,
        progress: Callable[[str, int, int], object] | None = None,
        compression: str | None = "zstd",
        **keywords: Any,
    ) -> int:
        """Writes a file of ORC, without the note of the schema. As `to_parquet`.

        InvalidArgument: also a column of a type that ORC lacks, such as unsigned numbers.
        """
        from .files import export

        scan = self.arrow(columns, **keywords)
        return export(scan, path, "orc", len(self), overwrite, progress, compression=compression)

    if TYPE_CHECKING:

        def __len__(self) -> int: ...

"""Rows of a dataset as Arrow: for pyarrow, polars, DuckDB, pandas and whatever else speaks its
PyCapsule interface. Without one of them nothing here needs an Arrow library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _dsi
from ._frameworks import need
from ._schema import METADATA_KEY, restrict
from .errors import InvalidArgument
from .options import ScanKeywords, make_options
from .projections import Names, Plan, name_list, warn_of_left_out
from .transforms import native_pipeline

if TYPE_CHECKING:
    from .dataset import Dataset

# Rows of an array where nothing else is asked for.
ROWS_OF_BATCH = 65_536


class ArrowBatch:
    """A batch for `__arrow_c_array__`; its arrays share the memory of the batch."""

    def __init__(self, output: _dsi.ArrowOutput, native: _dsi.Batch):
        self._output = output
        self._native = native

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return self._output.batch(self._native)


class ArrowScan:
    """What `Dataset.arrow` gives: an Arrow stream as often as one is asked for.

    Numbers are columns of their type, timestamps timestamp[unit], lists large_list, embeddings
    fixed_size_list, strings large_string; weighted features and sequences are a column for each of
    their own, with dotted names. A missing value is null. Arrays share the memory of the library,
    and outlive everything that they came from.

    Thread safety: a stream is for one thread at a time; several streams are independent.
    """

    def __init__(
        self,
        dataset: Dataset,
        columns: Names | None,
        dictionaries: bool,
        binary: bool,
        keywords: ScanKeywords,
    ):
        self._dataset = dataset
        names = name_list(() if columns is None else columns, "columns")
        if columns is not None and not names:
            raise InvalidArgument("no column is named; None asks for all of them")
        plan = Plan("int64", native_pipeline(keywords.get("transforms")))
        plan.projections = _dsi.arrow_projections(
            dataset.native, names, dictionaries, plan.pipeline
        )
        if names or plan.pipeline is None:
            warn_of_left_out(dataset.native, names or ["*"])
        asked: ScanKeywords = {"batch_size": ROWS_OF_BATCH, "threads": 0, **keywords}
        self._options = make_options(plan, asked)
        self._pipeline = plan.pipeline
        self._binary = binary
        self._columns = [projection.name for projection in plan.projections]
        self._scan: _dsi.Scan | None = None
        self._output: _dsi.ArrowOutput | None = None

    def _output_of(self, scan: _dsi.Scan | None = None) -> _dsi.ArrowOutput:
        """What the columns are: the same for every scan."""
        if self._output is None:
            scan = scan or self._dataset.native.scan(self._options)
            self._output = _dsi.ArrowOutput.of(scan, self._binary)
        return self._output

    def _start(self) -> tuple[_dsi.Scan, _dsi.ArrowOutput]:
        self._scan = self._dataset.native.scan(self._options)
        return self._scan, self._output_of(self._scan)

    @property
    def column_names(self) -> list[str]:
        """Of the columns, in their order."""
        return list(self._columns)

    @property
    def stats(self) -> dict[str, Any]:
        """What the stream that was made last has read and handed out; for when it is over."""
        return {} if self._scan is None else self._scan.stats

    def dsi_schema(self) -> dict[str, Any]:
        """The schema of the features that have all their columns here, as they are stored."""
        stored = _dsi.schema_of_dataset(self._dataset.native, of_all=False)
        columns = set(self._columns)
        if self._pipeline is not None:  # Its outputs may have names of stored features.
            made = self._dataset.native.columns(self._pipeline)
            columns.difference_update(column.name for column in made if column.is_made)
        return restrict(json.loads(stored), columns)

    # -- Arrow's PyCapsule interface.

    def __arrow_c_schema__(self) -> Any:
        return self._output_of().schema()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        scan, output = self._start()
        return output.stream(scan)

    def parts(self) -> Iterator[ArrowBatch]:
        """Batches for `__arrow_c_array__`, one after the other; Ctrl-C ends waiting for one."""
        scan, output = self._start()
        while (native := scan.next()) is not None:
            if native.num_rows:
                yield ArrowBatch(output, native)

    # -- pyarrow.

    def schema(self) -> Any:
        """pyarrow.Schema, with the schema of dsi in its metadata."""
        pyarrow = need("pyarrow", "pyarrow", "Arrow tables")
        return pyarrow.schema(self).with_metadata({METADATA_KEY: json.dumps(self.dsi_schema())})

    def batches(self) -> Iterator[Any]:
        """pyarrow.RecordBatch one after the other; Ctrl-C ends waiting for one."""
        pyarrow = need("pyarrow", "pyarrow", "Arrow tables")
        metadata = self.schema().metadata
        for part in self.parts():
            yield pyarrow.record_batch(part).replace_schema_metadata(metadata)

    def reader(self) -> Any:
        """pyarrow.RecordBatchReader over `batches`."""
        pyarrow = need("pyarrow", "pyarrow", "Arrow tables")
        return pyarrow.RecordBatchReader.from_batches(self.schema(), self.batches())

    def table(self) -> Any:
        """pyarrow.Table of all rows."""
        pyarrow = need("pyarrow", "pyarrow", "Arrow tables")
        return pyarrow.Table.from_batches(list(self.batches()), self.schema())

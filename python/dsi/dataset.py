"""Many files as one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Unpack

from . import _dsi
from ._dsi import Column, File
from ._frameworks import converter
from .batch import Batch
from .options import ScanKeywords, make_options
from .projections import Plan, Projection, resolve
from .tables import Tables

Where = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def open(
    where: Where,
    *,
    threads: int = 0,
    max_open_files: int = 64,
    progress: Callable[[int, int], object] | None = None,
    headers: Sequence[str] = (),
    ca_file: str = "",
    s3_endpoint: str = "",
    s3_region: str = "",
) -> Dataset:
    """Opens files, a pattern ('*', '?', '[...]', '**'), a folder, an http(s) or s3 prefix that ends
    in '/', or a manifest (*.json); or several of them, one behind the other.

    Reads footers, no data, in parallel. progress(done, total) is called with files looked at;
    False stops (Cancelled). headers are sent with HTTP requests ("Name: value").

    NotFound: nothing there. NotDsi, Truncated, Corrupt, IoError: a file that cannot be opened.
    BadInput: a manifest that breaks a rule.
    """
    paths = [where] if isinstance(where, str | os.PathLike) else list(where)
    native = _dsi.Dataset.open(
        [os.fspath(path) for path in paths],
        threads=threads,
        max_open_files=max_open_files,
        progress=progress,
        headers=list(headers),
        ca_file=ca_file,
        s3_endpoint=s3_endpoint,
        s3_region=s3_region,
    )
    return Dataset(native, paths)


class Scan(Iterator[Batch]):
    """Batches in order. One thread at a time; waits without the interpreter's lock.

    Errors of damaged files name page, offset and feature; after an error the scan is over.
    """

    def __init__(self, native: _dsi.Scan, plan: Plan, framework: str):
        self.native = native
        self._plan = plan
        self._convert = converter(framework)

    def __next__(self) -> Batch:
        batch = self.native.next()
        if batch is None:
            raise StopIteration
        return Batch(batch, self.native, self._plan, self._convert)

    def __len__(self) -> int:
        """All batches of the scan, those handed out included; exact."""
        return self.native.num_batches

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All batches that are left as an Arrow stream; the scan gives none itself any more.

        InvalidArgument: a column is read as part of a matrix or of a KeyedJaggedTensor; name it as
        `Jagged` or `Padded`, or use `Dataset.arrow`.
        """
        return self._plan.arrow_output(self.native).stream(self.native)

    @property
    def state(self) -> str:
        """Where the scan stands: give it as `state=` to go on, with any rank, world or threads."""
        return self.native.state

    @property
    def stats(self) -> dict[str, Any]:
        """What was read, decoded and handed out, and where the time went, in seconds."""
        return self.native.stats


class Dataset(Tables):
    """Many files as one table. Calls from many threads are safe; pickled by its paths."""

    def __init__(self, native: _dsi.Dataset, where: Sequence[str | os.PathLike[str]]):
        self.native = native
        self._where = [os.fspath(path) for path in where]

    def __len__(self) -> int:
        return self.native.num_rows

    def __repr__(self) -> str:
        return f"dsi.Dataset({len(self.files)} files, {self.num_rows} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self._where,)

    @property
    def num_rows(self) -> int:
        """Rows of all files, deleted ones included."""
        return self.native.num_rows

    @property
    def files(self) -> list[File]:
        """In their order: path, bytes, num_rows, first_row, fingerprint."""
        return self.native.files

    @property
    def snapshot(self) -> int:
        """Of all files, their order and content: another dataset, another number."""
        return self.native.snapshot

    def columns(self) -> list[Column]:
        """One schema over all files. BadInput names two files that cannot be reconciled."""
        return self.native.columns()

    def manifest(self, folder: str = "") -> str:
        """The JSON that `open` takes for a manifest, with paths named from `folder`."""
        return self.native.manifest(folder)

    def scan(
        self,
        features: Projection | Sequence[Projection] | None = None,
        *,
        framework: str = "numpy",
        kjt: str = "expanded",
        index_dtype: str = "int64",
        **keywords: Unpack[ScanKeywords],
    ) -> Scan:
        """Batches of this dataset, in the order of its files unless `shuffle` says otherwise.

        features: names, patterns and projections (`dsi.projections`); None: everything.
        framework: 'numpy', 'torch', 'jax', or 'dsi' for `Tensor`. kjt: the form of keys that are
        named alone. index_dtype: of ids, lengths and offsets of keys, 'int64' or 'int32'.
        Keywords: `ScanKeywords`.
        """
        plan = resolve(self.native, features, kjt, index_dtype)
        return Scan(self.native.scan(make_options(plan, keywords)), plan, framework)

"""Many files as one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from . import _dsi
from ._checks import whole, wrong
from ._dsi import Column, ColumnFiles, File
from ._frameworks import converter
from ._metrics import label_text
from ._opening import checked, opening
from .batch import Batch
from .errors import BadInput, InvalidArgument, NotDsi
from .options import Filter, ReadKeywords, Sample, ScanKeywords, make_options
from .projections import Features, Plan, resolve
from .tables import Tables
from .transforms import Transforms, native_pipeline

if TYPE_CHECKING:
    from .loader import Loader
    from .planning import ReadPlan
    from .value_counts import ValueCounts

Where = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


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
    s3_profile: str = "",
    s3_no_sign_request: bool = False,
    connections: int = 32,
    first_connections: int = 20,
    max_tries: int = 8,
    deadline_s: float = 120,
    connect_timeout_s: float = 10,
    stall_timeout_s: int = 15,
    latency_s: float | None = None,
    bytes_per_s: float | None = None,
    direct: bool = False,
) -> Dataset:
    """Opens files, a pattern ('*', '?', '[...]', '**'), a folder, an http(s) or s3 prefix that ends
    in '/', or a manifest (*.json); or several of them, one behind the other. The folder or prefix
    of a `Table` is its newest snapshot, "folder@7" number 7.

    Reads footers, no data, in parallel. progress(done, total) is called with files looked at;
    False stops (Cancelled). headers are sent with HTTP requests ("Name: value").

    Who asks S3 is found as tools of AWS find it: from the environment, ~/.aws (s3_profile, else
    AWS_PROFILE), the container or the machine, and renewed in time; s3_no_sign_request asks a
    public bucket for nobody's sake (docs/remote.md).

    Of files behind URLs: connections, requests in flight for one step of reading (to 256), of which
    first_connections are made with the opening; max_tries for what may come when it is asked for
    again, deadline_s in all for a piece of at most 16 MiB, connect_timeout_s for a connection,
    stall_timeout_s without a byte; latency_s and bytes_per_s of one connection say what is worth
    reading along (None: 0.03 and 1e8). Times are seconds. direct reads local files past the
    system's page cache, where their file system can.

    NotFound: nothing there. NotDsi, Truncated, Corrupt, IoError: a file that cannot be opened.
    BadInput: a manifest that breaks a rule. InvalidArgument: what is no path, or no value of a
    keyword.
    """
    names = paths_of(where)
    asked: dict[str, Any] = {
        "threads": threads,
        "max_open_files": max_open_files,
        "headers": headers,
        "ca_file": ca_file,
        "s3_endpoint": s3_endpoint,
        "s3_region": s3_region,
        "s3_profile": s3_profile,
        "s3_no_sign_request": s3_no_sign_request,
        "connections": connections,
        "first_connections": first_connections,
        "max_tries": max_tries,
        "deadline_s": deadline_s,
        "connect_timeout_s": connect_timeout_s,
        "stall_timeout_s": stall_timeout_s,
        "latency_s": latency_s,
        "bytes_per_s": bytes_per_s,
        "direct": direct,
    }
    how = checked(asked)
    try:
        native = _dsi.Dataset.open(names, progress=progress, **opening(how))
    except NotDsi as error:
        from .files import format_of, is_text

        by_arrow, of_texts = any(map(format_of, names)), any(map(is_text, names))
        if not by_arrow and not of_texts:
            raise
        made_by = "dsi.from_parquet" if by_arrow else "dsi.from_text"
        raise NotDsi(f"{error}; {made_by} makes a .dsi file of it") from None
    return Dataset(native, native.where, how)


def paths_of(where: Where) -> list[str]:
    """The paths, patterns and folders that were given. InvalidArgument: what is none."""
    if isinstance(where, str | os.PathLike):
        return [os.fspath(where)]
    if isinstance(where, Dataset):
        raise InvalidArgument(f"{where!r} is open already: expected paths, patterns or folders")
    if hasattr(where, "dataset"):
        raise InvalidArgument(f"{where!r} is no path: its dataset() is what it holds, opened")
    paths = list(where) if isinstance(where, Iterable) and not isinstance(where, bytes) else [where]
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise wrong("a path", path, "a str or os.PathLike, or an iterable of these")
    return [os.fspath(path) for path in paths]


def as_dataset(where: Dataset | Where) -> Dataset:
    """A dataset, or the one that is to be opened."""
    return where if isinstance(where, Dataset) else open(where)


def _reopen(where: Sequence[str], how: dict[str, Any], snapshot: int) -> Dataset:
    """What a pickled dataset becomes. BadInput: it would be another one."""
    dataset = open(where, **how)
    if dataset.snapshot != snapshot:
        raise BadInput(f"{dataset!r} was changed since it was pickled: open it again")
    return dataset


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
        return self.wrap(batch)

    def wrap(self, batch: _dsi.Batch) -> Batch:
        """A batch of the library as this scan gives it."""
        return Batch(batch, self.native, self._plan, self._convert)

    def close(self) -> None:
        """Ends what is made ahead; batches stay, but for their `rows`. The scan is over."""
        self.native.close()

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
    def is_repeated(self) -> bool:
        """The last batch was handed out before, by this rank or another (remainder='pad')."""
        return self.native.is_repeated

    @property
    def stats(self) -> dict[str, Any]:
        """What was read, decoded and handed out, and where the time went, in seconds."""
        return self.native.stats

    def prometheus_text(self, labels: Mapping[str, object] | None = None) -> str:
        """`stats` in Prometheus' text format, as an exporter serves it; names begin with dsi_scan_.
        labels, such as {"job": "ranker"}, go into every line.

        InvalidArgument: a name that no label may have.
        """
        return self.native.prometheus_text(label_text(labels))


# What processes that were forked from this one's parents cannot use, nor give back.
_left_behind: list[_dsi.Dataset] = []


class Dataset(Tables):
    """Many files as one table. Calls from many threads are safe.

    Pickled by its paths and how they were opened; of a table by the snapshot that was read. In a
    process forked from the one that opened it the files are opened again when they are first used.
    BadInput, in either case: files were added, removed or changed since.
    """

    def __init__(self, native: _dsi.Dataset, where: Sequence[str], how: dict[str, Any]):
        self._native = native
        self._where = list(where)
        self._how = how
        self._process = os.getpid()

    @property
    def native(self) -> _dsi.Dataset:
        """The library's dataset, of this process."""
        if self._process != os.getpid():
            opened = _dsi.Dataset.open(self._where, **opening(self._how))
            if opened.snapshot != self._native.snapshot:
                raise BadInput(f"{self!r} was changed while it was read: open it again")
            _left_behind.append(self._native)
            self._native, self._process = opened, os.getpid()
        return self._native

    def __len__(self) -> int:
        return self.native.num_rows

    def __repr__(self) -> str:
        native = self._native
        return f"dsi.Dataset({len(native.files)} files, {native.num_rows} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self._where, self._how, self._native.snapshot)

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

    def columns(self, transforms: Transforms | None = None) -> list[Column]:
        """One schema over all files. What two of them cannot be reconciled in is not `supported`,
        and `conflict` names them; who asks for it gets BadInput, who does not reads the rest.

        With transforms: all that a scan with them may name, what they make first (`is_made`).
        """
        return self.native.columns(native_pipeline(transforms))

    def column_files(self) -> list[ColumnFiles]:
        """Of each of `columns()` the files that have it: what came, went, or changed its name or
        type, and what cannot be read as one column, which is no error here."""
        return self.native.column_files()

    def explain(self, transforms: Transforms) -> str:
        """What a scan runs of a pipeline, in which order and over which types: a stage a line.

        NotFound, InvalidArgument: a step takes a feature that is not there, or of another type.
        """
        pipeline = native_pipeline(transforms)
        assert pipeline is not None
        return self.native.explain(pipeline)

    def value_counts(
        self,
        features: Features | None = None,
        *,
        framework: str = "numpy",
        **keywords: Unpack[ScanKeywords],
    ) -> dict[str, ValueCounts]:
        """Which values each column has and how often, by its name: for vocabularies, sizes of
        embedding tables, borders of buckets, mean and deviation. Exact; reads all rows once, and
        looks at every unique row of a batch once, however many rows it stands for.

        features: names and patterns, also of what `transforms` makes; None: everything, or with
        transforms all that they make. framework: of `values` and `counts`.
        Keywords: of `ScanKeywords` those that say which rows (where, sample, rows), transforms;
        threads, by default all cores; memory_bytes, as much for what is counted as for the scan: a
        column takes 20 to 45 bytes for each of its different numbers.

        ResourceExhausted: more different values than memory_bytes holds.
        """
        from .value_counts import count_values

        return count_values(self, features, framework, keywords)

    def manifest(self, folder: str = "") -> str:
        """The JSON that `open` takes for a manifest, with paths named from `folder`."""
        return self.native.manifest(folder)

    def columns_of(self, file: int) -> list[Column]:
        """Of one file, by its place in `files`: with what is stored of each, its group, and the
        greatest error of rounding, all of which are 0 in `columns`.

        OutOfRange: there is no such file.
        """
        return _dsi.Reader.of(self.native, file).columns()

    def metadata_of(self, file: int) -> dict[str, str]:
        """The notes that were stored with one file, by its place in `files`.

        OutOfRange: there is no such file.
        """
        return _dsi.Reader.of(self.native, file).metadata()

    def count_rows(
        self,
        where: Filter = (),
        *,
        sample: Sample = (),
        sample_seed: int = 0,
        rows: Sequence[tuple[int, int]] = (),
        memory_bytes: int = 4 << 30,
    ) -> int:
        """Rows that a scan with these keywords gives (`ScanKeywords`): without deleted ones, and of
        the others those that pass. Without a filter nothing but what says which rows are deleted is
        read; with one the columns that it names, of several files at once, each of which may take
        memory_bytes; what statistics rule out is passed over.
        """
        asked: ScanKeywords = {
            "where": where,
            "sample": sample,
            "sample_seed": sample_seed,
            "rows": rows,
            "memory_bytes": memory_bytes,
        }
        return self.native.count_rows(make_options(Plan("int64"), asked))

    def plan(
        self,
        features: Features | None = None,
        *,
        kjt: str = "expanded",
        index_dtype: Any = "int64",
        **keywords: Unpack[ScanKeywords],
    ) -> ReadPlan:
        """What a scan of these features with these keywords will read of each file: bytes, reads,
        and what statistics let it pass over. Of all ranks together, in the order of the files:
        order, state, rank and world make no difference.

        Reads directories, no page, and opens no file that is passed over. Errors: those of `scan`
        about features, filter, rows and transforms.
        """
        from .planning import plan_of

        plan = resolve(self.native, features, kjt, index_dtype, keywords.get("transforms"))
        return plan_of(self, make_options(plan, keywords))

    def session_starts(self, begin: int = 0, end: int | None = None) -> list[int]:
        """Rows among [begin, end) with which sessions begin: runs of rows equal in what a file is
        clustered by, but for a last time. A session ends with its file; of a file that is clustered
        by nothing each row is one. Reads the keys of these rows.

        InvalidArgument: rows that are not there.
        """
        end = self.num_rows if end is None else whole("end", end)
        return self.native.session_starts(whole("begin", begin), end)

    def split_by_sessions(self, parts: int) -> list[tuple[int, int]]:
        """All rows as spans (begin, end) that follow each other, of whole sessions, about equally
        many rows each: rank r of w that shall share no session with others takes
        `loader(…, rows=[dataset.split_by_sessions(w)[r]], rank=0, world=1)`. Reads the keys of rows
        around each cut alone.

        InvalidArgument: no parts, or more than 1,048,576.
        """
        return self.native.split_by_sessions(whole("parts", parts, 1, 1 << 20))

    def scan(
        self,
        features: Features | None = None,
        *,
        framework: str = "numpy",
        kjt: str = "expanded",
        index_dtype: Any = "int64",
        **keywords: Unpack[ScanKeywords],
    ) -> Scan:
        """Batches of this dataset, in the order of its files unless `shuffle` says otherwise.

        features: names, patterns and projections (`dsi.projections`), also of what `transforms`
        makes; None: everything, or with transforms all that they make.
        framework: 'numpy', 'torch', 'jax', or 'dsi' for `Tensor`. kjt: the form of keys that are
        named alone. index_dtype: of ids, lengths and offsets of keys, 'int64' or 'int32'.
        Keywords: `ScanKeywords`.
        """
        plan = resolve(self.native, features, kjt, index_dtype, keywords.get("transforms"))
        return Scan(self.native.scan(make_options(plan, keywords)), plan, framework)

    def loader(
        self,
        features: Features | None = None,
        *,
        framework: str = "torch",
        kjt: str = "expanded",
        index_dtype: Any = "int64",
        pin_memory: bool = False,
        shuffle: bool | str = False,
        epoch: int = 0,
        state: str | Mapping[str, Any] | None = None,
        rank: int | None = None,
        world: int | None = None,
        **keywords: Unpack[ReadKeywords],
    ) -> Loader:
        """Batches for training, epoch after epoch: of one rank, shuffled, made ahead by threads,
        with a state to go on from. docs/python-loader.md tells of all of it.

        features, framework, kjt, index_dtype: as of `scan`; with 'torch' the loader is an
        IterableDataset. pin_memory: batches lie in torch's pinned memory (CUDA).
        shuffle: 'block' (or True) puts blocks of 32,768 rows in another order each epoch, 'stripe'
        and 'file' stripes and whole files; the sessions of 131,072 rows are mixed then, unless
        block_rows, mixing_rows (0: no mixing), mixing_bytes or mix say otherwise.
        epoch, state: where it begins; state is what `state_dict()` or `Scan.state` gave.
        rank, world: which part of the batches; by default those of torch.distributed, or else of
        RANK and WORLD_SIZE. Every rank gets equally many (remainder).
        Keywords: `ReadKeywords`. threads is by default the cores of this rank, read_ahead_bytes
        128 MiB.

        A dense value that is missing is the feature's default or else NaN: `batch.dense_present()`
        tells, and `dsi.Dense(names, pad_value=0)` asks for another.

        NotFound, InvalidArgument, BadInput: names, keywords, a state. A UserWarning: no batch is
        this rank's. Reads no data.
        """
        from .loader import make_loader

        loader = make_loader(
            framework,
            self,
            features,
            framework,
            kjt,
            index_dtype,
            pin_memory,
            shuffle,
            epoch,
            state,
            rank,
            world,
            keywords,
        )
        loader._warn_of_no_batches()
        return loader

"""What files hold and how they are stored, for a notebook and for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from . import _bars, _dsi, _report
from .dataset import Dataset, Where, as_dataset
from .options import AnyOf, Filter, Term, as_clauses, column_of, make_options
from .projections import Features, Plan, resolve

# Files that are looked at together: remote ones answer late.
_AT_ONCE = 16


@dataclass(slots=True)
class FeatureBytes:
    """What is stored of a feature, over all its columns and all files.

    values: entries stored. bytes: before small pages are compressed together. precision: to what
    values were rounded ('exact', 'fp16', 'bf16', 'int8'), with the greatest difference it made.
    """

    name: str
    kind: str
    type: str
    values: int = 0
    bytes: int = 0
    precision: str = "exact"
    max_error: float = 0.0


@dataclass(slots=True)
class GroupRows:
    """A dedup group, over all files: features that change together, and whose state they are.

    owner: a column, '' where it is unknown. rows: of the files, unique_rows: those stored.
    shared is False for the columns that every row has for itself.
    """

    owner: str
    name: str
    columns: list[str]
    shared: bool = True
    rows: int = 0
    unique_rows: int = 0
    index_bytes: int = 0

    @property
    def factor(self) -> float:
        """Rows for each unique row."""
        return self.rows / self.unique_rows if self.unique_rows else 1.0


@dataclass(slots=True)
class PlannedReads:
    """What a scan of some columns would read of all files; nothing of it has been read.

    bytes: with gaps that are read along; bytes_needed: pages alone. directory_bytes and
    directory_reads: of what tells where pages are. steps: reads that wait for one another up to the
    first batch of a file; 0: its source answers at once.
    """

    columns: int = 0
    bytes: int = 0
    bytes_needed: int = 0
    reads: int = 0
    pages: int = 0
    directory_bytes: int = 0
    directory_reads: int = 0
    steps: int = 0
    stripes_skipped: int = 0


@dataclass(slots=True, repr=False)
class Description:
    """What `describe` found. A notebook shows it with plots, `print` as tables of text.

    features: by bytes, most first. groups: by what they save, most first. other_bytes: what is no
    feature's, by name; with the features' it adds up to bytes. top: lines of tables and plots.
    """

    files: int = 0
    rows: int = 0
    deleted_rows: int = 0
    sessions: int = 0
    stripes: int = 0
    bytes: int = 0
    writers: list[str] = field(default_factory=list)
    features: list[FeatureBytes] = field(default_factory=list)
    other_bytes: dict[str, int] = field(default_factory=dict)
    groups: list[GroupRows] = field(default_factory=list)
    plan: PlannedReads = field(default_factory=PlannedReads)
    top: int = 12

    def __repr__(self) -> str:
        return _report.as_text(self)

    def _repr_html_(self) -> str:
        return _report.as_html(self)

    def plots(self) -> dict[str, str]:
        """The plots as SVG: 'bytes' by feature, 'dedup' by owner, 'plan' of a scan."""
        return _bars.plots(self)


def describe(
    of: Where | Dataset,
    features: Features | None = None,
    *,
    where: Filter = (),
    top: int = 12,
) -> Description:
    """Tells of files their rows and bytes, bytes by feature, what deduplication saves, and what a
    scan would read: of `features` and `where` as `Dataset.scan` takes them; None: of everything.

    of: what `open` takes, or a dataset. Sessions and unique rows are counted file by file.
    top: features and groups with lines of their own; the rest is summed.

    Reads directories, no page. 20,000 features take a tenth of a second. Errors: those of `open`
    and `scan`.
    """
    dataset = as_dataset(of)
    native = dataset.native
    asked = None if features is None else resolve(native, features)
    clauses = as_clauses(where)
    if asked is None and clauses:
        asked = resolve(native, ["*"])
    numbers = range(len(dataset.files))

    def told() -> Iterator[_File]:
        """So many files at a time, and no more of them in memory."""
        for first in numbers[::_AT_ONCE]:
            some = numbers[first : first + _AT_ONCE]
            yield from threads.map(lambda number: _File(native, number, asked, clauses), some)

    with ThreadPoolExecutor(min(_AT_ONCE, len(numbers))) as threads:
        return _joined(told(), top)


class _File:
    """What one file tells."""

    def __init__(
        self, dataset: _dsi.Dataset, number: int, asked: Plan | None, where: list[list[Term]]
    ):
        # Before the directory is known, so that the plan says what of it a scan reads.
        reader = _dsi.Reader.of(dataset, number)
        self.plan: _dsi.ReadPlan | None = None
        self.planned = 0
        if asked is None:
            self.plan = reader.plan(_dsi.ScanOptions())
        self.columns = reader.columns()
        if asked is None:
            self.planned = sum(column.supported for column in self.columns)
        else:
            self._make_plan(_dsi.Reader.of(dataset, number), asked, where)
        self.reader = reader
        self.groups = reader.groups()
        self.layout = reader.layout()

    def _make_plan(self, reader: _dsi.Reader, asked: Plan, where: list[list[Term]]) -> None:
        """In a file that lacks a column nothing passes but the term that it is missing."""
        known = {name for column in self.columns for name in (column.name, column.feature)}
        projections = [one for one in asked.projections if one.name in known]
        some = Plan(asked.index_dtype, projections=projections)
        self.planned = len(some.projections)
        here: list[AnyOf] = []
        for clause in where:
            terms = [term for term in clause if column_of(term) in known]
            if any(term[1] == "missing" for term in clause if column_of(term) not in known):
                continue
            if not terms:
                return
            here.append(AnyOf(*terms))
        if some.projections:
            self.plan = reader.plan(make_options(some, {"where": here}))


def _joined(parts: Iterable[_File], top: int) -> Description:
    made = Description(top=top)
    features: dict[str, FeatureBytes] = {}
    groups: dict[tuple[str, str, str], GroupRows] = {}
    for part in parts:
        reader = part.reader
        made.files += 1
        made.rows += reader.num_rows
        made.deleted_rows += reader.num_deleted_rows
        made.sessions += reader.num_sessions
        made.stripes += reader.num_stripes
        made.bytes += reader.file_bytes
        if reader.writer not in made.writers:
            made.writers.append(reader.writer)
        for column in part.columns:
            _add_column(features, column)
        for group in part.groups:
            _add_group(groups, group)
        _add_rest(made.other_bytes, part)
        _add_plan(made.plan, part)
    made.features = sorted(features.values(), key=lambda one: -one.bytes)
    made.groups = sorted(
        groups.values(), key=lambda one: (one.unique_rows - one.rows) * len(one.columns)
    )
    return made


def _add_column(features: dict[str, FeatureBytes], column: _dsi.Column) -> None:
    of = features.get(column.feature)
    if of is None:
        kind = column.kind if column.supported else "unsupported"
        of = features[column.feature] = FeatureBytes(column.feature, kind, column.type)
    of.values += column.stored_values
    of.bytes += column.stored_bytes
    if column.precision != "exact":
        of.precision = column.precision
        of.max_error = max(of.max_error, column.max_error)


def _add_group(groups: dict[tuple[str, str, str], GroupRows], group: _dsi.Group) -> None:
    """Groups that were found have no name; the first column stands for it."""
    shared, columns = group.ordinal != 0, group.columns
    key = (group.owner, group.name, columns[0] if shared and columns else "")
    of = groups.setdefault(key, GroupRows(group.owner, group.name, columns, shared))
    of.rows += group.rows
    of.unique_rows += group.unique_rows
    of.index_bytes += group.index_bytes


def _add_rest(other_bytes: dict[str, int], part: _File) -> None:
    """Bytes of features and indexes are counted before small pages are compressed together."""
    pages = [one for one in part.layout if one.name.startswith("pages")]
    compressed = sum(one.bytes - one.content_bytes for one in pages)
    indexes = sum(group.index_bytes for group in part.groups)
    features = sum(column.stored_bytes for column in part.columns)
    rest = part.reader.file_bytes - features - indexes - compressed
    for name, number in (
        ("indexes", indexes),
        ("pages compressed", compressed),
        ("directory, padding, seals", rest),
    ):
        other_bytes[name] = other_bytes.get(name, 0) + number


def _add_plan(plan: PlannedReads, part: _File) -> None:
    plan.columns = max(plan.columns, part.planned)
    found = part.plan
    if found is None:
        plan.stripes_skipped += part.reader.num_stripes
        return
    plan.bytes += found.bytes
    plan.bytes_needed += found.bytes_needed
    plan.reads += found.reads
    plan.pages += found.num_pages
    plan.directory_bytes += found.directory_bytes
    plan.directory_reads += found.directory_reads
    plan.steps = max(plan.steps, found.steps)
    plan.stripes_skipped += found.stripes_skipped

"""Which values columns have and how often: what vocabularies and pipelines are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _dsi
from ._frameworks import converter
from .errors import InvalidArgument
from .options import ScanKeywords, make_options
from .projections import Features, resolve

if TYPE_CHECKING:
    from .dataset import Dataset


class ValueCounts:
    """Of one column, over the rows that were counted; each entry of a list is a value. Exact.

    The most frequent value comes first, of equally frequent ones the least: the first n are a
    vocabulary of n.
    """

    def __init__(self, native: _dsi.ValueCounts, framework: str = "numpy"):
        self._native = native
        self._convert = converter(framework)

    @property
    def column(self) -> str:
        """Its name."""
        return self._native.column

    @property
    def type(self) -> str:
        """As it is stored, or as a pipeline makes it."""
        return self._native.type

    @property
    def rows(self) -> int:
        """Rows that were counted."""
        return self._native.rows

    @property
    def missing(self) -> int:
        """Rows without the feature."""
        return self._native.missing

    @property
    def entries(self) -> int:
        """Of all rows; the sum of `counts`."""
        return self._native.entries

    @property
    def lengths(self) -> tuple[int, int]:
        """Entries of the shortest and of the longest row that has the feature."""
        return self._native.min_length, self._native.max_length

    @property
    def values(self) -> Any:
        """Each value once, [len(self)]: int64, uint64 or float64, in the memory of this object;
        strings are a list of bytes."""
        values = self._native.values
        return values if isinstance(values, list) else self._convert(values)

    @property
    def counts(self) -> Any:
        """How many entries each value is, uint64 [len(self)]."""
        return self._convert(self._native.counts)

    def at_least(self, count: int) -> Any:
        """The values that are so many entries or more: the first of `values`."""
        return self.values[: self._native.num_at_least(count)]

    @property
    def mean(self) -> float:
        """Of numbers, over all entries but NaN; NaN where there is none."""
        return self._native.mean

    @property
    def deviation(self) -> float:
        """The standard deviation from the mean, of the entries themselves."""
        return self._native.deviation

    def quantiles(self, shares: Sequence[float]) -> list[Any]:
        """For each share in [0, 1] the least value that so many of the entries are not above: one
        of `values`, exact.

        InvalidArgument: strings, no entry, another share.
        """
        places = self._native.quantiles(list(shares))
        values = memoryview(self._native.values)  # type: ignore[arg-type]
        return [values[place] for place in places]

    def borders(self, buckets: int) -> list[Any]:
        """What parts the entries into so many buckets of about equal size, for `bucketize`;
        ascending, fewer where one value fills several of them.

        InvalidArgument: as `quantiles`; fewer than two buckets.
        """
        if buckets < 2:
            raise InvalidArgument(f"{buckets} buckets have no borders, expected 2 or more")
        return sorted(set(self.quantiles([i / buckets for i in range(1, buckets)])))

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return (
            f"dsi.ValueCounts({self.column}: {len(self)} different values of {self.entries} "
            f"entries, {self.missing} of {self.rows} rows missing)"
        )


def count_values(
    dataset: Dataset,
    features: Features | None,
    framework: str,
    keywords: ScanKeywords,
) -> dict[str, ValueCounts]:
    """By column, in the order of the features."""
    plan = resolve(dataset.native, features, transforms=keywords.get("transforms"))
    asked: ScanKeywords = {"threads": 0, "memory_bytes": 4 << 30, **keywords}
    options = make_options(plan, asked)
    counted = _dsi.count_values(dataset.native, options, asked["memory_bytes"])
    return {native.column: ValueCounts(native, framework) for native in counted}

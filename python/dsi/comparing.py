"""Two datasets held against each other."""

from __future__ import annotations

from collections.abc import Callable

from . import _dsi
from ._dsi import Comparison
from .dataset import Dataset, Where, as_dataset
from .options import Filter, native_clauses
from .projections import Names, name_list


def compare(
    a: Dataset | Where,
    b: Dataset | Where,
    *,
    features: Names = (),
    key: Names = (),
    where: Filter = (),
    threads: int = 0,
    memory_bytes: int = 4 << 30,
    progress: Callable[[str, int, int], object] | None = None,
) -> Comparison:
    """What differs between two datasets: their schemas, their rows, and in which columns.

        found = dsi.compare("clicks@6", "clicks@7", key="request_id")
        changed = [column for column in found.columns if column.num_differing]

    a, b: a `Dataset`, or what `dsi.open` takes. features: names and patterns, as either calls them;
    by default all.
    key: columns that name a row; rows of one key are compared wherever they stand, of several rows
    with the same key the first with the first. Without one rows are compared by their place, and
    `has_same_rows` and `only_a` say whether the other has them elsewhere.
    where: of both only rows that pass, as of `scan`. threads: by default all cores. memory_bytes:
    for rows that wait for the other's. progress('read', done, all) is told how far it is; False
    stops (Cancelled).

    Both are read once, and each unique row of a batch is hashed once. Values are equal as they
    would be written: 3 is one value in all types, 0.0 and -0.0 are two, NaN equals itself, missing
    and empty are two. How rows are stored is not looked at.

    NotFound: a name that neither has. InvalidArgument: a key that cannot be compared.
    ResourceExhausted: with a key, more rows wait than memory_bytes holds.
    """
    return _dsi.compare(
        as_dataset(a).native,
        as_dataset(b).native,
        name_list(features),
        name_list(key, "key"),
        _dsi.ScanOptions(where=native_clauses(where)),
        threads,
        memory_bytes,
        progress,
    )

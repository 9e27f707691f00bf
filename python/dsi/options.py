"""The keywords of scans and loaders, in one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from . import _dsi
from .projections import Plan
from .transforms import Transforms

Term = tuple[str, str, int | float]


class ReadKeywords(TypedDict, total=False):
    """Keywords of `Dataset.scan` and `Dataset.loader`.

    batch_size: rows of a batch (4096). drop_last: leave out a last batch that is not full.
    where: terms (column, '==' or '=' '!=' '<' '<=' '>' '>=', number), of which all must hold.
    Batches are thinned: with a filter a batch has those of its rows that pass.
    sample: pairs (terms, share): of rows for which the terms hold this share stays; sample_seed.
    rows: spans (begin, end) of the dataset's rows, ascending and apart; empty: all.
    seed: of the order, where it is another than that of the files; block_rows: size of blocks;
    mixing_rows: so many rows at a time are mixed, as whole 'sessions' or single 'rows' (mix).
    threads: that decode one batch; 0: all cores. read_ahead_bytes: batches and pages made ahead by
    threads of the library; 0: none. memory_bytes: most that the scan holds besides.
    transforms: a `Pipeline`, or its JSON as text or dict (spec/transforms.md). Features then name
    what it makes as well; without features all that it makes is read, and no columns.
    remainder: of batches that do not go round, 'drop', 'pad' or 'uneven'.
    access_log: a file to which each scan adds a line that says which columns it reads, for
    layout_from of `Writer` and of `dsictl rewrite`.
    """

    batch_size: int
    drop_last: bool
    where: Sequence[Term] | Term
    sample: Sequence[tuple[Sequence[Term], float]]
    sample_seed: int
    rows: Sequence[tuple[int, int]]
    seed: int
    block_rows: int
    mixing_rows: int
    mix: str
    threads: int
    read_ahead_bytes: int
    memory_bytes: int
    transforms: Transforms
    remainder: str
    access_log: str


class ScanKeywords(ReadKeywords, total=False):
    """Keywords of `Dataset.scan`.

    Those of `ReadKeywords`, and shuffle: what is put in another order, 'none', 'block', 'stripe' or
    'file'; epoch: another one, another order; rank, world: whose part of the batches; state: what
    `Scan.state` gave, go on from there.
    """

    shuffle: str
    epoch: int
    rank: int
    world: int
    state: str


def _terms(where: Sequence[Term] | Term) -> list[Term]:
    if where and isinstance(where[0], str):
        return [where]  # type: ignore[list-item]
    return list(where)  # type: ignore[arg-type]


def make_options(plan: Plan, keywords: ScanKeywords) -> _dsi.ScanOptions:
    """The options of the library. TypeError: a keyword that there is not."""
    given: dict[str, Any] = dict(keywords)
    unknown = given.keys() - ScanKeywords.__annotations__.keys()
    if unknown:
        raise TypeError(f"unknown keyword {sorted(unknown)[0]!r}")
    if "shuffle" in given:
        given["unit"] = given.pop("shuffle")
    if "where" in given:
        given["where"] = _terms(given["where"])
    if "sample" in given:
        given["sample"] = [(_terms(terms), share) for terms, share in given["sample"]]
    given.pop("transforms", None)  # The plan was made with it.
    for name in ("rows", "where"):
        if name in given and not isinstance(given[name], list):
            given[name] = list(given[name])
    return _dsi.ScanOptions(
        features=plan.projections,
        index_dtype=plan.index_dtype,
        pipeline=plan.pipeline,
        **given,
    )

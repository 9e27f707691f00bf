"""The keywords of scans and loaders, in one place."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from numbers import Real
from typing import Any, TypedDict

from . import _dsi
from ._checks import MOST_32, MOST_64, flag, path, text, whole, word, wrong
from ._time import iso_text
from .errors import InvalidArgument
from .projections import Plan
from .ranks import threads_of_process
from .transforms import Transforms, kept_transforms

Value = int | float | str | bytes | date


@dataclass(frozen=True)
class Length:
    """In a term of a filter: how many entries the list of a row has, bytes its string. For it
    nothing but lengths is read. A row without the list has none, and passes no comparison.

        dataset.loader(features, where=(dsi.Length("user.hist"), ">=", 5))
    """

    column: str


@dataclass(frozen=True)
class Hash:
    """In a term of a filter: a number in [0, 1) that is worked out from the value of a row alone,
    so that all rows of a user, in whatever file, go the same way. Another salt, another number.

        test = dataset.scan(features, where=(dsi.Hash("user_id"), "<", 0.1))
        training = dataset.loader(features, where=(dsi.Hash("user_id"), ">=", 0.1))

    Of columns of one number or string a row, with '<', '<=', '>' or '>=' and a number. A row
    without a value passes neither.
    """

    column: str
    salt: int = 0


# What a column is asked: ("label", "==", 1), ("city", "in", ["Bern", "Oslo"]), ("age", "missing").
Subject = str | Length | Hash
Term = tuple[Subject, str] | tuple[Subject, str, Value | Collection[Value]]


class AnyOf:
    """In a filter, in the place of a term: terms, or others of its kind, of which one must hold.

        dataset.loader(features, where=dsi.AnyOf(("clicked", "==", 1), ("seconds", ">", 30)))

    InvalidArgument: no term, or what is none.
    """

    def __init__(self, *terms: Term | AnyOf):
        self.terms: list[Term] = _flat(terms)
        if not self.terms:
            raise InvalidArgument("AnyOf takes one or more terms, such as ('label', '==', 1)")

    def __repr__(self) -> str:
        return f"AnyOf({', '.join(map(repr, self.terms))})"


# What `where` takes: terms that must all hold, or one.
Filter = Sequence[Term | AnyOf] | Term | AnyOf
# Column, comparison, value, values of a set, subject, salt.
NativeTerm = tuple[str, str, Any, list[Any], str, int]


# What `sample` takes: a share of all rows, terms and the share of those rows, or several of these.
Sample = float | tuple[Filter, float] | Sequence[tuple[Filter, float]]

# Rows of a block, and rows that are mixed, where rows are shuffled and nothing else is asked for.
BLOCK_ROWS = 32_768
MIXING_ROWS = 131_072


class ReadKeywords(TypedDict, total=False):
    """Keywords of `Dataset.scan` and `Dataset.loader`, with what they are by default.

    batch_size: rows of a batch (4096). drop_last: leave out a last batch that is not full (False).
    where: terms, of which all must hold: (column, '==' or '=' '!=' '<' '<=' '>' '>=', number or
    string), (column, 'in' or 'not in', list or set of them), (column, 'exists' or 'missing');
    `Length(column)` in place of a column compares how long its lists or strings are,
    `Hash(column)` a number in [0, 1) made of its value, which parts users, say;
    `AnyOf(term, ...)` in place of a term holds where one of them does.
    Timestamps also compare with a datetime, date, numpy.datetime64 or ISO 8601 string, in UTC
    where it has no zone.
    What is missing passes 'missing' alone.
    Batches are thinned: with a filter a batch has those of its rows that pass.
    sample: a share of all rows, such as 0.1; or (terms, share): of the rows for which the terms
    hold this share stays; or several such pairs. sample_seed: another one, other rows (0).
    rows: spans (begin, end) of the dataset's rows, ascending and apart; empty: all.
    seed: of the order, where it is another than that of the files (0); block_rows: size of blocks
    (32,768); mixing_rows: so many rows at a time are mixed where rows are shuffled (131,072; 0: no
    mixing), as mix says: whole 'sessions' (the default) or single 'rows'. mixing_bytes: in place of
    mixing_rows, as many as are expected to take so many bytes while they are held, so that other
    features mix other numbers of rows.
    threads: that decode one batch; 0: all cores, None: those of this rank (a scan has 1, a loader
    None). read_ahead_bytes: batches and pages made ahead by threads of the library; 0: none (a scan
    has 0, a loader 128 MiB). memory_bytes: most that the scan holds besides (4 GiB).
    transforms: a `Pipeline`, its JSON as text or dict (spec/transforms.md), or the path of a file
    of it. Features then name what it makes as well; without features all that it makes is read, and
    no columns.
    remainder: of batches that do not go round the ranks, 'drop' (the default), 'pad' or 'uneven'.
    access_log: a file to which each scan adds a line that says which columns it reads, for
    layout_from of `Writer` and of `dsictl rewrite`.

    InvalidArgument: a value of another type, or out of range.
    """

    batch_size: int
    drop_last: bool
    where: Filter
    sample: Sample
    sample_seed: int
    rows: Sequence[tuple[int, int]]
    seed: int
    block_rows: int
    mixing_rows: int
    mixing_bytes: int
    mix: str
    threads: int | None
    read_ahead_bytes: int
    memory_bytes: int
    transforms: Transforms
    remainder: str
    access_log: str | os.PathLike[str]


class ScanKeywords(ReadKeywords, total=False):
    """Keywords of `Dataset.scan`.

    Those of `ReadKeywords`, and shuffle: what is put in another order, 'block' (or True), 'stripe'
    or 'file', else 'none' (or False, the default); epoch: another one, another order (0); rank,
    world: whose part of the batches (0 of 1); state: what `Scan.state` gave, go on from there.
    """

    shuffle: bool | str
    epoch: int
    rank: int
    world: int
    state: str | None


def _plain(value: Any) -> Any:
    """Of numpy's and other arrays and scalars, what Python has of them; of times, text."""
    text = iso_text(value)
    if text is not None:
        return text
    return value.tolist() if hasattr(value, "tolist") else value


def _value(value: Any, term: Term) -> Any:
    plain = _plain(value)
    if isinstance(plain, int | float | str | bytes):
        return plain
    raise InvalidArgument(
        f"the term {term!r} compares with a value of type {type(value).__name__}; expected a "
        "number, str or bytes, or for timestamps a date, datetime or numpy.datetime64"
    )


def _native_term(term: Term) -> NativeTerm:
    if isinstance(term, str) or not isinstance(term, Sequence):
        raise InvalidArgument(f"a term is a tuple such as ('label', '==', 1), not {term!r}")
    if len(term) < 2:
        raise InvalidArgument(f"the term {term!r} is not enough: a column and a comparison")
    subject, compare, *rest = term
    column, (what, salt) = column_of(term), _native_subject(subject)
    takes = 0 if compare in ("exists", "missing") else 1
    if len(rest) != takes:
        form = f"({subject!r}, {compare!r}{', value' * takes})"
        raise InvalidArgument(f"the term {term!r} is not of the form {form}")
    if compare not in ("in", "not in"):
        return column, compare, _value(rest[0], term) if rest else 0, [], what, salt
    values = _plain(rest[0])
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidArgument(
            f"the term ({subject!r}, {compare!r}, …) takes a list or set of values"
        )
    return column, compare, 0, [_value(value, term) for value in values], what, salt


def _native_subject(subject: Subject) -> tuple[str, int]:
    if isinstance(subject, Hash):
        return "hash", subject.salt
    return ("length", 0) if isinstance(subject, Length) else ("value", 0)


def column_of(term: Term) -> str:
    """What the term asks."""
    subject = term[0]
    return subject if isinstance(subject, str) else subject.column


def _kept(term: Term) -> Term:
    """With a list of the values of a set, which may have been given by an iterator."""
    if not isinstance(term, Sequence) or len(term) != 3 or term[1] not in ("in", "not in"):
        return term
    values = _plain(term[2])
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        return term  # What is wrong with it is told with the column.
    return term[0], term[1], list(values)


def _flat(terms: Iterable[Term | AnyOf]) -> list[Term]:
    all_of_them: list[Term] = []
    for term in terms:
        all_of_them += term.terms if isinstance(term, AnyOf) else [_kept(term)]
    return all_of_them


def as_clauses(where: Filter) -> list[list[Term]]:
    """Lists of which each has a term that holds. InvalidArgument: neither terms nor one."""
    if isinstance(where, AnyOf):
        return [where.terms]
    if isinstance(where, str) or not isinstance(where, Iterable):
        raise InvalidArgument(
            f"where is a term such as ('label', '==', 1), or a list of such, not {where!r}"
        )
    terms: list[Any] = list(where)
    if terms and isinstance(terms[0], str | Length | Hash):
        terms = [tuple(terms)]
    return [_flat([term]) for term in terms]


def kept_filter(where: Filter) -> list[AnyOf]:
    """The same filter in lists of its own, for who uses it more than once."""
    return [AnyOf(*clause) for clause in as_clauses(where)]


def kept_keywords(keywords: ReadKeywords) -> dict[str, Any]:
    """Keywords with the rows that they choose in lists of their own: iterators give them once."""
    kept: dict[str, Any] = dict(keywords)
    if "where" in keywords:
        kept["where"] = kept_filter(keywords["where"])
    if "sample" in keywords:
        pairs = as_samples(keywords["sample"])
        kept["sample"] = [(kept_filter(terms), share) for terms, share in pairs]
    if "rows" in keywords:
        kept["rows"] = native_rows(keywords["rows"])
    if "transforms" in keywords:
        kept["transforms"] = kept_transforms(keywords["transforms"])
    return kept


# What alternatives say is told as so many clauses at most.
MOST_CLAUSES = 16


def joined(left: list[list[Term]], right: list[list[Term]]) -> list[list[Term]]:
    """Clauses that together say that all of `left` hold, or all of `right`."""
    return [one + other for one in left for other in right]


def native_clauses(where: Filter) -> list[list[NativeTerm]]:
    """Terms as the library takes them. InvalidArgument: one of another form."""
    return [[_native_term(term) for term in clause] for clause in as_clauses(where)]


def as_samples(sample: Sample) -> list[tuple[Filter, float]]:
    """Pairs of terms and a share. InvalidArgument: something else, a share that is none."""
    given: Any = sample
    if isinstance(given, Real):
        given = [((), given)]
    pairs = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if len(pairs) == 2 and isinstance(pairs[1], Real):
        pairs = [tuple(pairs)]
    for pair in pairs:
        is_pair = isinstance(pair, Sequence) and len(pair) == 2 and isinstance(pair[1], Real)
        if not is_pair or not 0 <= pair[1] <= 1:
            raise wrong(
                "sample",
                sample,
                "a share of the rows from 0 to 1, such as 0.1, or pairs of terms and a share, such"
                " as [(('label', '==', 0), 0.1)]",
            )
    return [(terms, float(share)) for terms, share in pairs]


def native_sample(sample: Sample) -> list[tuple[Any, float]]:
    """Pairs of terms and a share, as the library takes them."""
    return [(native_clauses(terms), share) for terms, share in as_samples(sample)]


def native_rows(rows: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    """Spans of rows as the library takes them. InvalidArgument: something else."""
    given: Any = rows
    spans = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    made = []
    for span in spans:
        try:
            begin, end = map(operator.index, span)
        except (TypeError, ValueError):
            begin = end = -1
        if min(begin, end) < 0 or max(begin, end) > MOST_64:
            raise wrong("rows", rows, "spans (begin, end) such as [(0, 1000), (5000, 6000)]")
        made.append((begin, end))
    return made


def _unit(shuffle: bool | str) -> str:
    """Of `shuffle` what is put in another order."""
    if not isinstance(shuffle, str) and type(shuffle).__name__ in ("bool", "bool_"):
        return "block" if shuffle else "none"
    units = ("none", "block", "stripe", "file")
    if not isinstance(shuffle, str) or shuffle not in units:
        words = ", ".join(map(repr, units))
        raise wrong("shuffle", shuffle, f"True, False or one of {words}")
    return shuffle


def _state(state: Any) -> str:
    """InvalidArgument: what no scan gave."""
    if isinstance(state, Mapping):
        raise wrong(
            "state",
            state,
            "the text of Scan.state: what state_dict() of a loader gave is for Dataset.loader",
        )
    return "" if state is None else text("state", state)


# Keywords that are whole numbers, each with the least and the greatest.
_WHOLE = {
    "batch_size": (1, MOST_32),
    "sample_seed": (0, MOST_64),
    "seed": (0, MOST_64),
    "epoch": (0, MOST_64),
    "block_rows": (1, MOST_32),
    "mixing_rows": (0, MOST_32),
    "mixing_bytes": (1, MOST_64),
    "threads": (0, MOST_32),
    "read_ahead_bytes": (0, MOST_64),
    "memory_bytes": (0, MOST_64),
    "rank": (0, MOST_32),
    "world": (1, MOST_32),
}
_WORDS = {"mix": ("sessions", "rows"), "remainder": ("drop", "pad", "uneven")}
# What makes of the other keywords what the library takes.
_OTHERS: dict[str, Callable[[Any], Any]] = {
    "drop_last": lambda value: flag("drop_last", value),
    "access_log": lambda value: path("access_log", value),
    "where": native_clauses,
    "sample": native_sample,
    "rows": native_rows,
    "state": _state,
    "unit": _unit,
}


def _native(name: str, value: Any) -> Any:
    """The value of a keyword as the library takes it. InvalidArgument: it cannot be."""
    if name in _WHOLE:
        least, most = _WHOLE[name]
        return whole(name, value, least, most)
    if name in _WORDS:
        return word(name, value, _WORDS[name])
    return _OTHERS[name](value)


def make_options(plan: Plan, keywords: ScanKeywords) -> _dsi.ScanOptions:
    """The options of the library. TypeError: a keyword that there is not. InvalidArgument: a value
    that cannot be."""
    given: dict[str, Any] = dict(keywords)
    unknown = given.keys() - ScanKeywords.__annotations__.keys()
    if unknown:
        raise TypeError(f"unknown keyword {sorted(unknown)[0]!r}")
    given.pop("transforms", None)  # The plan was made with it.
    given["unit"] = given.pop("shuffle", False)
    if _unit(given["unit"]) != "none":
        mixed = {} if "mixing_bytes" in given else {"mixing_rows": MIXING_ROWS}
        given = {"block_rows": BLOCK_ROWS, **mixed, **given}
    if "mixing_bytes" in given and "mixing_rows" in given:
        raise InvalidArgument("mixing_rows and mixing_bytes: give one of them")
    if given.get("threads", 1) is None:
        given["threads"] = threads_of_process()
    return _dsi.ScanOptions(
        features=plan.projections,
        index_dtype=plan.index_dtype,
        pipeline=plan.pipeline,
        **{name: _native(name, value) for name, value in given.items()},
    )

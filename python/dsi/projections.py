"""What is read of which features, and in which form a batch has it.

A scan or loader takes names, patterns ('*', '?'; a feature stands for its columns) and the objects
of this module, mixed. A bare name or pattern is put where a recommender expects its kind:

===========================  ====================================================================
kind                         where it is in a `Batch`
===========================  ====================================================================
dense number                 a column of `batch.dense`, float32
label                        a column of `batch.labels`, float32
list or key of integers      a key of `batch.kjt()`
weighted list                a key of `batch.kjt("weighted")`, with weights
weights alone                `batch.jagged(name)`
list of floats, string       `batch.jagged(name)`
embedding                    `batch.padded(name)`
whole number of a transform  a key of `batch.kjt()`, one id a row
timestamp, string key        `batch.padded(name)` of width 1, `batch.jagged(name)`
===========================  ====================================================================
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from . import _dsi
from ._checks import MOST_32, dtype_name, flag, number, text, whole, word, wrong
from ._dsi import Column
from .errors import InvalidArgument, NotFound
from .transforms import Transforms, native_pipeline

WEIGHTED = "weighted"
LABELS = "labels"

# What names features; a column counts by its name.
Names = str | Column | Iterable[str | Column]


def name_list(names: Names, what: str = "features") -> list[str]:
    """One name, or several. InvalidArgument: what is no name."""
    return _listed(names, what, (), "a name, a pattern or a Column")


def _listed(given: Any, what: str, others: tuple[type, ...], expected: str) -> list[Any]:
    """Names, those of columns, and objects of `others`: of one of these, or of an iterable."""
    if isinstance(given, (str, Column, *others)):
        given = [given]
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise wrong(what, given, f"{expected}, or an iterable of these")
    made = []
    for one in given:
        if not isinstance(one, (str, Column, *others)):
            raise wrong(f"one of {what}", one, expected)
        made.append(one.name if isinstance(one, Column) else one)
    return made


# Members of projections, each with what looks at it.
_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "names": lambda what, names: names if isinstance(names, str) else tuple(name_list(names, what)),
    "width": lambda what, value: whole(what, value, most=MOST_32),
    "keep": lambda what, value: word(what, value, ("first", "last")),
    "pad": lambda what, value: word(what, value, ("left", "right")),
    "pad_value": lambda what, value: None if value is None else number(what, value),
    "dtype": lambda _, dtype: None if dtype is None else dtype_name(dtype),
    "unique": flag,
    "set": text,
}


@dataclass(frozen=True)
class _Asked:
    """What projections have in common. InvalidArgument: a member that cannot be."""

    names: Names

    def __post_init__(self) -> None:
        for member in fields(self):
            if check := _CHECKS.get(member.name):
                object.__setattr__(
                    self, member.name, check(member.name, getattr(self, member.name))
                )


@dataclass(frozen=True)
class Padded(_Asked):
    """Rows of equal width: `batch.padded(name)` has values [B, L], lengths [B], present [B].

    width: entries per row; 0: the declared greatest length, else the greatest that is stored.
    keep: which entries of a longer list stay, 'first' or 'last' as stored.
    pad: the side where the pad value goes, 'left' or 'right'.
    pad_value: what stands where there is no value; by default the feature's default, or else NaN
    for a missing dense number or label of floats, and 0 for integers, for what fills up lists and
    for missing embeddings.
    dtype: 'int32', 'int64', 'float32' or 'float64', or what numpy, torch or jax calls so.
    unique: values, lengths and present are of the U unique rows, `inverse` [B] tells which each
    row is; a model then runs once per unique row.
    """

    width: int = 0
    keep: str = "last"
    pad: str = "right"
    pad_value: float | None = None
    dtype: Any = None
    unique: bool = False


@dataclass(frozen=True)
class Jagged(_Asked):
    """Lists as they are: `batch.jagged(name)` has values [N], offsets [B + 1], present [B].

    unique: of the U unique rows, with `inverse` [B]: `batch.ikjt(name)`.
    """

    dtype: Any = None
    unique: bool = False


@dataclass(frozen=True)
class Dense(_Asked):
    """Numbers as columns of one matrix [B, D] of one dtype: `batch.dense_of(set)`.

    Bare names of dense features are in set '', which `batch.dense` gives.
    """

    dtype: Any = "float32"
    pad_value: float | None = None
    set: str = ""


@dataclass(frozen=True)
class Labels(_Asked):
    """As `Dense`, of set 'labels': `batch.labels`."""

    dtype: Any = "float32"
    pad_value: float | None = None


@dataclass(frozen=True)
class Kjt(_Asked):
    """Keys of one KeyedJaggedTensor: `batch.kjt(set)`.

    form: 'expanded' (every row), 'vbe' (unique rows and inverse indices, as TorchRec's variable
    batch takes them) or 'ikjt' (a dict of `IkjtTensors`, for models of one's own). Weighted lists
    and plain ones cannot be keys of one set.
    """

    form: str | None = None
    set: str = ""


Projection = str | Padded | Jagged | Dense | Labels | Kjt
# What scans and loaders take; a column counts by its name.
Features = Projection | Column | Iterable[Projection | Column]


def feature_list(features: Features) -> list[Projection]:
    """Names and projections, one by one. InvalidArgument: what is neither."""
    expected = "a name, a pattern, a Column or a projection such as dsi.Dense(names)"
    return _listed(features, "features", (_Asked,), expected)


@dataclass
class KjtSet:
    """Keys of one set, in the order of its tensors."""

    form: str
    keys: list[str] = field(default_factory=list)
    weighted: bool = False


@dataclass
class Plan:
    """Where the columns of a scan are in its batches."""

    index_dtype: str
    pipeline: _dsi.Pipeline | None = None
    projections: list[_dsi.Projection] = field(default_factory=list)
    dense: dict[str, list[str]] = field(default_factory=dict)
    kjts: dict[str, KjtSet] = field(default_factory=dict)
    layouts: dict[str, str] = field(default_factory=dict)
    # By layout and set the names that are in it: looked up once for each of many thousand columns.
    placed: set[tuple[str, str, str]] = field(default_factory=set)
    # What the columns are in Arrow, once it was asked for.
    arrow: _dsi.ArrowOutput | None = None

    def arrow_output(self, scan: _dsi.Scan) -> _dsi.ArrowOutput:
        """InvalidArgument: the plan has columns that have no form in Arrow."""
        if self.arrow is None:
            self.arrow = _dsi.ArrowOutput.of(scan)
        return self.arrow

    def place_of(self, name: str) -> str:
        """What of a batch has a column of this name; '': nothing, it is not read."""
        for set, names in self.dense.items():
            if name in names:
                return {"": "batch.dense", LABELS: "batch.labels"}.get(
                    set, f"batch.dense_of({set!r})"
                )
        ids = name.removesuffix(".weights") + ".ids"
        for set, kjt in self.kjts.items():
            if name in kjt.keys or (kjt.weighted and name.endswith(".weights") and ids in kjt.keys):
                return f"batch.kjt({set!r})" if set else "batch.kjt()"
        layout = self.layouts.get(name, "")
        return f"batch.{layout.removesuffix('_ikjt')}({name!r})" if layout else ""

    def names_read(self) -> list[str]:
        """Of all columns that a batch has."""
        dense = [name for names in self.dense.values() for name in names]
        keys = [name for kjt in self.kjts.values() for name in kjt.keys]
        return [*dense, *keys, *self.layouts]

    def add(self, name: str, layout: str, **keywords: Any) -> None:
        self.projections.append(_dsi.Projection(name, layout=layout, **keywords))

    def add_own(self, name: str, layout: str, **keywords: Any) -> None:
        """A column with tensors of its own."""
        if name in self.layouts:
            raise InvalidArgument(f"'{name}' is asked for as {self.layouts[name]} and as {layout}")
        self.layouts[name] = layout
        self.add(name, layout, **keywords)

    def add_dense(self, name: str, dense: Dense) -> None:
        columns = self.dense.setdefault(dense.set, [])
        if ("dense", dense.set, name) not in self.placed:
            self.placed.add(("dense", dense.set, name))
            columns.append(name)
            self.add(name, "dense", dtype=dense.dtype, set=dense.set, pad_value=dense.pad_value)

    def add_key(self, column: Column, form: str, set: str, weights: str | None = None) -> None:
        if form not in ("expanded", "vbe", "ikjt"):
            raise InvalidArgument(f"form is {form!r}, expected 'expanded', 'vbe' or 'ikjt'")
        made = self.kjts.setdefault(set, KjtSet(form, weighted=weights is not None))
        if ("kjt", set, column.name) in self.placed:
            return
        if made.weighted != (weights is not None) or made.form != form:
            raise InvalidArgument(
                f"'{column.name}' cannot be a key of set '{set}': it mixes forms, or lists with"
                " and without weights; name another set"
            )
        self.placed.add(("kjt", set, column.name))
        made.keys.append(column.name)
        if form == "ikjt":
            self.add_own(column.name, "ikjt", dtype=self.index_dtype, bit_cast=True)
            if weights is not None:
                self.add_own(weights, "ikjt", dtype="float32")
            return
        layout = "kjt" if form == "expanded" else "vbe"
        self.add(column.name, layout, dtype=self.index_dtype, bit_cast=True, set=set)
        if weights is not None:
            self.add(weights, layout, dtype="float32", set=weights_set(set))


def weights_set(ids_set: str) -> str:
    """The set of the weights of a set of ids."""
    return ids_set + ".weights"


def _is_integer(column: Column) -> bool:
    return "int" in column.type


def _add_key_column(
    plan: Plan, column: Column, form: str, set: str = "", weighted_set: str = WEIGHTED
) -> None:
    if column.kind != "weighted":
        plan.add_key(column, form, set)
    elif not column.name.endswith(".weights"):  # Which come with their ids.
        plan.add_key(column, form, weighted_set, weights=column.feature + ".weights")


# What dense numbers and labels are that were named alone.
_BARE_DENSE = Dense(())
_BARE_LABELS = Dense((), set=LABELS)


def _add_by_kind(plan: Plan, column: Column, form: str) -> None:
    """Puts a column that was named alone where the table of this module says."""
    kind = column.kind
    if kind == "dense":
        plan.add_dense(column.name, _BARE_DENSE)
    elif kind == "label":
        plan.add_dense(column.name, _BARE_LABELS)
    elif kind == "weighted" or (kind in ("list", "sequence", "key") and _is_integer(column)):
        _add_key_column(plan, column, form)
    elif column.name in plan.layouts:
        return
    elif kind in ("embedding", "timestamp"):
        plan.add_own(column.name, "padded", width=max(column.fixed_length, 1))
    else:
        plan.add_own(column.name, "jagged")


def _add_weights_alone(plan: Plan, columns: Iterable[Column]) -> None:
    """Weights that were named, and not the ids with which they come."""
    read = {projection.name for projection in plan.projections}
    for column in columns:
        if column.kind == "weighted" and column.name not in read:
            read.add(column.name)
            plan.add_own(column.name, "jagged")


def _check_keys(plan: Plan, columns: Iterable[Column]) -> None:
    """InvalidArgument: weights were named as keys, and not their ids."""
    read = {projection.name for projection in plan.projections}
    for column in columns:
        if column.name not in read:
            raise InvalidArgument(
                f"'{column.name}' is no key without its ids: name '{column.feature}', or for the"
                " weights alone dsi.Jagged"
            )


def _add_explicit(plan: Plan, asked: Projection, columns: Iterable[Column], form: str) -> None:
    for column in columns:
        if isinstance(asked, Padded):
            plan.add_own(
                column.name,
                "padded_ikjt" if asked.unique else "padded",
                width=asked.width,
                keep=asked.keep,
                pad=asked.pad,
                pad_value=asked.pad_value,
                dtype=asked.dtype,
                bit_cast=asked.dtype in ("int32", "int64"),
            )
        elif isinstance(asked, Jagged):
            plan.add_own(
                column.name,
                "ikjt" if asked.unique else "jagged",
                dtype=asked.dtype,
                bit_cast=asked.dtype in ("int32", "int64"),
            )
        elif isinstance(asked, Dense):
            plan.add_dense(column.name, asked)
        elif isinstance(asked, Labels):
            plan.add_dense(column.name, Dense((), asked.dtype, asked.pad_value, LABELS))
        elif isinstance(asked, Kjt):
            _add_key_column(plan, column, asked.form or form, asked.set, asked.set)


def _names_of(asked: Projection) -> list[str]:
    return name_list(asked if isinstance(asked, str) else asked.names)


def _not_found(dataset: _dsi.Dataset, name: str, pipeline: _dsi.Pipeline | None) -> NotFound:
    if _is_pattern(name):
        return NotFound(f"no feature or column matches '{name}'")
    columns = dataset.columns(pipeline)
    known = {c.name for c in columns} | {c.feature for c in columns}
    near = difflib.get_close_matches(name, known, n=3)
    hint = f"; near it: {', '.join(near)}" if near else ""
    return NotFound(f"no feature or column is named '{name}'{hint}")


def _is_pattern(name: str) -> bool:
    return any(c in name for c in "*?")


def warn_of_left_out(dataset: _dsi.Dataset, names: Sequence[str]) -> None:
    """A UserWarning tells of what the patterns among them match and this version cannot read."""
    patterns = [name for name in names if _is_pattern(name)]
    for message in dataset.left_out(patterns) if patterns else ():
        warnings.warn(f"left out: {message}", stacklevel=4)


def resolve(
    dataset: _dsi.Dataset,
    features: Features | None,
    form: str = "expanded",
    index_dtype: Any = "int64",
    transforms: Transforms | None = None,
) -> Plan:
    """Makes a plan of what was asked for; None: everything, or with transforms all that they make.
    Reads directories, no data.

    NotFound: a name or pattern that fits nothing that a file has or a step makes. InvalidArgument:
    no name, a column asked for in two ways, a form, a dtype. Both and BadInput: a step that cannot
    be.
    """
    pipeline = native_pipeline(transforms)
    plan = Plan(dtype_name(index_dtype), pipeline)
    if features is None and pipeline is not None:
        made = [column for column in dataset.columns(pipeline) if column.is_made]
        for column in made:
            _add_by_kind(plan, column, form)
        _add_weights_alone(plan, made)
        return plan
    everything = features is None
    listed = ["*"] if features is None else feature_list(features)
    asked = [(one, name) for one in listed for name in _names_of(one)]
    if not asked:
        raise InvalidArgument("no feature is named; None asks for all of them")
    found = dataset.match([name for _, name in asked], pipeline)
    warn_of_left_out(dataset, [name for _, name in asked])
    bare: list[Column] = []
    keys: list[Column] = []
    for (one, name), columns in zip(asked, found, strict=True):
        if not columns and not (everything or (_is_pattern(name) and dataset.left_out([name]))):
            raise _not_found(dataset, name, pipeline)
        if isinstance(one, str):
            bare += columns
            for column in columns:
                _add_by_kind(plan, column, form)
        else:
            keys += columns if isinstance(one, Kjt) else []
            _add_explicit(plan, one, columns, form)
    _add_weights_alone(plan, bare)
    _check_keys(plan, keys)
    if not plan.projections and not everything:
        raise InvalidArgument("none of the features that were named can be read")
    return plan

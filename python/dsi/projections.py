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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _dsi
from ._dsi import Column
from .errors import InvalidArgument, NotFound
from .transforms import Transforms, native_pipeline

WEIGHTED = "weighted"
LABELS = "labels"

Names = str | Sequence[str]


@dataclass(frozen=True)
class Padded:
    """Rows of equal width: `batch.padded(name)` has values [B, L], lengths [B], present [B].

    width: entries per row; 0: the declared greatest length, else the greatest that is stored.
    keep: which entries of a longer list stay, 'first' or 'last' as stored.
    pad: the side where the pad value goes, 'left' or 'right'.
    pad_value: what stands where there is no value; by default 0, or the feature's default.
    unique: values, lengths and present are of the U unique rows, `inverse` [B] tells which each
    row is; a model then runs once per unique row.
    """

    names: Names
    width: int = 0
    keep: str = "last"
    pad: str = "right"
    pad_value: float | None = None
    dtype: str | None = None
    unique: bool = False


@dataclass(frozen=True)
class Jagged:
    """Lists as they are: `batch.jagged(name)` has values [N], offsets [B + 1], present [B].

    unique: of the U unique rows, with `inverse` [B]: `batch.ikjt(name)`.
    """

    names: Names
    dtype: str | None = None
    unique: bool = False


@dataclass(frozen=True)
class Dense:
    """Numbers as columns of one matrix [B, D] of one dtype: `batch.dense_of(set)`.

    Bare names of dense features are in set '', which `batch.dense` gives.
    """

    names: Names
    dtype: str = "float32"
    pad_value: float | None = None
    set: str = ""


@dataclass(frozen=True)
class Labels:
    """As `Dense`, of set 'labels': `batch.labels`."""

    names: Names
    dtype: str = "float32"
    pad_value: float | None = None


@dataclass(frozen=True)
class Kjt:
    """Keys of one KeyedJaggedTensor: `batch.kjt(set)`.

    form: 'expanded' (every row), 'vbe' (unique rows and inverse indices, as TorchRec's variable
    batch takes them) or 'ikjt' (a dict of `IkjtTensors`, for models of one's own). Weighted lists
    and plain ones cannot be keys of one set.
    """

    names: Names
    form: str | None = None
    set: str = ""


Projection = str | Padded | Jagged | Dense | Labels | Kjt


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

    def add_key(self, column: Column, kjt: Kjt, weights: str | None = None) -> None:
        form = kjt.form or "expanded"
        if form not in ("expanded", "vbe", "ikjt"):
            raise InvalidArgument(f"form is {form!r}, expected 'expanded', 'vbe' or 'ikjt'")
        made = self.kjts.setdefault(kjt.set, KjtSet(form, weighted=weights is not None))
        if ("kjt", kjt.set, column.name) in self.placed:
            return
        if made.weighted != (weights is not None) or made.form != form:
            raise InvalidArgument(
                f"'{column.name}' cannot be a key of set '{kjt.set}': it mixes forms, or lists with"
                " and without weights; name another set"
            )
        self.placed.add(("kjt", kjt.set, column.name))
        made.keys.append(column.name)
        if form == "ikjt":
            self.add_own(column.name, "ikjt", dtype=self.index_dtype, bit_cast=True)
            if weights is not None:
                self.add_own(weights, "ikjt", dtype="float32")
            return
        layout = "kjt" if form == "expanded" else "vbe"
        self.add(column.name, layout, dtype=self.index_dtype, bit_cast=True, set=kjt.set)
        if weights is not None:
            self.add(weights, layout, dtype="float32", set=weights_set(kjt.set))


def weights_set(ids_set: str) -> str:
    """The set of the weights of a set of ids."""
    return ids_set + ".weights"


def _is_integer(column: Column) -> bool:
    return "int" in column.type


def _add_key_column(plan: Plan, column: Column, kjt: Kjt, explicit: bool) -> None:
    if column.kind == "weighted":
        if column.name.endswith(".weights"):
            return  # Comes with its ids.
        kjt_set = kjt.set if explicit else WEIGHTED
        plan.add_key(column, Kjt((), kjt.form, kjt_set), weights=column.feature + ".weights")
    else:
        plan.add_key(column, kjt)


def _add_by_kind(plan: Plan, column: Column, form: str) -> None:
    """Puts a column that was named alone where the table of this module says."""
    kind = column.kind
    if kind == "dense":
        plan.add_dense(column.name, Dense(()))
    elif kind == "label":
        plan.add_dense(column.name, Dense((), set=LABELS))
    elif kind == "weighted" or (kind in ("list", "sequence", "key") and _is_integer(column)):
        _add_key_column(plan, column, Kjt((), form), explicit=False)
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
            kjt = Kjt((), asked.form or form, asked.set)
            _add_key_column(plan, column, kjt, explicit=True)


def _names_of(asked: Projection) -> list[str]:
    return name_list(asked if isinstance(asked, str) else asked.names)


def name_list(names: Iterable[str] | str) -> list[str]:
    """One name, or several."""
    return [names] if isinstance(names, str) else list(names)


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
    features: Projection | Sequence[Projection] | None,
    form: str = "expanded",
    index_dtype: str = "int64",
    transforms: Transforms | None = None,
) -> Plan:
    """Makes a plan of what was asked for; None: everything, or with transforms all that they make.
    Reads directories, no data.

    NotFound: a name or pattern that fits nothing that a file has or a step makes. InvalidArgument:
    no name, a column asked for in two ways, a form, a dtype. Both and BadInput: a step that cannot
    be.
    """
    pipeline = native_pipeline(transforms)
    plan = Plan(index_dtype, pipeline)
    if features is None and pipeline is not None:
        made = [column for column in dataset.columns(pipeline) if column.is_made]
        for column in made:
            _add_by_kind(plan, column, form)
        _add_weights_alone(plan, made)
        return plan
    everything = features is None
    if features is None:
        features = ["*"]
    elif isinstance(features, str) or not isinstance(features, Sequence):
        features = [features]
    asked = [(one, name) for one in features for name in _names_of(one)]
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

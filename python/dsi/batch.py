"""A batch as arrays of the framework that was asked for.

All arrays of a batch lie in one slab of memory and share it without a copy. They are made when they
are asked for. The slab is used again for another batch when neither the batch nor an array of it
is left, so arrays may outlive batch, scan and dataset.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from . import _dsi
from ._frameworks import Convert, SlabViews, TorchSlab
from .errors import InvalidArgument, NotFound
from .projections import LABELS, Plan, weights_set


@dataclass(frozen=True, slots=True)
class PaddedTensors:
    """values [rows, L], lengths int32 [rows], present bool [rows].

    Rows are those of the batch, or, where `inverse` int32 [B] is given, its U unique rows.
    """

    values: Any
    lengths: Any
    present: Any
    inverse: Any = None


@dataclass(frozen=True, slots=True)
class JaggedTensors:
    """values [N], offsets int64 [B + 1], present bool [B]."""

    values: Any
    offsets: Any
    present: Any


@dataclass(frozen=True, slots=True)
class IkjtTensors:
    """values [N], offsets int64 [U + 1], present bool [U] of unique rows, inverse int32 [B]."""

    values: Any
    offsets: Any
    present: Any
    inverse: Any
    weights: Any = None


@dataclass(frozen=True, slots=True)
class KjtParts:
    """What a KeyedJaggedTensor is made of; lists are what TorchRec keeps on the host.

    Expanded: lengths [F * B], offsets [F * B + 1], `stride_per_key` and `inverse` None. VBE:
    lengths [U] and offsets [U + 1], U the sum of `stride_per_key` [F], inverse int64 [F, B].
    `length_per_key` [F] and `offset_per_key` [F + 1] count values. weights: as values, float32.
    """

    keys: list[str]
    rows: int
    values: Any
    lengths: Any
    offsets: Any
    length_per_key: list[int]
    offset_per_key: list[int]
    stride_per_key: list[int] | None = None
    inverse: Any = None
    weights: Any = None


# By accessor, what reads a column for it.
_ASKED_AS = {
    "padded": "dsi.Padded({})",
    "jagged": "dsi.Jagged({})",
    "ikjt": "dsi.Jagged({}, unique=True)",
}


class Batch:
    """Rows of a scan. Thread safety: const use from many threads.

    Pickled as one array (`framework` 'numpy' or 'torch'), so that worker processes hand batches on;
    torch's move that array into shared memory. source: of a mixture (`dsi.mix`), which of its
    loaders the batch is of, by number or name; else None.
    """

    __slots__ = ("__weakref__", "_convert", "_made", "_plan", "_scan", "native", "source")

    def __init__(
        self,
        native: _dsi.Batch,
        scan: _dsi.Scan,
        plan: Plan,
        convert: Convert,
        source: int | str | None = None,
    ):
        self.native = native
        self.source = source
        self._scan = scan
        self._plan = plan
        self._convert = convert
        self._made: dict[tuple[str, bool], Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        from ._stored import store

        return store(self)

    def __len__(self) -> int:
        return self.native.num_rows

    def __repr__(self) -> str:
        return f"dsi.Batch(rows {self.first_row} to {self.first_row + len(self)})"

    @property
    def num_rows(self) -> int:
        """Rows of the batch, B."""
        return self.native.num_rows

    @property
    def first_row(self) -> int:
        """Row of the dataset where the batch starts, in file order."""
        return self.native.first_row

    @property
    def slab(self) -> Any:
        """All arrays of the batch as one, uint8 [bytes], for a single copy to a device."""
        if isinstance(self._convert, SlabViews):
            return self._convert.slab
        return self._convert(self.native.slab)

    def rows(self) -> tuple[Any, Any]:
        """Of each row its file (uint32, position in `Dataset.files`) and its row there (uint64)."""
        files, rows = self._scan.rows_of(self.native)
        return self._convert(files), self._convert(rows)

    def _all(self, name: str, tensors: tuple[_dsi.Tensor, ...]) -> list[Any]:
        """Arrays of a column. InvalidArgument: one of a type that the framework lacks."""
        try:
            return [self._convert(tensor) for tensor in tensors]
        except InvalidArgument as error:
            raise InvalidArgument(f"{name!r}: {error}") from None

    # -- Matrices of numbers.

    def _dense(self, set: str, flat: bool = False) -> tuple[_dsi.Tensor, ...]:
        """The matrix of a set, and where numbers are. NotFound: no such set."""
        if set not in self._plan.dense:
            raise self._no_dense(set)
        return self.native.dense(set, flat)

    def _no_dense(self, set: str) -> NotFound:
        called = {"": "batch.dense", LABELS: "batch.labels"}
        there = ", ".join(called.get(one, repr(one)) for one in self._plan.dense) or "none"
        advice = {
            "": "name features of kind dense, or dsi.Dense(names)",
            LABELS: "name features of kind label, or dsi.Labels(names)",
        }.get(set, f"dsi.Dense(names, set={set!r}) reads them so")
        what = f"as {called[set]}" if set in called else f"as set {set!r}"
        return NotFound(f"no columns are read {what}; there are: {there}; {advice}")

    def dense_of(self, set: str = "") -> Any:
        """The matrix [B, D] of a set of dense columns, in the order of `dense_names(set)`."""
        return self._matrix(set, flat=False)

    def _matrix(self, set: str, flat: bool) -> Any:
        made = self._made.get((set, flat))
        if made is None:
            # Of one column flat at once: what a framework does first for a batch costs more than
            # all the rest here, as its code has left the cache.
            made = self._made[(set, flat)] = self._convert(self._dense(set, flat)[0])
        return made

    def dense_names(self, set: str = "") -> list[str]:
        """The columns of `dense_of(set)`; those of `dense` and `labels` may be none. NotFound:
        another set that there is not."""
        if set not in self._plan.dense and set not in ("", LABELS):
            raise self._no_dense(set)
        return list(self._plan.dense.get(set, ()))

    def dense_present(self, set: str = "") -> Any:
        """bool [B, D]: where a number is stored; elsewhere the default or pad value stands."""
        return self._convert(self._dense(set)[1])

    @property
    def dense(self) -> Any:
        """Dense features, float32 [B, D]."""
        return self.dense_of("")

    @property
    def labels(self) -> Any:
        """Labels, float32: [B] where there is one, else [B, T]."""
        return self._matrix(LABELS, flat=len(self._plan.dense.get(LABELS, ())) == 1)

    # -- Columns with arrays of their own.

    def _layout(self, name: str, *expected: str) -> str:
        layout = self._plan.layouts.get(name)
        if layout in expected:
            return layout
        place = self._plan.place_of(name)
        if not place:
            near = difflib.get_close_matches(name, self._plan.names_read(), n=3)
            hint = f"; near it: {', '.join(near)}" if near else ""
            raise NotFound(f"no column named {name!r} is read here{hint}")
        method = expected[0]
        asked = _ASKED_AS[method].format(repr(name))
        kind = NotFound if layout is None else InvalidArgument
        raise kind(f"{name!r} is in {place}; {asked} reads it for batch.{method}({name!r})")

    def padded(self, name: str) -> PaddedTensors:
        """A column that was asked for as `Padded`."""
        if self._layout(name, "padded", "padded_ikjt") == "padded":
            return PaddedTensors(*self._all(name, self.native.padded(name)))
        return PaddedTensors(*self._all(name, self.native.padded_ikjt(name)))

    def jagged(self, name: str) -> JaggedTensors:
        """A column that was asked for as `Jagged`."""
        self._layout(name, "jagged")
        return JaggedTensors(*self._all(name, self.native.jagged(name)))

    def ikjt(self, name: str) -> IkjtTensors:
        """A column that was asked for as `Jagged(unique=True)` or as a key of form 'ikjt'."""
        self._layout(name, "ikjt")
        return IkjtTensors(*self._all(name, self.native.ikjt(name)))

    # -- KeyedJaggedTensors.

    def kjt_parts(self, set: str = "") -> KjtParts:
        """The arrays of a KeyedJaggedTensor, without TorchRec. NotFound: no such set."""
        asked = self._plan.kjts.get(set)
        if asked is None:
            known = ", ".join(f"'{name}'" for name in self._plan.kjts) or "none"
            named = f", set={set!r}" if set else ""
            raise NotFound(
                f"no keys are read as set '{set}'; there are: {known}; dsi.Kjt(names{named}) reads"
                " them so"
            )
        convert, rows = self._convert, self.num_rows
        if asked.form == "ikjt":
            raise InvalidArgument(f"set '{set}' is read as 'ikjt': batch.kjt(set) is a dict of it")
        if asked.form == "expanded":
            keys, values, lengths, offsets, length_per_key, offset_per_key = self.native.kjt(set)
            strides = inverse = None
        else:
            made = self.native.vbe(set)
            keys, values, lengths, offsets, strides, length_per_key, offset_per_key = made[:7]
            inverse = convert(made[7])
        weights = None
        if asked.weighted:
            of = weights_set(set)
            weights = (self.native.kjt if asked.form == "expanded" else self.native.vbe)(of)[1]
            weights = convert(weights)
        return KjtParts(
            keys,
            rows,
            convert(values),
            convert(lengths),
            convert(offsets),
            length_per_key,
            offset_per_key,
            strides,
            inverse,
            weights,
        )

    def kjt(self, set: str = "") -> Any:
        """A torchrec KeyedJaggedTensor with all cached metadata, so that its use waits for nothing.

        With form 'ikjt': a dict of `IkjtTensors` by key. Weighted lists that were named alone are
        in set 'weighted'.
        """
        asked = self._plan.kjts.get(set)
        if asked is not None and asked.form == "ikjt":
            made = {key: self.ikjt(key) for key in asked.keys}
            if not asked.weighted:
                return made
            return {key: self._with_weights(key, ikjt) for key, ikjt in made.items()}
        from .torchrec import make_kjt

        return make_kjt(self.kjt_parts(set))

    def _with_weights(self, key: str, ikjt: IkjtTensors) -> IkjtTensors:
        weights = self.ikjt(key.removesuffix(".ids") + ".weights").values
        return IkjtTensors(ikjt.values, ikjt.offsets, ikjt.present, ikjt.inverse, weights)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """The batch for programs of Arrow (`pyarrow.record_batch(batch)`), which share its memory.

        InvalidArgument: a column is read as part of a matrix or of a KeyedJaggedTensor; name it as
        `Jagged` or `Padded`, or use `Dataset.arrow`.
        """
        return self._plan.arrow_output(self._scan).batch(self.native)

    # -- What torch's and TorchRec's loaders call.

    def _on(self, slab: Any) -> Batch:
        return Batch(self.native, self._scan, self._plan, TorchSlab(slab), self.source)

    def _torch_slab(self) -> Any:
        slab = self.slab
        if type(slab).__module__.split(".")[0] != "torch":
            raise InvalidArgument("only batches of framework='torch' can be copied to a device")
        return slab

    def to(self, device: Any, non_blocking: bool = False) -> Batch:
        """The batch on a device: one copy of the slab, whatever the number of features."""
        return self._on(self._torch_slab().to(device, non_blocking=non_blocking))

    def pin_memory(self, device: Any = None) -> Batch:
        """The batch in pinned memory; itself where it is there already."""
        slab = self._torch_slab()
        return self if slab.is_pinned() else self._on(slab.pin_memory())

    def record_stream(self, stream: Any) -> None:
        """Keeps the slab from being used again before the stream is done with it."""
        self._torch_slab().record_stream(stream)

    @property
    def dense_features(self) -> Any:
        """`dense`, by the name that TorchRec's models take of a batch."""
        return self.dense

    @property
    def sparse_features(self) -> Any:
        """`kjt()`, by the name that TorchRec's models take of a batch."""
        return self.kjt()

"""A batch on its way to another process: its slab as one array, and where in it the tensors lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, cast

from . import _dsi
from ._dsi import Tensor
from ._frameworks import NumpySlab, TorchSlab
from .errors import InvalidArgument
from .projections import Plan, weights_set

if TYPE_CHECKING:
    from .batch import Batch


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """What `SlabViews` need of a tensor."""

    slab_offset: int
    nbytes: int
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """In place of the library's batch, and of its scan: what they gave, by view and name."""

    num_rows: int
    first_row: int
    made: dict[tuple[str, str], tuple[Any, ...]]
    files: bytearray
    rows: bytearray

    def dense(self, set: str = "", flat: bool = False) -> tuple[Any, ...]:
        made = self.made["dense", set]
        return tuple(replace(part, shape=(prod(part.shape),)) for part in made) if flat else made

    def kjt(self, set: str = "") -> tuple[Any, ...]:
        return self.made["kjt", set]

    def vbe(self, set: str = "") -> tuple[Any, ...]:
        return self.made["vbe", set]

    def padded(self, name: str) -> tuple[Any, ...]:
        return self.made["padded", name]

    def padded_ikjt(self, name: str) -> tuple[Any, ...]:
        return self.made["padded_ikjt", name]

    def jagged(self, name: str) -> tuple[Any, ...]:
        return self.made["jagged", name]

    def ikjt(self, name: str) -> tuple[Any, ...]:
        return self.made["ikjt", name]

    def rows_of(self, batch: object) -> tuple[memoryview, memoryview]:
        return memoryview(self.files).cast("I"), memoryview(self.rows).cast("Q")


def _views(plan: Plan) -> list[tuple[str, str]]:
    """All that a batch of this plan can be asked for."""
    views = [("dense", set) for set in plan.dense]
    for set, kjt in plan.kjts.items():
        if kjt.form != "ikjt":
            form = "kjt" if kjt.form == "expanded" else "vbe"
            views.append((form, set))
            if kjt.weighted:
                views.append((form, weights_set(set)))
    return views + [(layout, name) for name, layout in plan.layouts.items()]


def _stored(part: Any) -> Any:
    """Of a tensor where it lies; lists and the like as they are. Empty ones lie nowhere."""
    if not isinstance(part, Tensor):
        return part
    return StoredTensor(max(part.slab_offset, 0), part.nbytes, part.dtype, part.shape)


def store(batch: Batch) -> tuple[Any, ...]:
    """What `pickle` makes the batch of again. InvalidArgument: arrays of another framework."""
    slab, plan = batch.slab, batch._plan
    native: object = batch.native
    framework = type(slab).__module__.split(".")[0]
    if framework not in ("torch", "numpy"):
        raise InvalidArgument(
            "batches cross processes with framework='torch' or 'numpy': scan with one of these"
        )
    if isinstance(native, StoredBatch):
        stored = native
    else:
        assert isinstance(native, _dsi.Batch)
        made = {}
        for view, name in _views(plan):
            made[view, name] = tuple(_stored(part) for part in getattr(native, view)(name))
        files, rows = (bytearray(cast(Any, part)) for part in batch._scan.rows_of(native))
        stored = StoredBatch(native.num_rows, native.first_row, made, files, rows)
    light = Plan(plan.index_dtype, dense=plan.dense, kjts=plan.kjts, layouts=plan.layouts)
    return _restore, (framework, slab, stored, light, batch.source)


def _restore(
    framework: str, slab: Any, stored: StoredBatch, plan: Plan, source: int | str | None
) -> Batch:
    from .batch import Batch

    convert = TorchSlab(slab) if framework == "torch" else NumpySlab(slab)
    native = cast(_dsi.Batch, stored)
    return Batch(native, cast(_dsi.Scan, stored), plan, convert, source)

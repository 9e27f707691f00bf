"""Batches in pinned memory of torch's, which a GPU reads while the CPU goes on.

torch allocates the slab, so its allocator knows which copies still read it: a slab is not used
again before they are done.
"""

from __future__ import annotations

from typing import Any

from . import _dsi
from ._frameworks import TorchSlab, need
from .batch import Batch
from .dataset import Scan
from .errors import InvalidArgument
from .projections import Plan


def check_pinned() -> None:
    """InvalidArgument: torch finds no CUDA, whose driver pins memory."""
    torch = need("torch", "torch", "pin_memory=True")
    if not torch.cuda.is_available():
        raise InvalidArgument(
            "pin_memory=True needs CUDA, which torch does not find here: leave it out"
        )


def allocate(size: int) -> tuple[int, Any]:
    """Address and owner of so many bytes, for the library's threads."""
    import torch

    slab = torch.empty(size, dtype=torch.uint8, pin_memory=True)
    return slab.data_ptr(), slab


class PinnedScan(Scan):
    """A scan whose batches torch knows as pinned."""

    def __init__(self, native: _dsi.Scan, plan: Plan):
        super().__init__(native, plan, "torch")

    def __next__(self) -> Batch:
        batch = self.native.next()
        if batch is None:
            raise StopIteration
        owner: Any = batch.owner
        convert = self._convert if owner is None else TorchSlab(owner[: batch.slab.nbytes])
        return Batch(batch, self.native, self._plan, convert)

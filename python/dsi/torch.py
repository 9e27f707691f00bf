"""A loader as torch's DataLoader takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._frameworks import need
from .batch import Batch
from .loader import Loader

if TYPE_CHECKING:
    from torch.utils.data import IterableDataset
else:
    IterableDataset = need("torch.utils.data", "torch", "framework='torch'").IterableDataset


class TorchLoader(Loader, IterableDataset[Batch]):
    """A `Loader` that is a torch.utils.data.IterableDataset.

    DataLoader(loader, batch_size=None) and StatefulDataLoader take it, with any number of workers.
    Workers share the rank's batches, each a run of them: all together give what the loader gives,
    neither more nor less. None are needed: threads of the library make batches ahead.
    """

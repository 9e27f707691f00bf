"""A loader as the root of a graph of torchdata's nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._frameworks import need
from .batch import Batch
from .epochs import Epochs

if TYPE_CHECKING:
    from torchdata.nodes import BaseNode
else:
    BaseNode = need("torchdata.nodes", "torchdata", "dsi.torchdata").BaseNode


class LoaderNode(BaseNode[Batch]):  # type: ignore[misc]
    """Batches of a loader, as a torchdata.nodes.BaseNode: one epoch after each `reset`.

    Its state is that of the loader, so it needs no prefetching node to go on exactly. A reset
    without a state begins what iter(loader) begins. From one thread at a time.
    """

    def __init__(self, loader: Epochs):
        super().__init__()
        self._loader = loader
        self._iterator: Iterator[Batch] = iter(())

    def reset(self, initial_state: dict[str, Any] | None = None) -> None:
        """Begins an epoch, or goes on from what `get_state` gave."""
        super().reset(initial_state)
        if initial_state is not None:
            self._loader.load_state_dict(initial_state)
        self._iterator = iter(self._loader)

    def next(self) -> Batch:
        """The next batch; StopIteration at the end of the epoch."""
        return next(self._iterator)

    def get_state(self) -> dict[str, Any]:
        """Behind the last batch that `next` gave."""
        return self._loader.state_dict()

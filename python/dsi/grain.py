"""A loader as a source of Grain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._frameworks import need
from .batch import Batch
from .loader import Loader

if TYPE_CHECKING:
    from grain import DatasetIterator, IterDataset
else:
    grain = need("grain", "grain", "dsi.grain")
    IterDataset, DatasetIterator = grain.IterDataset, grain.DatasetIterator


class LoaderDataset(IterDataset[Batch]):  # type: ignore[misc]
    """Batches of a loader as a grain.IterDataset: so many epochs (None: without end), each in an
    order of its own. Iterators are independent of each other and of the loader.

    Processes of mp_prefetch share each epoch's batches, all of which come once.
    """

    def __init__(self, loader: Loader, epochs: int | None = 1):
        super().__init__()
        self._loader = loader
        self._epochs = epochs
        self._worker: tuple[int, int] | None = None

    def set_slice(self, sl: slice, sequential_slice: bool = False) -> None:
        """Restricts it to one of several processes; Grain calls it."""
        if (sl.step or 1) > 1:
            self._worker = (sl.start or 0, sl.step)

    def __iter__(self) -> LoaderIterator:
        loader = self._loader.copy(self._worker)
        end = None if self._epochs is None else loader.epoch + self._epochs
        return LoaderIterator(loader, end)

    def __str__(self) -> str:
        return f"dsi.grain.LoaderDataset({self._loader!r})"


class LoaderIterator(DatasetIterator[Batch]):  # type: ignore[misc]
    """Made by `LoaderDataset`. State and order are those of the loader. One thread at a time."""

    def __init__(self, loader: Loader, end: int | None):
        super().__init__()
        self._loader = loader
        self._end = end
        self._iterator: Iterator[Batch] | None = None

    def __next__(self) -> Batch:
        # Of two epochs one at least is whole: if both are empty, all are.
        for _ in range(2):
            if self._end is not None and self._loader.epoch >= self._end:
                break
            if self._iterator is None:
                self._iterator = iter(self._loader)
            batch = next(self._iterator, None)
            if batch is not None:
                return batch
            self._iterator = None
        raise StopIteration

    def get_state(self) -> dict[str, Any]:
        """Behind the last batch that was given."""
        return self._loader.state_dict()

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from what `get_state` gave. BadInput: it is of something else."""
        self._iterator = None
        self._loader.load_state_dict(state)

    def close(self) -> None:
        """Gives back threads and memory."""
        self._loader.close()
        super().close()

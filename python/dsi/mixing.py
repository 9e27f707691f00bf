"""Several loaders as one: batches of each by its weight.

mixed = dsi.mix({"clicks": (clicks_loader, 3), "sales": (sales_loader, 1)}, exhausted="repeat")
for batch in mixed:
    loss = heads[batch.source](batch)
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _dsi
from ._metrics import label_text
from .batch import Batch
from .dataset import Scan
from .epochs import Epochs, Position
from .errors import InvalidArgument
from .loader import Loader

Weighted = tuple[Loader, int]
Sources = Mapping[str, Weighted] | Sequence[Weighted]


class MixedPass(Iterator[Batch]):
    """The batches of one epoch of a mixture, or of what is left of it."""

    def __init__(self, native: _dsi.MixedScan, loaders: Sequence[Loader], names: Sequence[Any]):
        self._native = native
        self._loaders = loaders
        self._names = names
        self._scans: list[Scan | None] = [None] * len(loaders)
        for source in range(len(loaders)):  # What batches import is imported now.
            self._scan_of(source)

    def _scan_of(self, source: int) -> Scan | None:
        native = self._native.scan(source)
        known = self._scans[source]
        if native is not None and (known is None or known.native is not native):
            known = self._scans[source] = self._loaders[source]._wrap(native)
        return known

    def __next__(self) -> Batch:
        native = self._native.next()
        if native is None:
            raise StopIteration
        source = self._native.source
        scan = self._scan_of(source)
        assert scan is not None
        batch = scan.wrap(native)
        batch.source = self._names[source]
        return batch

    def close(self) -> None:
        self._native.close()

    @property
    def num_batches(self) -> int | None:
        return self._native.num_batches

    @property
    def state(self) -> str:
        return self._native.state

    @property
    def stats(self) -> dict[str, Any]:
        scans = [self._scan_of(source) for source in range(len(self._loaders))]
        return {
            str(name): {} if scan is None else scan.stats
            for name, scan in zip(self._names, scans, strict=True)
        }

    def prometheus_text(self, labels: Mapping[str, object] | None = None) -> str:
        given = dict(labels or {})
        label_text(given, ("stage", "source"))
        each = [label_text({**given, "source": name}) for name in self._names]
        return self._native.prometheus_text(each)

    @property
    def is_repeated(self) -> bool:
        scan = self._scan_of(self._native.source)
        return scan is not None and scan.is_repeated


class MixedLoader(Epochs):
    """Batches of several loaders by weight, epoch after epoch; made by `mix`.

    Which source gives the next batch is a function of the weights alone: after any number of
    batches each has given its part, less than one batch off, and over as many as the weights sum up
    to exactly its weight. Ranks whose sources have equally many batches (remainder 'drop' or 'pad')
    have the same source at each step.

    Iteration, epochs, states, ranks and threads are those of `Loader`; `stats` are by source, and
    lines of `prometheus_text` have a label source. In a worker of torch's DataLoader it works where
    that is the only one.
    """

    def __init__(self, sources: Sources, exhausted: str, epoch: int = 0):
        super().__init__(epoch)
        is_named = isinstance(sources, Mapping)
        pairs = list(sources.values() if isinstance(sources, Mapping) else sources)
        self._names: list[Any] = list(sources) if is_named else list(range(len(pairs)))
        self._loaders: list[Loader] = []
        self._weights: list[int] = []
        for name, pair in zip(self._names, pairs, strict=True):
            self._add(name, pair)
        self._exhausted = exhausted
        self._is_named = is_named
        if self._loaders:
            self.rank, self.world = self._loaders[0].rank, self._loaders[0].world
        self._open(self._where_next(), read_ahead_bytes=0).close()  # What is wrong is told now.

    def _add(self, name: Any, pair: Weighted) -> None:
        loader, weight = pair
        if not isinstance(loader, Loader):
            raise TypeError(
                f"source {name!r} is a {type(loader).__name__}, expected a loader: dataset.loader()"
            )
        try:
            whole = operator.index(weight)
        except TypeError:
            raise InvalidArgument(
                f"source {name!r}: weight {weight!r}; weights are whole numbers, such as 7 and 3"
                " for 0.7 and 0.3"
            ) from None
        first = self._loaders[0] if self._loaders else loader
        if (loader.rank, loader.world) != (first.rank, first.world):
            raise InvalidArgument(
                f"source {name!r} is for rank {loader.rank} of {loader.world}, the first for rank"
                f" {first.rank} of {first.world}: give all of them the same"
            )
        if loader._pin_memory != first._pin_memory:
            raise InvalidArgument(
                f"source {name!r}: pin_memory is {loader._pin_memory}, of the first"
                f" {first._pin_memory}: memory goes from source to source, give all the same"
            )
        self._loaders.append(loader)
        self._weights.append(whole)

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{name}: {weight}" for name, weight in zip(self._names, self._weights, strict=True)
        )
        return f"dsi.MixedLoader({parts}; rank {self.rank} of {self.world}, epoch {self.epoch})"

    def __reduce__(self) -> tuple[Any, ...]:
        pairs = list(zip(self._loaders, self._weights, strict=True))
        sources = dict(zip(self._names, pairs, strict=True)) if self._is_named else pairs
        return _rebuild, (sources, self._exhausted, self._where_next())

    def __len__(self) -> int:
        """As of `Loader`; TypeError: with exhausted='repeat' there is no end."""
        if self._exhausted == "repeat":
            raise TypeError(
                "a mixture with exhausted='repeat' has no end and no length: count steps, or take"
                " itertools.islice(loader, steps)"
            )
        return super().__len__()

    def _open(self, at: Position, allocate: Any = None, **others: Any) -> _dsi.MixedScan:
        start = Position(at.epoch)
        sources = [
            (loader._dataset.native, weight, loader._options(start, **others))
            for loader, weight in zip(self._loaders, self._weights, strict=True)
        ]
        return _dsi.MixedScan(sources, exhausted=self._exhausted, state=at.state, allocate=allocate)

    def _begin(self, at: Position, worker: tuple[int, int] | None) -> MixedPass:
        if worker is not None and worker[1] > 1:
            raise InvalidArgument(
                f"a mixture cannot be shared by {worker[1]} workers, whose turns would differ: use"
                " num_workers=0 (threads of the library make batches ahead), or 1"
            )
        for loader in self._loaders:
            loader._check_rank()
        native = self._open(at, self._loaders[0]._allocate())
        return MixedPass(native, self._loaders, self._names)

    def _count(self, at: Position, rank: int | None = None) -> int:
        others = {} if rank is None else {"rank": rank}
        scan = self._open(at, read_ahead_bytes=0, **others)
        count = scan.num_batches
        scan.close()
        return 1 if count is None else count  # Without end: some are left.

    def _snapshot(self) -> str:
        return "+".join(loader._snapshot() for loader in self._loaders)


def mix(
    sources: Sources,
    *,
    exhausted: str = "stop",
    epoch: int = 0,
    state: Mapping[str, Any] | None = None,
) -> MixedLoader:
    """Batches of several loaders, each of one source, by weight.

    sources: pairs (loader, weight), or a dict of them by name; `batch.source` is the number or the
    name. A weight is a whole number: batches of this source for each of another of weight 1. Of a
    loader what it reads, in which order and for which rank; where it stands itself does not count.
    exhausted: what happens when it is the turn of a source that has no batch left. 'stop': the end;
    'drop': the others go on by their weights until all have ended; 'repeat': it begins anew, in
    the order of the next epoch, without end.
    epoch, state: where it begins; state is what `state_dict()` of the mixture gave.

    InvalidArgument: no source, weights out of range, loaders of different ranks, a source without
    batches that is to be repeated. Reads no data.
    """
    if not isinstance(sources, Mapping):
        sources = list(sources)
    pairs = sources.values() if isinstance(sources, Mapping) else sources
    made: type[MixedLoader] = MixedLoader
    if any(isinstance(loader, Loader) and loader._framework == "torch" for loader, _ in pairs):
        from .torch import TorchMixedLoader as made
    mixed = made(sources, exhausted, epoch)
    if state:
        mixed.load_state_dict(state)
    return mixed


def _rebuild(sources: Sources, exhausted: str, where: Position) -> MixedLoader:
    """What a pickled mixture becomes."""
    mixed = mix(sources, exhausted=exhausted)
    mixed._next = where
    return mixed

"""What loaders have in common: epochs, one iteration at a time, and states to go on from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from ._checks import whole
from .batch import Batch
from .errors import BadInput, InvalidArgument
from .ranks import worker_of_process

VERSION = 1


class EpochScan(Protocol):
    """The batches of one epoch, or of what is left of it."""

    def __next__(self) -> Batch: ...

    def close(self) -> None: ...

    @property
    def state(self) -> str: ...

    @property
    def stats(self) -> dict[str, Any]: ...

    def prometheus_text(self, labels: Mapping[str, object] | None = None) -> str: ...

    @property
    def is_repeated(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Position:
    """Where an iteration begins: an epoch, a state of its scan ('': its start), and of which worker
    of how many the state is (None: of all ranks)."""

    epoch: int
    state: str = ""
    worker: tuple[int, int] | None = None


class Iteration(Iterator[Batch]):
    """One pass over what an epoch has left. One thread at a time."""

    __slots__ = ("_ended", "_scan", "began", "epoch", "finished", "process", "worker")

    def __init__(self, scan: EpochScan, began: Position, worker: tuple[int, int] | None):
        self._scan = scan
        self._ended = ""
        self.began = began
        self.epoch = began.epoch
        self.worker = worker
        self.finished = False
        self.process = os.getpid()

    def __next__(self) -> Batch:
        if self._ended:
            raise InvalidArgument(f"this iteration ended: {self._ended}; begin another with iter()")
        try:
            return next(self._scan)
        except StopIteration:
            self.finished = True
            raise

    @property
    def position(self) -> Position:
        """Behind the last batch that was handed out."""
        return Position(self.epoch, self._scan.state, self.worker)

    @property
    def scan(self) -> EpochScan:
        return self._scan

    def close(self) -> None:
        self.end("the loader was closed")
        if self.process == os.getpid():
            self._scan.close()

    def end(self, why: str) -> None:
        """Gives back threads and memory. In a process forked since, which has neither, and at the
        end of the epoch, where batches on their way to other processes ask for their rows: nothing.
        """
        if not self.finished and not self._ended and self.process == os.getpid():
            self._scan.close()
        self._ended = why


class Epochs(Iterable[Batch]):
    """The base of loaders: who derives from it says how an epoch begins and how long it is."""

    rank: int
    world: int

    def __init__(self, epoch: int = 0):
        self._running: Iteration | None = None
        self._next: Position | None = Position(whole("epoch", epoch))
        self._told_worker: tuple[int, int] | None = None

    # -- What a loader is made of.

    def _begin(self, at: Position, worker: tuple[int, int] | None) -> EpochScan:
        """Batches from a position on: of this rank, or of a worker that it has."""
        raise NotImplementedError

    def _count(self, at: Position, rank: int | None = None) -> int:
        """Batches of this rank, or of another one, from a position on; reads no data."""
        raise NotImplementedError

    def _snapshot(self) -> str:
        """Of all that is read: another content, another text."""
        raise NotImplementedError

    # -- What users see.

    def __iter__(self) -> Iterator[Batch]:
        """Begins an epoch: the one that was loaded or set, the next one after an epoch that came to
        its end, the same anew after one that did not; in workers of torch's DataLoader that stay
        the next one in any case, as one of them may be at its end when others are not. What ran
        before is over."""
        at, worker = self._where_next(), self._worker()
        self._end("another iteration of the loader has begun")
        iteration = Iteration(self._begin(at, worker), at, worker)
        self._running, self._next = iteration, None
        return iteration

    def __len__(self) -> int:
        """Batches that this rank gets of the epoch that runs, or else of the next, exactly: after
        `load_state_dict` those that are left. Reads no data."""
        running = self._running
        if running is not None and self._is_running():
            return self._count(running.began)
        return self._count(self._where_next())

    @property
    def epoch(self) -> int:
        """The epoch that runs, or else the one that iter() begins."""
        running = self._running
        if running is not None and self._is_running():
            return running.epoch
        return self._where_next().epoch

    def set_epoch(self, epoch: int) -> None:
        """Lets the next iter() begin this epoch. A position in it that was loaded stays.

        InvalidArgument: no whole number from 0.
        """
        epoch = whole("epoch", epoch)
        if self._next is None or self._next.epoch != epoch:
            self._end("set_epoch was called")
            self._next = Position(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Where the loader stands, small and fit for JSON. Batches made ahead do not count.

        It stands for all ranks if each has handed out as many batches; `join_states` makes one of
        those of ranks that have not. Another world, other workers and threads may go on from it.
        """
        at = self._position()
        made = {
            "dsi_loader_state": VERSION,
            "snapshot": self._snapshot(),
            "epoch": at.epoch,
            "rank": [self.rank, self.world],  # Who says so, for `join_states`.
            "state": at.state,
        }
        if at.worker is not None:
            made["worker"] = list(at.worker)
        return made

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Lets the next iter() go on behind the last batch that had been handed out; at the end of
        an epoch with the next one. What runs is over.

        BadInput: it is none of `state_dict`, or of another dataset, order or batch size.
        """
        at, worker = self._position_of(state), self._worker()
        if at.worker != worker and at.worker is not None:
            raise BadInput(
                f"the state is of worker {at.worker[0]} of {at.worker[1]}: give the whole state of"
                " the StatefulDataLoader to one with as many workers"
            )
        if at.worker is None and at.state and worker is None and self._count(at, rank=0) == 0:
            at = Position(at.epoch + 1)
        self._end("load_state_dict was called")
        self._next = at

    @property
    def stats(self) -> dict[str, Any]:
        """What the iteration that runs, or ran last, has read, decoded and handed out, and where
        the time went, in seconds. Empty: none began."""
        return {} if self._running is None else self._running.scan.stats

    def prometheus_text(self, labels: Mapping[str, object] | None = None) -> str:
        """`stats` in Prometheus' text format, as an exporter serves it; names begin with dsi_scan_.
        labels, such as {"job": "ranker"}, go into every line. Counters begin at 0 with each
        iteration, as with a process that was started anew; empty: none began.

        InvalidArgument: a name that no label may have.
        """
        return "" if self._running is None else self._running.scan.prometheus_text(labels)

    @property
    def is_repeated(self) -> bool:
        """The last batch was handed out before, by this rank or another (remainder='pad')."""
        return self._running is not None and self._running.scan.is_repeated

    def close(self) -> None:
        """Ends what runs and gives back its threads and memory. The state stays; iter() begins
        the epoch anew."""
        if self._running is not None:
            self._running.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- The rest.

    def _worker(self) -> tuple[int, int] | None:
        """(worker, workers) among which the batches of the rank are divided; None: they are not."""
        return self._told_worker or worker_of_process()

    def _is_running(self) -> bool:
        return self._next is None and self._running is not None and not self._running.finished

    def _position(self) -> Position:
        """Behind the last batch that was handed out, or where the loader was told to begin."""
        if self._next is not None:
            return self._next
        assert self._running is not None
        return self._running.position

    def _where_next(self) -> Position:
        """Where iter() begins."""
        if self._next is not None:
            return self._next
        running = self._running
        assert running is not None
        is_over = running.finished or (
            running.process == os.getpid() and worker_of_process() is not None
        )
        return Position(running.epoch + is_over)

    def _end(self, why: str) -> None:
        if self._running is not None:
            self._running.end(why)

    def _position_of(self, state: Mapping[str, Any]) -> Position:
        version = state.get("dsi_loader_state") if isinstance(state, Mapping) else None
        if version != VERSION:
            raise BadInput(
                f"dsi_loader_state is {version!r}, expected {VERSION}: this is no state_dict() of a"
                " loader of this version"
            )
        epoch, text, worker = state.get("epoch"), state.get("state"), state.get("worker")
        if not isinstance(epoch, int) or epoch < 0 or not isinstance(text, str):
            raise BadInput(f"a loader's state with epoch {epoch!r} and state {text!r}")
        if state.get("snapshot") != self._snapshot():
            raise BadInput(
                f"the state is of dataset snapshot {state.get('snapshot')}, this one is"
                f" {self._snapshot()}: its files were added, removed or changed"
            )
        return Position(epoch, text, None if worker is None else (int(worker[0]), int(worker[1])))

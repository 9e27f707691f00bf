"""The training loader: what a model reads of a dataset, epoch after epoch."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from . import _dsi
from ._frameworks import converter
from .batch import Batch
from .dataset import Scan
from .epochs import Epochs, Position
from .errors import BadInput, InvalidArgument
from .options import ReadKeywords, ScanKeywords, kept_keywords, make_options
from .projections import Features, feature_list, resolve
from .ranks import process_group, rank_and_world
from .shuffling import ShuffleReport

if TYPE_CHECKING:
    from .dataset import Dataset

# Half of it is for finished batches, half for pages: some ten batches of 4096 rows and 50 features.
READ_AHEAD_BYTES = 128 << 20


class Loader(Epochs):
    """Batches of one rank, epoch after epoch; made by `Dataset.loader`.

    `iter(loader)` begins an epoch, and the next one after an epoch that came to its end: each has
    an order of its own. One iteration at a time, from one thread. Threads of the library make
    batches ahead. Pickled by the dataset's paths and what was asked for; in another process, forked
    or spawned, iter() begins where it would have begun here. In a worker of torch's DataLoader it
    gives the worker's share of the rank's batches.
    """

    def __init__(
        self,
        dataset: Dataset,
        features: Features | None,
        framework: str,
        kjt: str,
        index_dtype: Any,
        pin_memory: bool,
        shuffle: bool | str,
        epoch: int,
        state: str | Mapping[str, Any] | None,
        rank: int | None,
        world: int | None,
        keywords: ReadKeywords,
    ):
        super().__init__(epoch)
        self._dataset = dataset
        self._framework = framework
        converter(framework)  # What is missing is told now.
        self._pin_memory = pin_memory
        self._is_told_rank = rank is not None
        self.rank, self.world = rank_and_world(rank, world)
        kept = kept_keywords(keywords)
        asked = None if features is None else feature_list(features)
        self._plan = resolve(dataset.native, asked, kjt, index_dtype, kept.get("transforms"))
        self._asked = (asked, kjt, self._plan.index_dtype)
        self._keywords: dict[str, Any] = {
            "read_ahead_bytes": READ_AHEAD_BYTES,
            "threads": None,
            **kept,
            "shuffle": shuffle,
        }
        self._options(self._where_next())  # What is wrong with keywords is told now.
        if pin_memory:
            self._check_pinned()
        if state:
            self.load_state_dict(self._state_of(state))

    def __repr__(self) -> str:
        return (
            f"dsi.Loader({self._dataset!r}, rank {self.rank} of {self.world}, epoch {self.epoch})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        features, kjt, index_dtype = self._asked
        keywords = dict(self._keywords)
        shuffle = keywords.pop("shuffle")
        parts = (
            self._dataset,
            features,
            self._framework,
            kjt,
            index_dtype,
            self._pin_memory,
            shuffle,
            0,
            None,
            self.rank,
            self.world,
            keywords,
        )
        return _rebuild, (self._framework, parts, self._where_next())

    def copy(self, worker: tuple[int, int] | None = None) -> Loader:
        """A loader that begins where this one would; with worker (one, of so many) of its share."""
        rebuild, parts = self.__reduce__()
        made: Loader = rebuild(*parts)
        made._told_worker = worker
        return made

    def _keywords_at(self, at: Position, others: Mapping[str, Any]) -> ScanKeywords:
        """Of a rank, or, where the position is in the share of a worker, of that worker."""
        given = {**self._keywords, "rank": self.rank, "world": self.world}
        if at.worker is not None:
            given.update(rank=at.worker[0], world=at.worker[1], remainder="uneven")
        given.update(others, epoch=at.epoch, state=at.state)
        return cast(ScanKeywords, given)

    def _options(self, at: Position, **others: Any) -> _dsi.ScanOptions:
        return make_options(self._plan, self._keywords_at(at, others))

    def shuffle_report(
        self,
        *,
        max_batches: int = 0,
        progress: Callable[[str, int, int], object] | None = None,
    ) -> ShuffleReport:
        """What the order does to batches of this rank, in the epoch that iter() would begin: how
        many sessions they hold, how much of dedup is kept, what is read. Scans twice, in this order
        and in that of the files.

        Looks at the lists that the loader reads, with transforms at all of the files, and at the
        first label. max_batches: the first so many of either order; 0: all.
        progress('batches', done, all) is told; False stops (Cancelled).

        InvalidArgument: no list, label or session key to look at.
        """
        plan = self._plan
        if plan.pipeline is not None:
            plan = resolve(self._dataset.native, None)
        at = Position(self._where_next().epoch)
        keywords = self._keywords_at(at, {})
        if keywords.pop("mixing_bytes", None) is not None:
            # By what the loader reads, not by what is looked at here.
            keywords["mixing_rows"] = self._mixing_rows()
        options = make_options(plan, keywords)
        made = _dsi.shuffle_report(self._dataset.native, options, max_batches, progress)
        return ShuffleReport(**made)

    def _mixing_rows(self) -> int:
        state = self._where_next().state
        if not state:
            at = Position(self._where_next().epoch)
            begun = self._dataset.native.scan(self._options(at, read_ahead_bytes=0, access_log=""))
            state = begun.state
            begun.close()
        return int(json.loads(state)["order"]["mixing_rows"])

    def batch_at(self, step: int = 0, rank: int | None = None) -> Batch:
        """The batch that a rank hands out `step` batches behind where the loader stands, which it
        does not leave: 0 is the next one, -1 the last before. So the rows of a step that went wrong
        are found from the state that was saved before it.

        With a state that was loaded, ranks are those of the job that gave it. rank: by default this
        one's. Decodes one batch, or with mixing its window.

        InvalidArgument: a rank that there is not, a step before the epoch (or the state from which
        the job went on) began or behind the rank's last batch.
        """
        at = self._position()
        state = at.state
        if not state:
            begun = self._dataset.native.scan(self._options(at, read_ahead_bytes=0))
            state = begun.state
            begun.close()
        world = json.loads(state)["world"]
        own_rank, own_world = at.worker or (self.rank, self.world)
        if rank is None and world != own_world:
            raise InvalidArgument(
                f"the state is of {world} ranks, this loader is of {own_world}: say which rank"
            )
        only = _dsi.state_of_batch(state, own_rank if rank is None else rank, step)
        options = self._options(Position(at.epoch, only), rank=0, world=1, read_ahead_bytes=0)
        return next(self._wrap(self._dataset.native.scan(options, self._allocate())))

    def _check_rank(self) -> None:
        group = process_group()
        if not self._is_told_rank and group not in (None, (self.rank, self.world)):
            raise InvalidArgument(
                f"the loader was made for rank {self.rank} of {self.world}, and torch.distributed"
                f" says now {group}: make it after init_process_group, or give rank and world"
            )

    def _begin(self, at: Position, worker: tuple[int, int] | None) -> Scan:
        self._check_rank()
        if worker is not None and at.worker is None:
            if self._keywords.get("remainder") == "pad":
                raise InvalidArgument(
                    "remainder='pad' repeats a batch, which workers cannot share: use num_workers=0"
                    " (threads of the library make batches ahead), or 'drop'"
                )
            share = self._dataset.native.share_state(self._options(at))
            at = Position(at.epoch, share, worker)
        return self._wrap(self._dataset.native.scan(self._options(at), self._allocate()))

    def _allocate(self) -> Any:
        """Where batches lie: of torch, pinned; None: where the library allocates."""
        if not self._pin_memory:
            return None
        from .pinned import allocate

        return allocate

    def _wrap(self, native: _dsi.Scan) -> Scan:
        if self._pin_memory:
            from .pinned import PinnedScan

            return PinnedScan(native, self._plan)
        return Scan(native, self._plan, self._framework)

    def _check_pinned(self) -> None:
        if self._framework != "torch":
            raise InvalidArgument("pin_memory=True is for framework='torch'")
        from .pinned import check_pinned

        check_pinned()

    def _count(self, at: Position, rank: int | None = None) -> int:
        others = {} if rank is None else {"rank": rank}
        return self._dataset.native.count_batches(self._options(at, **others))

    def _warn_of_no_batches(self) -> None:
        """A UserWarning where no batch of an epoch is this rank's, though there are rows."""
        at = Position(self.epoch)
        rows = self._keywords.get("rows")
        count = sum(end - begin for begin, end in rows) if rows else self._dataset.num_rows
        if count == 0 or self._count(at) > 0:
            return
        whole = self._options(at, rank=0, world=1, remainder="uneven")
        batches = self._dataset.native.count_batches(whole)
        given = {"remainder": "drop", "batch_size": 4096, "drop_last": False, **self._keywords}
        names = ("batch_size", "drop_last", "remainder")
        said = ", ".join(f"{name}={given[name]!r}" for name in names)
        warnings.warn(
            f"rank {self.rank} of world {self.world} gets no batch of {count} rows: they make"
            f" {batches} ({said}). Take a smaller batch_size, drop_last=False, remainder='pad' or"
            " 'uneven', or for validation rank=0, world=1",
            stacklevel=3,
        )

    def _snapshot(self) -> str:
        return f"{self._dataset.snapshot:016x}"

    def _state_of(self, state: str | Mapping[str, Any]) -> Mapping[str, Any]:
        """A loader's state, also of the text that a scan gave."""
        if isinstance(state, Mapping):
            return state
        try:
            epoch = int(json.loads(state)["order"]["epoch"])
        except (ValueError, KeyError, TypeError):
            raise BadInput(
                f"state is {state!r}, expected what state_dict() or state gave"
            ) from None
        return {
            "dsi_loader_state": 1,
            "snapshot": self._snapshot(),
            "epoch": epoch,
            "state": state,
        }


def _rebuild(framework: str, parts: tuple[Any, ...], where: Position) -> Loader:
    """What a pickled loader becomes."""
    loader = make_loader(framework, *parts)
    loader._next = where
    return loader


def make_loader(framework: str, *parts: Any) -> Loader:
    """Of the class that goes with a framework: for torch one that is an IterableDataset."""
    if framework == "torch":
        from .torch import TorchLoader

        return TorchLoader(*parts)
    return Loader(*parts)


def join_states(states: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One state of the states of all ranks, in any order, which stopped at different places.

    What goes on from it hands out every batch that no rank had handed out. Ranks that have handed
    out equally many need it not: the state of any stands for all. BadInput: not one state of each
    rank of one epoch.
    """
    parts = [{key: state.get(key) for key in ("snapshot", "epoch")} for state in states]
    if not states or any(part != parts[0] for part in parts):
        raise BadInput(f"states to join are of one dataset and epoch, these are of {parts}")
    if any("worker" in state for state in states):
        raise BadInput("states of workers cannot be joined")
    states = _by_rank(states)
    joined = {key: value for key, value in states[0].items() if key != "rank"}
    if not any(state["state"] for state in states):
        return joined
    if not all(state["state"] for state in states):
        raise BadInput(
            "a rank had not begun its epoch: begin it with iter() before state_dict() is asked for"
        )
    joined["state"] = _dsi.join_states([cast(str, state["state"]) for state in states])
    return joined


def _by_rank(states: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """In the order of their ranks. States of before they told theirs are taken as they come."""
    told = [state.get("rank") for state in states]
    if all(rank is None for rank in told):
        return list(states)
    by_rank = {
        tuple(rank) if isinstance(rank, Sequence) else rank: state
        for rank, state in zip(told, states, strict=True)
    }
    wanted = [(rank, len(states)) for rank in range(len(states))]
    if by_rank.keys() != set(wanted):
        raise BadInput(
            f"states to join are one of each rank, these are of (rank, ranks) {list(by_rank)}"
            if len(by_rank) == len(states)
            else f"states to join are one of each rank, and a rank is here twice: {told}"
        )
    return [by_rank[rank] for rank in wanted]

"""Which part of a job this process is: rank of a world, worker of a DataLoader, its cores."""

from __future__ import annotations

import os
import sys

from ._checks import whole
from .errors import InvalidArgument


def process_group() -> tuple[int, int] | None:
    """(rank, world) of torch.distributed; None: it is not imported or not initialised."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed.get_rank(), distributed.get_world_size()


def rank_and_world(rank: int | None = None, world: int | None = None) -> tuple[int, int]:
    """As given, else of torch.distributed, else RANK and WORLD_SIZE of the environment, else 0, 1.

    InvalidArgument: one of the two alone, or a rank that the world does not have.
    """
    if (rank is None) != (world is None):
        raise InvalidArgument("give rank and world together, or neither")
    if rank is None or world is None:
        rank, world = process_group() or _of_environment()
    rank, world = whole("rank", rank), whole("world", world, 1)
    if not 0 <= rank < world:
        raise InvalidArgument(
            f"rank {rank} of world {world}: expected a rank from 0 to {world - 1}"
        )
    return rank, world


def _of_environment() -> tuple[int, int]:
    told = [os.environ.get(name) for name in ("RANK", "WORLD_SIZE")]
    if told == [None, None]:
        return 0, 1
    try:
        rank, world = (int(number or "") for number in told)
    except ValueError:
        raise InvalidArgument(
            f"RANK is {told[0]!r} and WORLD_SIZE {told[1]!r}: set both to numbers, or give rank and"
            " world"
        ) from None
    return rank, world


def worker_of_process() -> tuple[int, int] | None:
    """(worker, workers) in a worker process of torch's DataLoader."""
    data = sys.modules.get("torch.utils.data")
    info = None if data is None else data.get_worker_info()
    return None if info is None else (info.id, info.num_workers)


def threads_of_process() -> int:
    """Cores that the process may use, shared by the ranks of this machine (LOCAL_WORLD_SIZE)."""
    if worker_of_process() is not None:
        return 1
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "")
    cores = len(os.sched_getaffinity(0))
    return max(1, cores // int(ranks)) if ranks.isdecimal() and int(ranks) else cores

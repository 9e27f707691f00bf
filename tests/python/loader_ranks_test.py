"""Which part of the batches a loader takes: every rank equally many, no row twice, none lost."""

import subprocess
import sys
from itertools import pairwise

import dsi
import numpy
import pytest
from loading import all_of, rows_of

ORDER = {"batch_size": 190, "shuffle": True, "seed": 3}  # 16 batches, 3,000 rows.


@pytest.fixture
def clicks(sessions, monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    return dsi.open(sessions)


def of_world(clicks, world, **keywords):
    return [clicks.loader("label", rank=r, world=world, **ORDER, **keywords) for r in range(world)]


@pytest.mark.parametrize("world", [1, 2, 3, 4, 5, 16, 17])
def test_ranks_have_equally_many_batches_and_no_row_twice(clicks, world):
    ranks = of_world(clicks, world)
    batches = [rows_of(loader) for loader in ranks]
    assert (
        [len(rows) for rows in batches]
        == [len(loader) for loader in ranks]
        == [16 // world] * world
    )
    rows = all_of(rows for rank in batches for rows in rank)
    assert len(rows) == len(set(rows)) and len(rows) >= 190 * (16 // world * world) - 40


@pytest.mark.parametrize("world", [2, 3, 5])
def test_uneven_ranks_lose_nothing(clicks, world):
    batches = [rows_of(loader) for loader in of_world(clicks, world, remainder="uneven")]
    assert all_of(rows for rank in batches for rows in rank) == list(range(3000))
    assert {len(rank) for rank in batches} <= {16 // world, 16 // world + 1}


def test_padded_ranks_repeat_and_say_so(clicks):
    fresh, repeated = [], []
    for loader in of_world(clicks, 3, remainder="pad"):
        assert len(loader) == 6
        for batch in loader:
            (repeated if loader.is_repeated else fresh).extend(rows_of([batch]))
    assert all_of(fresh) == list(range(3000)) and len(repeated) == 2


def test_rank_and_world_of_the_environment(clicks, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "4")
    loader = clicks.loader("label", **ORDER)
    assert (loader.rank, loader.world, len(loader)) == (1, 4, 4)
    loader = clicks.loader("label", rank=0, world=2, **ORDER)
    assert (loader.rank, loader.world) == (0, 2)
    monkeypatch.delenv("RANK")
    with pytest.raises(dsi.InvalidArgument, match="set both"):
        clicks.loader("label", **ORDER)


PROGRAM = """
import sys, dsi, torch.distributed as dist
early = dsi.open(sys.argv[1]).loader("label", batch_size=190)
store, rank = "file://" + sys.argv[2], int(sys.argv[3])
dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
try:
    iter(early)
except dsi.InvalidArgument as error:
    assert "make it after init_process_group" in str(error)
    loader = dsi.open(sys.argv[1]).loader("label", batch_size=190)
    print(loader.rank, loader.world, sum(len(batch) for batch in loader))
dist.destroy_process_group()
"""


def test_rank_and_world_of_torch_distributed(sessions, tmp_path, monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    command = [sys.executable, "-c", PROGRAM, str(sessions), str(tmp_path / "store")]
    ranks = [
        subprocess.Popen([*command, str(rank)], stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    told = [process.communicate()[0].strip() for process in ranks]
    assert told == ["0 2 1520", "1 2 1480"]


def test_parts_of_whole_sessions(clicks):
    with_sessions = clicks.scan(dsi.Padded("session_id", width=1), batch_size=3000)
    keys = numpy.asarray(next(iter(with_sessions)).padded("session_id").values)[:, 0]
    starts = [0, *(numpy.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist()]
    assert clicks.session_starts() == starts
    assert clicks.session_starts(10, 500) == [row for row in starts if 10 <= row < 500]
    parts = clicks.split_by_sessions(4)
    assert [parts[0][0], parts[-1][1]] == [0, 3000]
    assert all(before[1] == after[0] for before, after in pairwise(parts))
    assert all(begin in starts for begin, _ in parts)
    seen = [
        {keys[row] for rows in rows_of(loader) for row in rows}
        for loader in (clicks.loader("label", rank=0, world=1, rows=[part]) for part in parts)
    ]
    assert sum(map(len, seen)) == len(set.union(*seen)) == len(set(keys.tolist()))
    with pytest.raises(dsi.InvalidArgument, match="3000"):
        clicks.session_starts(0, 3001)
    with pytest.raises(dsi.InvalidArgument):
        clicks.split_by_sessions(0)

"""The batch of a step, found without going through those before it."""

import json

import dsi
import pytest
from loading import FEATURES, content, contents

ORDER = {"batch_size": 190, "shuffle": "block", "block_rows": 300, "mixing_rows": 600, "seed": 3}


@pytest.fixture(scope="module")
def clicks(sessions):
    return dsi.open(sessions)


def loader_of(clicks, rank=0, world=1, **keywords):
    return clicks.loader(FEATURES, rank=rank, world=world, **{**ORDER, **keywords})


@pytest.mark.parametrize("remainder", ["drop", "pad", "uneven"])
def test_every_step_of_every_rank(clicks, remainder):
    ranks = [contents(loader_of(clicks, rank, 3, remainder=remainder)) for rank in range(3)]
    loader = loader_of(clicks, 1, 3, remainder=remainder)
    for rank, batches in enumerate(ranks):
        for step, batch in enumerate(batches):
            assert content(loader.batch_at(step, rank)) == batch
    running = iter(loader)
    for position, batch in enumerate(ranks[1]):
        assert content(loader.batch_at()) == batch
        assert content(next(running)) == batch  # It goes on where it was.
        assert content(loader.batch_at(-1)) == batch
        assert content(loader.batch_at(-1 - position)) == ranks[1][0]
    with pytest.raises(dsi.InvalidArgument, match="no batch left"):
        loader.batch_at()


def test_from_a_state_that_was_saved(clicks):
    job = loader_of(clicks, 0, 2)
    batches = contents(loader_of(clicks, 1, 2))
    running = iter(job)
    for _ in range(3):
        next(running)
    state = json.loads(json.dumps(job.state_dict()))
    alone = loader_of(clicks, state=state)
    for step in range(-3, len(batches) - 3):
        assert content(alone.batch_at(step, rank=1)) == batches[3 + step]
    with pytest.raises(dsi.InvalidArgument, match="of 2 ranks, this loader is of 1: say which"):
        alone.batch_at()
    with pytest.raises(dsi.InvalidArgument, match="take a state of before"):
        alone.batch_at(-4, rank=1)
    with pytest.raises(dsi.InvalidArgument, match="rank 2 of world 2"):
        alone.batch_at(0, rank=2)
    # What it hands out is not touched.
    assert contents(alone)[0] == contents(loader_of(clicks, state=state))[0]


def test_filters_are_those_of_the_loader(clicks):
    loader = loader_of(clicks, where=("label", "==", 1))
    for step, batch in enumerate(contents(loader.copy())):
        assert content(loader.batch_at(step)) == batch


def test_in_workers_it_is_the_share_of_one(clicks):
    whole = contents(loader_of(clicks))
    worker = loader_of(clicks).copy((1, 2))
    running = iter(worker)
    first = content(next(running))
    assert first in whole and first != whole[0]
    assert content(worker.batch_at(-1)) == first
    assert content(worker.batch_at()) == content(next(running))

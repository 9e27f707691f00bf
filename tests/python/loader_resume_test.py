"""Going on from a state: what was handed out and what comes then is the whole epoch."""

import copy
import json
import time

import dsi
import pytest
from loading import FEATURES, all_of, content, contents, rows_of

ORDER = {"batch_size": 190, "shuffle": "block", "block_rows": 300, "mixing_rows": 600, "seed": 3}
WORLDS = [1, 2, 3, 4]


@pytest.fixture(scope="module")
def clicks(sessions):
    return dsi.open(sessions)


@pytest.fixture(scope="module")
def whole(clicks):
    """The batches of epoch 1 as one reader gets them: 16."""
    return contents(clicks.loader(FEATURES, epoch=1, **ORDER))


def loaders(clicks, world, **keywords):
    asked = {"remainder": "uneven", **ORDER, **keywords}
    return [clicks.loader(FEATURES, rank=rank, world=world, **asked) for rank in range(world)]


def take(loader, count):
    iterator = iter(loader)
    return [content(batch) for _, batch in zip(range(count), iterator, strict=False)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("world", WORLDS)
def test_every_rank_goes_on_where_all_stopped(clicks, whole, world, threads):
    full = [contents(loader) for loader in loaders(clicks, world, epoch=1)]
    assert sorted(str(batch) for rank in full for batch in rank) == sorted(map(str, whole))
    for position in range(len(full[0]) + 1):
        stopped = loaders(clicks, world, epoch=1, threads=threads)
        heads = [take(loader, position) for loader in stopped]
        states = [json.loads(json.dumps(loader.state_dict())) for loader in stopped]
        assert [state["rank"] for state in states] == [[rank, world] for rank in range(world)]
        same = [{**state, "rank": None} for state in states]
        assert all(state == same[0] for state in same) or position > len(full[-1])
        state = states[0]
        resumed = loaders(clicks, world, threads=3 - threads)
        for loader, head, expected in zip(resumed, heads, full, strict=True):
            loader.load_state_dict(state)
            if position == len(full[0]):
                assert loader.epoch == 2  # Nothing is left.
                continue
            assert loader.epoch == 1 and len(loader) == len(expected) - len(head)
            assert head + contents(loader) == expected
            assert loader.epoch == 2


@pytest.mark.parametrize("after", WORLDS)
@pytest.mark.parametrize("before", WORLDS)
def test_another_world_gets_what_is_left(clicks, whole, before, after):
    for position in (0, 1, 2, 3):
        heads = []
        for loader in loaders(clicks, before, epoch=1):
            heads += take(loader, position)
            state = loader.state_dict()
        rest = []
        for loader in loaders(clicks, after):
            loader.load_state_dict(state)
            rest += contents(loader)
        assert sorted(map(str, heads + rest)) == sorted(map(str, whole))


def test_one_reader_goes_on_in_the_same_order(clicks, whole):
    for position in range(len(whole)):
        (loader,) = loaders(clicks, 1, epoch=1)
        head = take(loader, position)
        other = clicks.loader(FEATURES, state=loader.state_dict(), **ORDER)
        assert head + contents(other) == whole
        if position:
            (scan,) = (clicks.loader(FEATURES, state=loader.state_dict()["state"], **ORDER),)
            assert head + contents(scan) == whole


def test_batches_made_ahead_do_not_count(clicks):
    loader = clicks.loader("label", batch_size=100, read_ahead_bytes=64 << 20)
    for _ in loader:
        # How many were ready is known of the moment when the last was handed out.
        if loader.stats["batches_ready"] >= 2:
            break
        time.sleep(0.05)
    assert loader.stats["batches_ready"] >= 2
    state = json.loads(loader.state_dict()["state"])
    assert state["handed_out"] == loader.stats["batches"]


def test_after_an_epoch_the_next_one_comes(clicks):
    loader = clicks.loader("label", **ORDER)
    iterator = iter(loader)
    for _ in range(len(loader)):
        next(iterator)
    at_the_last, second = loader.state_dict(), None
    assert next(iterator, None) is None
    at_the_end, second = loader.state_dict(), rows_of(loader)
    for state in (at_the_last, at_the_end):
        other = clicks.loader("label", **ORDER)
        other.load_state_dict(state)
        assert other.epoch == 1 and rows_of(other) == second


def test_set_epoch_keeps_the_position_that_was_loaded(clicks):
    loader = clicks.loader("label", **ORDER)
    next(iter(loader))
    state, rest = loader.state_dict(), clicks.loader("label", **ORDER)
    rest.load_state_dict(state)
    rest.set_epoch(0)
    assert len(rows_of(rest)) == 15
    rest.load_state_dict(state)
    rest.set_epoch(1)
    assert len(rows_of(rest)) == 16


def test_ranks_that_stopped_apart_are_joined(clicks):
    heads, states = [], []
    for count, loader in zip((1, 5, 0), loaders(clicks, 3), strict=True):
        iterator = iter(loader)
        heads += rows_of(next(iterator) for _ in range(count))
        states.append(loader.state_dict())
    joined = dsi.join_states(states)
    assert "rank" not in joined
    rest = []
    for loader in loaders(clicks, 2):
        loader.load_state_dict(joined)
        rest += rows_of(loader)
    assert all_of(heads + rest) == list(range(3000))
    assert dsi.join_states(json.loads(json.dumps([states[i] for i in (2, 0, 1)]))) == joined
    for wrong, told in [
        (states[:2], r"\(0, 3\), \(1, 3\)"),
        ([states[i] for i in (0, 1, 1)], "twice"),
        ([*states, states[0]], "twice"),
        ([*states[:2], {**states[2], "rank": None}], "None"),
    ]:
        with pytest.raises(dsi.BadInput, match=told):
            dsi.join_states(wrong)
    # Of a version that did not tell the rank: in their order.
    old = [{key: part for key, part in state.items() if key != "rank"} for state in states]
    assert dsi.join_states(old) == joined
    with pytest.raises(dsi.BadInput, match="3 ranks"):
        dsi.join_states(old[:2])


def test_states_that_do_not_fit_are_refused(clicks, dsictl, tmp_path):
    loader = clicks.loader("label", **ORDER)
    next(iter(loader))
    state = loader.state_dict()
    with pytest.raises(dsi.BadInput, match="batch_size"):
        clicks.loader("label", **{**ORDER, "batch_size": 200}).load_state_dict(state)
    with pytest.raises(dsi.BadInput, match="seed"):
        clicks.loader("label", **{**ORDER, "seed": 4}).load_state_dict(state)
    for change, told in [
        ({"dsi_loader_state": 2}, "this version"),
        ({"snapshot": "0" * 16}, "snapshot"),
        ({"epoch": -1}, "epoch -1"),
        ({"epoch": 7}, "epoch"),
        ({"state": "{"}, "state"),
        ({"worker": [0, 2]}, "worker 0 of 2"),
    ]:
        broken = {**copy.deepcopy(state), **change}
        with pytest.raises(dsi.BadInput, match=told):
            loader.load_state_dict(broken)
    with pytest.raises(dsi.BadInput):
        clicks.loader("label", state="nothing", **ORDER)
    loader.load_state_dict(state)
    assert len(loader) == 15

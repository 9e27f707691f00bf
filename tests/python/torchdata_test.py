"""Loaders in torchdata: nodes, and the StatefulDataLoader with and without workers."""

import json

import dsi
import pytest
from dsi.torchdata import LoaderNode
from loading import FEATURES, all_of, contents, rows_of
from torchdata.nodes import Loader, Prefetcher
from torchdata.stateful_dataloader import StatefulDataLoader

ORDER = {"batch_size": 190, "shuffle": "block", "block_rows": 300, "mixing_rows": 600, "seed": 3}


@pytest.fixture(scope="module")
def clicks(sessions):
    return dsi.open(sessions)


def take(iterator, count):
    return [next(iterator) for _ in range(count)]


def test_a_node_gives_an_epoch_after_each_reset(clicks):
    graph = Loader(LoaderNode(clicks.loader(FEATURES, **ORDER)))
    plain = clicks.loader(FEATURES, **ORDER)
    for _ in range(3):
        assert contents(graph) == contents(plain)


@pytest.mark.parametrize("prefetch", [0, 3])
@pytest.mark.parametrize("position", [0, 1, 7, 15, 16])
def test_a_graph_goes_on_from_its_state(clicks, position, prefetch):
    def graph():
        node = LoaderNode(clicks.loader(FEATURES, **ORDER))
        return Loader(Prefetcher(node, prefetch_factor=prefetch) if prefetch else node)

    first = graph()
    iterator = iter(first)
    take(iterator, position)
    state = json.loads(json.dumps(first.state_dict()))
    expected = contents(iterator)
    resumed = graph()
    resumed.load_state_dict(state)
    rest = contents(resumed)
    if position == 16:  # Nothing was left: the next epoch.
        expected = contents(first)
    assert rest == expected


@pytest.mark.parametrize("position", [0, 1, 7, 15])
def test_the_stateful_loader_without_workers(clicks, position):
    first = StatefulDataLoader(clicks.loader(FEATURES, **ORDER), batch_size=None)
    iterator = iter(first)
    take(iterator, position)
    state = first.state_dict()
    expected = contents(iterator)
    second = StatefulDataLoader(clicks.loader(FEATURES, **ORDER), batch_size=None)
    second.load_state_dict(state)
    assert contents(second) == expected
    assert contents(second) == contents(first)  # And the next epoch.


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("position", [0, 5, 15])
def test_the_stateful_loader_with_workers(clicks, position, start):
    def loader():
        return StatefulDataLoader(
            clicks.loader(FEATURES, **ORDER),
            batch_size=None,
            num_workers=2,
            multiprocessing_context=start,
        )

    first = loader()
    iterator = iter(first)
    head = rows_of(take(iterator, position))
    state = first.state_dict()
    expected = list(iterator)
    assert all_of(head + rows_of(expected)) == list(range(3000))
    second = loader()
    second.load_state_dict(state)
    assert contents(second) == contents(expected)


def test_workers_of_a_rank_have_what_the_rank_has(clicks):
    for workers in (1, 3):
        loader = clicks.loader(FEATURES, rank=1, world=3, **ORDER)
        stateful = StatefulDataLoader(loader, batch_size=None, num_workers=workers)
        batches = rows_of(stateful)
        assert len(batches) == len(stateful) == 5
        assert sorted(batches) == sorted(rows_of(loader))


def test_the_state_of_a_worker_is_not_the_loaders(clicks):
    stateful = StatefulDataLoader(clicks.loader(FEATURES, **ORDER), batch_size=None, num_workers=2)
    take(iter(stateful), 3)
    snapshot = stateful.state_dict()["_snapshot"]["_worker_snapshots"]["worker_0"]
    with pytest.raises(dsi.BadInput, match="worker 0 of 2"):
        clicks.loader(FEATURES, **ORDER).load_state_dict(snapshot["dataset_state"])

"""Loaders as sources of Grain: orders, states, transformations, processes."""

import json

import dsi
import grain
import pytest
from dsi.grain import LoaderDataset
from loading import FEATURES, all_of, contents, rows_of

ORDER = {"batch_size": 190, "shuffle": "block", "block_rows": 300, "mixing_rows": 600, "seed": 3}


@pytest.fixture(scope="module")
def clicks(sessions):
    return dsi.open(sessions)


def source(clicks, epochs=1, features=FEATURES):
    return LoaderDataset(clicks.loader(features, framework="numpy", **ORDER), epochs)


def test_it_gives_what_the_loader_gives(clicks):
    dataset = source(clicks, 2)
    assert isinstance(dataset, grain.IterDataset)
    loader = clicks.loader(FEATURES, framework="numpy", **ORDER)
    expected = contents(loader) + contents(loader)
    assert contents(dataset) == expected
    assert contents(dataset) == expected  # Iterators are independent.


@pytest.mark.parametrize("position", [0, 1, 7, 16, 20, 32])
def test_an_iterator_goes_on_from_its_state(clicks, position):
    iterator = iter(source(clicks, 2))
    for _ in range(position):
        next(iterator)
    state = json.loads(json.dumps(iterator.get_state()))
    other = iter(source(clicks, 2))
    next(other)
    other.set_state(state)
    rest = contents(iterator)
    assert contents(other) == rest and len(rest) == 32 - position


def test_without_end(clicks):
    iterator = iter(source(clicks, None, "label"))
    batches = rows_of(next(iterator) for _ in range(40))
    assert batches[:16] != batches[16:32]
    iterator.close()


def test_transformations_follow_and_keep_the_state(clicks):
    dataset = source(clicks, 1, "label").map(lambda batch: float(batch.labels.sum())).batch(3)
    iterator = iter(dataset)
    next(iterator)
    state = iterator.get_state()
    rest = [batch.tolist() for batch in iterator]
    iterator.set_state(state)
    assert [batch.tolist() for batch in iterator] == rest and len(rest) >= 4


def test_slices_are_shares_of_the_rank(clicks):
    rows = []
    for worker in range(3):
        dataset = source(clicks)
        dataset.set_slice(slice(worker, None, 3))
        iterator = iter(dataset)
        rows += rows_of([next(iterator)])
        state = iterator.get_state()
        iterator.set_state(state)
        rows += rows_of(iterator)
    assert all_of(rows) == list(range(3000)) and len(rows) == 16

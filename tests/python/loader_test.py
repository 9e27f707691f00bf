"""The training loader: epochs, orders, lengths, keywords and errors."""

import json
import pickle
import subprocess
import sys

import dsi
import pytest
import torch
from loading import FEATURES, all_of, bytes_of, contents, rows_of
from tqdm import tqdm


@pytest.fixture
def clicks(sessions):
    return dsi.open(sessions)


def test_the_loop_of_the_readme(clicks):
    loader = clicks.loader(
        ["dense.*", "user.*", "item.cats", "label"], batch_size=512, shuffle=True
    )
    assert isinstance(loader, torch.utils.data.IterableDataset)
    batches = list(loader)
    assert len(batches) == len(loader) == 6
    assert batches[0].dense.shape == (512, 10) and batches[0].dense.dtype == torch.float32
    assert batches[0].labels.shape == (512,)
    assert batches[0].kjt_parts().keys == [
        column.name
        for column in clicks.columns()
        if column.feature.startswith("user.") or column.name == "item.cats"
    ]
    assert all_of(rows_of(batches)) == list(range(3000))


def test_each_epoch_has_an_order_of_its_own(clicks):
    loader = clicks.loader("label", batch_size=256, shuffle=True, seed=5)
    first, second = rows_of(loader), rows_of(loader)
    assert loader.epoch == 2 and first != second and all_of(second) == list(range(3000))
    assert rows_of(clicks.loader("label", batch_size=256, shuffle=True, seed=5, epoch=1)) == second
    loader.set_epoch(0)
    assert rows_of(loader) == first
    assert rows_of(clicks.loader("label", batch_size=256, shuffle=True, seed=6)) != first


def test_without_shuffle_rows_come_in_the_order_of_the_files(clicks):
    batches = rows_of(clicks.loader("label", batch_size=700))
    assert [row for batch in batches for row in batch] == list(range(3000))


def test_an_epoch_that_was_left_begins_anew(clicks):
    loader = clicks.loader("label", batch_size=256, shuffle="stripe", mixing_rows=1024)
    left = iter(loader)
    next(left)
    assert loader.epoch == 0
    whole = rows_of(loader)
    assert loader.epoch == 1 and len(whole) == 12
    with pytest.raises(dsi.InvalidArgument, match="another iteration"):
        next(left)


@pytest.mark.parametrize("end", ["set_epoch", "load_state_dict", "close"])
def test_what_runs_is_over_when_the_loader_is_moved(clicks, end):
    loader = clicks.loader("label", batch_size=256)
    running = iter(loader)
    batch = next(running)
    state = loader.state_dict()
    {
        "set_epoch": lambda: loader.set_epoch(3),
        "load_state_dict": lambda: loader.load_state_dict(state),
        "close": loader.close,
    }[end]()
    with pytest.raises(dsi.InvalidArgument, match="begin another with iter"):
        next(running)
    assert batch.labels.shape == (256,)  # Batches stay.
    if end != "set_epoch":
        assert loader.state_dict() == state
    assert loader.epoch == (3 if end == "set_epoch" else 0)


def test_it_is_a_context_and_counts_for_tqdm(clicks):
    with clicks.loader("label", batch_size=256) as loader:
        bar = tqdm(loader, disable=None)
        assert bar.total == 12 and len(list(bar)) == 12
        assert loader.stats["rows"] == 3000 and loader.stats["batches"] == 12


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("batch_size", [1, 7, 1000, 3000, 4096])
def test_its_length_is_exact(clicks, batch_size, drop_last):
    loader = clicks.loader("label", batch_size=batch_size, drop_last=drop_last)
    assert len(list(loader)) == len(loader)


@pytest.mark.parametrize("framework", ["numpy", "dsi"])
def test_other_frameworks_need_no_torch(sessions, framework):
    program = f"""
import sys, dsi
loader = dsi.open({str(sessions)!r}).loader("dense.*", framework={framework!r}, batch_size=500)
print(len(list(loader)), type(loader).__mro__[-3:], "torch" in sys.modules)
"""
    told = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert told.startswith("6 ") and told.strip().endswith("False")


def test_threads_and_reading_ahead_change_no_byte(clicks):
    asked = {"batch_size": 300, "shuffle": "block", "block_rows": 200, "mixing_rows": 900}
    first = contents(clicks.loader(FEATURES, threads=1, read_ahead_bytes=0, **asked))
    for threads, ahead in [(1, 1 << 20), (2, 0), (2, 64 << 20)]:
        loader = clicks.loader(FEATURES, threads=threads, read_ahead_bytes=ahead, **asked)
        assert contents(loader) == first


def test_a_missing_number_is_nan_or_what_was_asked_for(dsictl, tmp_path):
    schema = {"features": [{"name": "a", "kind": "dense", "type": "float32"}]}
    with dsi.Writer(tmp_path / "a.dsi", json.dumps(schema)) as writer:
        for row in ({"a": 1.0}, {}):
            writer.append([row])
    dataset = dsi.open(tmp_path / "a.dsi")
    (batch,) = dataset.loader("a")
    assert batch.dense[0] == 1 and batch.dense[1].isnan()
    assert batch.dense_present().tolist() == [[True], [False]]
    (batch,) = dataset.loader(dsi.Dense("a", pad_value=0))
    assert batch.dense.tolist() == [[1], [0]]


@pytest.mark.parametrize(
    ("keywords", "told"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"shuffle": "rows"}, "'block'"),
        ({"remainder": "wrap"}, "'drop'"),
        ({"rank": 2, "world": 2}, "0 to 1"),
        ({"rank": 0}, "together"),
        ({"framework": "tf"}, "framework"),
    ],
)
def test_what_is_wrong_is_told_when_the_loader_is_made(clicks, keywords, told):
    with pytest.raises(dsi.InvalidArgument, match=told):
        len(clicks.loader("label", **keywords))


def test_unknown_names_and_keywords(clicks):
    with pytest.raises(dsi.NotFound, match="near it: label"):
        clicks.loader("labl")
    with pytest.raises(TypeError, match="batchsize"):
        clicks.loader("label", batchsize=3)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA")
def test_pinned_memory_needs_cuda(clicks):
    with pytest.raises(dsi.InvalidArgument, match="needs CUDA"):
        clicks.loader("label", pin_memory=True)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA")
def test_batches_in_pinned_memory(clicks):
    plain = clicks.loader(FEATURES, batch_size=512)
    pinned = clicks.loader(FEATURES, batch_size=512, pin_memory=True)
    for batch, other in zip(pinned, plain, strict=True):
        assert batch.slab.is_pinned() and batch.dense.is_pinned()
        moved = batch.to("cuda", non_blocking=True)
        assert torch.equal(moved.labels.cpu(), other.labels)
        assert torch.equal(moved.kjt_parts().values.cpu(), other.kjt_parts().values)


def test_a_pickled_loader_begins_where_it_would_have_begun(clicks):
    loader = clicks.loader(FEATURES, batch_size=512, shuffle=True, seed=3, rank=1, world=2)
    list(loader)
    copy = pickle.loads(pickle.dumps(loader))
    assert copy.epoch == 1 and (copy.rank, copy.world) == (1, 2)
    assert contents(copy) == contents(loader)


@pytest.mark.parametrize("framework", ["torch", "numpy"])
@pytest.mark.parametrize("form", ["expanded", "vbe", "ikjt"])
def test_a_pickled_batch_has_the_same_arrays(clicks, framework, form):
    features = [*FEATURES, dsi.Jagged("item.words", unique=True), dsi.Jagged("item.brand")]
    loader = clicks.loader(features, framework=framework, kjt=form, batch_size=512)
    first = next(iter(loader))
    batch = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(first))))
    assert len(batch) == 512 and rows_of([batch]) == rows_of([first])

    for read in (
        lambda of: of.dense,
        lambda of: of.labels,
        lambda of: of.padded("context.page"),
        lambda of: of.ikjt("item.words"),
        lambda of: of.jagged("item.brand"),
    ):
        assert bytes_of(read(batch)) == bytes_of(read(first))
    if form == "ikjt":
        asked = first.kjt()
        assert {key: bytes_of(view) for key, view in batch.kjt().items()} == {
            key: bytes_of(view) for key, view in asked.items()
        }
    else:
        assert contents([batch]) == contents([first])


def test_batches_without_a_framework_are_not_pickled(clicks):
    with pytest.raises(dsi.InvalidArgument, match="framework='torch' or 'numpy'"):
        pickle.dumps(next(iter(clicks.loader("label", framework="dsi"))))


def test_a_report_says_what_the_order_does(clicks):
    features = ["user.*", "label"]
    plain = clicks.loader(features, batch_size=256).shuffle_report()
    assert (plain.batches, plain.rows) == (12, 3000)
    assert plain.sessions_per_batch == plain.sessions_in_file_order > 1
    assert plain.dedup_factor == plain.dedup_factor_in_file_order > 1
    loader = clicks.loader(
        features, batch_size=256, shuffle="block", block_rows=8, mixing_rows=1024
    )
    mixed = loader.shuffle_report(max_batches=5)
    assert (mixed.batches, mixed.rows) == (5, 1280)
    assert mixed.sessions_in_file_order < mixed.sessions_per_batch <= mixed.sessions_at_random
    assert mixed.bytes_read > 0 and mixed.seconds > 0 and loader.epoch == 0
    # Of what a pipeline makes nothing is asked.
    made = dsi.Pipeline().modulus("m", "item.cats", max=7)
    assert clicks.loader(["m"], batch_size=256, transforms=made).shuffle_report().rows == 3000
    told = []
    loader.shuffle_report(progress=lambda *now: told.append(now))
    assert told and all(phase == "batches" and done <= of for phase, done, of in told)
    with pytest.raises(dsi.Cancelled):
        loader.shuffle_report(progress=lambda *_: False)
    with pytest.raises(ZeroDivisionError):
        loader.shuffle_report(progress=lambda *_: 1 / 0)

"""Batches on a GPU: what lies in pinned memory arrives whole, and nothing stops the GPU's queue."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager

import dsi
import pytest
import torch
from conftest import BUILD, SOURCE
from loading import FEATURES, contents

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA")

LISTS = ["user.hist_item", "item.cats"]
NUMBERS = [dsi.Dense("dense.*", pad_value=0), "label"]


@pytest.fixture(scope="module")
def clicks(sessions):
    return dsi.open(sessions)


@contextmanager
def nothing_waits():
    """RuntimeError of torch where the host would wait for the GPU."""
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("form", ["expanded", "vbe"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_a_batch_is_the_same_on_the_gpu(clicks, form, shuffle):
    keywords = {"kjt": form, "batch_size": 512, "shuffle": shuffle, "seed": 3, "threads": 2}
    pinned = clicks.loader(FEATURES, pin_memory=True, **keywords)
    moved = [batch.to("cuda", non_blocking=True) for batch in pinned]
    torch.cuda.synchronize()
    plain = clicks.loader(FEATURES, **keywords)
    assert contents(batch.to("cpu") for batch in moved) == contents(plain)


def test_a_slab_is_not_used_again_before_the_gpu_has_read_it(clicks):
    loader = clicks.loader(FEATURES, batch_size=64, pin_memory=True, threads=2)
    list(loader)  # Slabs of this size are there to be used again.
    torch.cuda.synchronize()
    torch.cuda._sleep(4_000_000_000)  # Copies wait behind it; seconds, longer than reading takes.
    moved = [batch.to("cuda", non_blocking=True) for batch in loader]
    waiting = not torch.cuda.current_stream().query()
    assert waiting, "the copies were done before all batches had been read: nothing was tested"
    torch.cuda.synchronize()
    plain = clicks.loader(FEATURES, batch_size=64)
    assert contents(batch.to("cpu") for batch in moved) == contents(plain)


def test_a_slab_is_kept_for_a_stream_that_was_told(clicks):
    side = torch.cuda.Stream()
    loader = clicks.loader([dsi.Kjt(LISTS)], batch_size=64, pin_memory=True)
    found, expected = [], []
    for batch in loader:
        expected.append(batch.kjt_parts().values.clone())
        with torch.cuda.stream(side):
            on_gpu = batch.to("cuda", non_blocking=True)
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda._sleep(1_000_000)
        on_gpu.record_stream(torch.cuda.current_stream())
        found.append(on_gpu.kjt_parts().values + 0)
    torch.cuda.synchronize()
    assert all(torch.equal(a.cpu(), b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("form", ["expanded", "vbe"])
def test_using_a_batch_waits_for_nothing(clicks, form):
    layouts = [dsi.Padded("context.page", width=4), dsi.Jagged("item.words")]
    features = [dsi.Kjt(LISTS, form=form), *layouts, *NUMBERS]
    weights = torch.rand(1000, 8, device="cuda")
    bag, losses = torch.nn.functional.embedding_bag, []
    for batch in clicks.loader(features, batch_size=512, pin_memory=True):
        with nothing_waits():
            on_gpu = batch.to("cuda", non_blocking=True)
            parts, page = on_gpu.kjt_parts(), on_gpu.padded("context.page")
            words = on_gpu.jagged("item.words")
            pooled = bag(parts.values.long() % 1000, weights, parts.offsets[:-1], mode="sum")
            if form == "vbe":
                per_key = pooled.split(parts.stride_per_key)
                pooled = torch.cat(
                    [a.index_select(0, i) for a, i in zip(per_key, parts.inverse, strict=True)]
                )
            more = page.values.sum() + words.values.sum() + on_gpu.dense.sum()
            losses.append((pooled.sum() + more + on_gpu.labels.sum()).detach())
    assert torch.isfinite(torch.stack(losses)).all()


@pytest.mark.parametrize("form", ["expanded", "vbe"])
def test_torchrec_on_the_gpu_gives_what_it_gives_on_the_host(clicks, form):
    pytest.importorskip("torchrec", reason="torchrec and fbgemm-gpu are not installed")
    from torchrec.modules.embedding_configs import EmbeddingBagConfig
    from torchrec.modules.embedding_modules import EmbeddingBagCollection

    torch.manual_seed(3)
    tables = [
        EmbeddingBagConfig(name=f"t{i}", num_embeddings=1000, embedding_dim=8, feature_names=[key])
        for i, key in enumerate(LISTS)
    ]
    on_host = EmbeddingBagCollection(tables=tables)
    on_gpu = EmbeddingBagCollection(tables=tables, device=torch.device("cuda"))
    on_gpu.load_state_dict(on_host.state_dict())
    for batch in clicks.loader([dsi.Kjt(LISTS, form=form)], batch_size=512, pin_memory=True):
        batch.kjt_parts().values.remainder_(1000)  # Ids are any 64 bits.
        with nothing_waits():
            kjt = batch.to("cuda", non_blocking=True).kjt()
        try:
            found = on_gpu(kjt).values()
        except NotImplementedError:
            pytest.skip("fbgemm is here without its operators for GPUs (fbgemm-gpu has them)")
        torch.testing.assert_close(found.cpu(), on_host(batch.kjt()).values())


def test_the_example_trains_on_the_gpu():
    pytest.importorskip("torchrec", reason="torchrec and fbgemm-gpu are not installed")
    example = [sys.executable, str(SOURCE / "examples" / "train_dlrm.py")]
    options = ["--rows", "20000", "--device", "cuda", "--form", "both", "--json"]
    path = f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = dict(os.environ, PATH=path)
    done = subprocess.run(example + options, env=environment, capture_output=True, text=True)
    if "NotImplementedError: Could not run 'fbgemm::" in done.stderr:
        pytest.skip("fbgemm is here without its operators for GPUs (fbgemm-gpu has them)")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [form["form"] for form in told["forms"]] == ["deduplicated", "expanded"]
    for form in told["forms"]:
        assert form["auc"] > 0.53 and sum(form["losses"][-10:]) / 10 < form["losses"][0] - 0.1
    assert told["comparison"]["largest relative difference of losses"] < 1e-2

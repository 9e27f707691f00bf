"""Mixtures of loaders: whose turn it is, what happens at ends, states, ranks and workers."""

import http.server
import itertools
import json
import os
import pickle
import re
import signal
import threading

import dsi
import numpy as np
import pytest
from conftest import SOURCE

torch = pytest.importorskip("torch")

BATCH = 10
SCHEMA = {
    "features": [
        {"name": "row", "kind": "key", "type": "int64"},
        {"name": "price", "kind": "dense", "type": "float32"},
        {"name": "clicks", "kind": "list", "type": "int64"},
    ]
}


@pytest.fixture(scope="module")
def datasets(tmp_path_factory):
    """Three of 60, 35 and 200 rows: 6, 4 and 20 batches."""
    made = []
    for number, rows in enumerate((60, 35, 200)):
        file = tmp_path_factory.mktemp("mixing") / f"{number}.dsi"
        table = [
            {"row": 1000 * number + i, "price": float(i), "clicks": list(range(i % 5))}
            for i in range(rows)
        ]
        dsi.write(table, file, SCHEMA, keep_order=True, stripe_rows=16)
        made.append(dsi.open(file))
    return made


# Each has features, an order and a size of batches of its own.
FEATURES = [[], ["price"], ["clicks"]]


def loaders(datasets, framework="torch", **keywords):
    orders = [{}, {"shuffle": True, "seed": 7, "block_rows": 8}, {"shuffle": "stripe"}]
    return [
        ds.loader(
            [dsi.Padded("row"), *features],
            framework=framework,
            **{"batch_size": BATCH, "rank": 0, "world": 1, **order, **keywords},
        )
        for ds, features, order in zip(datasets, FEATURES, orders, strict=False)
    ]


def mixture(datasets, weights=(3, 1, 2), exhausted="stop", framework="torch", **keywords):
    pairs = list(zip(loaders(datasets, framework, **keywords), weights, strict=True))
    return dsi.mix(pairs, exhausted=exhausted)


def told(batch):
    """All that is in a batch: its source and its rows."""
    return batch.source, tuple(batch.padded("row").values.ravel().tolist())


def turns(weights):
    """Whose turn it is, for ever, as DO-016 in spec/dataset-order.md says it."""
    total, had = sum(weights), [0] * len(weights)
    for turn in itertools.count():
        may = [i for i, v in enumerate(weights) if had[i] * total // v <= turn]
        due = min(may, key=lambda i: (-(-(had[i] + 1) * total // weights[i]), i))
        had[due] += 1
        yield due


@pytest.mark.parametrize("weights", [(3, 1, 2), (1, 1, 1), (5, 1, 1), (1, 7, 30)])
def test_each_source_gives_its_part(datasets, weights):
    steps = 3 * sum(weights)
    mixed = mixture(datasets, weights, "repeat")
    sources = [batch.source for batch in itertools.islice(mixed, steps)]
    for t in range(1, steps + 1):
        for source, weight in enumerate(weights):
            part = t * weight / sum(weights)
            assert abs(sources[:t].count(source) - part) < 1
    for begin in range(0, steps, sum(weights)):
        period = sources[begin : begin + sum(weights)]
        assert [period.count(source) for source in range(3)] == list(weights)
    assert sources == list(itertools.islice(turns(weights), steps))


def test_batches_are_those_of_the_loaders(datasets):
    mixed = list(mixture(datasets, exhausted="drop"))
    for source, loader in enumerate(loaders(datasets)):
        alone = [tuple(batch.padded("row").values.ravel().tolist()) for batch in loader]
        assert [rows for at, rows in map(told, mixed) if at == source] == alone
    batch = next(batch for batch in mixed if batch.source == 1)
    assert batch.dense_names() == ["price"]
    assert batch.dense[:, 0].tolist() == [row - 1000 for row in told(batch)[1]]
    batch = next(batch for batch in mixed if batch.source == 2)
    assert batch.kjt_parts().keys == ["clicks"]
    files, rows = batch.rows()
    assert [2000 + row for row in rows.tolist()] == list(told(batch)[1])
    assert files.tolist() == [0] * BATCH


def test_batches_are_tables_of_arrow(datasets):
    pyarrow = pytest.importorskip("pyarrow")
    for batch in mixture(datasets[:1], (1,), "drop", framework="numpy"):
        assert tuple(pyarrow.record_batch(batch)["row"].to_pylist()) == told(batch)[1]


def test_stop_ends_with_the_first_source(datasets):
    mixed = mixture(datasets, (3, 1, 2), "stop")
    sources = [batch.source for batch in mixed]
    # Source 0 has 6 batches, of 6 turns it has 3: its 7th turn is the end.
    expected = list(itertools.islice(turns((3, 1, 2)), 40))
    seventh = [t for t, source in enumerate(expected) if source == 0][6]
    assert sources == expected[:seventh]
    assert len(mixed) == seventh
    assert mixed.epoch == 1


def test_drop_goes_on_until_all_have_ended(datasets):
    mixed = mixture(datasets, (3, 1, 2), "drop")
    assert len(mixed) == 6 + 4 + 20
    sources = [batch.source for batch in mixed]
    assert [sources.count(source) for source in range(3)] == [6, 4, 20]
    assert sources[-8:] == [2] * 8


def test_repeat_begins_anew_in_the_order_of_the_next_epoch(datasets):
    mixed = mixture(datasets, (1, 2, 1), "repeat")
    seen = [told(batch) for batch in itertools.islice(mixed, 60)]
    rounds = [rows for source, rows in seen if source == 1]
    assert len(rounds) == 30
    loader = loaders(datasets)[1]
    for number in range(7):
        loader.set_epoch(number)
        alone = [tuple(batch.padded("row").values.ravel().tolist()) for batch in loader]
        assert rounds[4 * number : 4 * number + 4] == alone
    assert rounds[:4] != rounds[4:8]


def test_repeat_has_no_length(datasets):
    with pytest.raises(TypeError, match=r"no end.*islice"):
        len(mixture(datasets, exhausted="repeat"))


@pytest.mark.parametrize("exhausted", ["stop", "drop", "repeat"])
def test_going_on_from_each_step_is_the_run_without_a_break(datasets, exhausted):
    def run(mixed, steps):
        return [told(batch) for batch in itertools.islice(mixed, steps)]

    steps = 45 if exhausted == "repeat" else 100
    mixed = mixture(datasets, exhausted=exhausted)
    whole, states = [], [mixed.state_dict()]
    for batch in itertools.islice(mixed, steps):
        whole.append(told(batch))
        states.append(json.loads(json.dumps(mixed.state_dict())))
    for step, state in enumerate(states):
        again = mixture(datasets, exhausted=exhausted, threads=2)
        again.load_state_dict(state)
        if exhausted != "repeat" and step < len(whole):
            assert len(again) == len(whole) - step
        if step < len(whole):
            assert run(again, steps - step) == whole[step:]
        else:
            assert again.epoch == (0 if exhausted == "repeat" else 1)


def test_epochs_have_orders_of_their_own(datasets):
    mixed = mixture(datasets, exhausted="drop")
    first, second = [told(b) for b in mixed], [told(b) for b in mixed]
    assert [source for source, _ in first] == [source for source, _ in second]
    assert [b for b in first if b[0] == 0] == [b for b in second if b[0] == 0]  # Not shuffled.
    assert [b for b in first if b[0] == 1] != [b for b in second if b[0] == 1]
    mixed.set_epoch(0)
    assert [told(b) for b in mixed] == first


def test_a_state_of_another_mixture_is_refused(datasets):
    mixed = mixture(datasets)
    next(iter(mixed))
    state = mixed.state_dict()
    with pytest.raises(dsi.BadInput, match="source 0: weight 3 in the state, 1 here"):
        mixture(datasets, (1, 1, 2)).load_state_dict(state)
    with pytest.raises(dsi.BadInput, match="another policy"):
        mixture(datasets, exhausted="drop").load_state_dict(state)
    with pytest.raises(dsi.BadInput, match="snapshot"):
        mixture(datasets[::-1]).load_state_dict(state)


@pytest.mark.parametrize("remainder", ["drop", "pad"])
def test_ranks_have_the_same_source_at_each_step(datasets, remainder):
    mixed = [
        mixture(datasets, (2, 1, 1), "drop", rank=rank, world=3, remainder=remainder)
        for rank in range(3)
    ]
    assert len({len(one) for one in mixed}) == 1
    seen = [[told(batch) for batch in one] for one in mixed]
    assert len(seen[0]) == len(mixed[0]) or mixed[0].epoch == 1
    for step in zip(*seen, strict=True):
        assert len({source for source, _ in step}) == 1
    rows = [row for one in seen for _, batch in one for row in batch]
    if remainder == "drop":
        assert len(rows) == len(set(rows))
    else:
        assert len(set(rows)) == 60 + 35 + 200


def test_the_end_of_one_rank_is_not_that_of_all(datasets):
    # Five batches: rank 0 has three of them, rank 1 two.
    def of_rank_1():
        loader = datasets[0].loader(
            dsi.Padded("row"), batch_size=12, rank=1, world=2, remainder="uneven"
        )
        return dsi.mix([(loader, 1)], exhausted="stop")

    mixed, again = of_rank_1(), of_rank_1()
    assert len(list(mixed)) == 2
    again.load_state_dict(mixed.state_dict())
    assert again.epoch == 0


def test_another_world_goes_on(datasets):
    begun = [mixture(datasets, (2, 1, 1), "drop", rank=r, world=2) for r in range(2)]
    seen = []
    for _, pair in zip(range(3), zip(*begun, strict=True), strict=False):
        seen += [told(batch) for batch in pair]
    rest = mixture(datasets, (2, 1, 1), "drop")
    rest.load_state_dict(begun[0].state_dict())
    rows = [row for _, batch in [*seen, *map(told, rest)] for row in batch]
    assert len(rows) == len(set(rows)) == 60 + 35 + 200


@pytest.mark.parametrize("workers, method", [(0, None), (1, "fork"), (1, "spawn")])
def test_torch_takes_it(datasets, workers, method):
    mixed = mixture(datasets, exhausted="drop")
    expected = [told(batch) for batch in mixture(datasets, exhausted="drop")]
    assert isinstance(mixed, torch.utils.data.IterableDataset)
    data = torch.utils.data.DataLoader(
        mixed,
        batch_size=None,
        num_workers=workers,
        multiprocessing_context=method,
    )
    assert [told(batch) for batch in data] == expected


def test_several_workers_are_refused(datasets, monkeypatch):
    # As torch tells each of two workers; when one fails there torch waits ten seconds for it.
    from torch.utils.data._utils import worker

    told_to_workers = worker.WorkerInfo(id=0, num_workers=2, seed=0, dataset=None)
    monkeypatch.setattr(worker, "_worker_info", told_to_workers)
    with pytest.raises(dsi.InvalidArgument, match="num_workers=0"):
        iter(mixture(datasets))


def test_names_and_pickles(datasets):
    first, second, _ = loaders(datasets, framework="numpy")
    mixed = dsi.mix({"clicks": (first, 2), "sales": (second, 1)}, exhausted="repeat")
    assert type(mixed) is dsi.MixedLoader
    begun = iter(mixed)
    assert [next(begun).source for _ in range(3)] == ["clicks", "clicks", "sales"]
    assert set(mixed.stats) == {"clicks", "sales"}
    assert mixed.stats["sales"]["batches"] == 1
    again = pickle.loads(pickle.dumps(mixed))
    state = mixed.state_dict()
    rest = [told(batch) for batch in itertools.islice(begun, 9)]
    again.load_state_dict(state)
    assert [told(batch) for batch in itertools.islice(again, 9)] == rest
    resumed = dsi.mix({"clicks": (first, 2), "sales": (second, 1)}, exhausted="repeat", state=state)
    assert [told(batch) for batch in itertools.islice(resumed, 9)] == rest
    batch = next(iter(resumed))
    assert pickle.loads(pickle.dumps(batch)).source == batch.source


def test_an_iterator_of_sources_is_all_of_them(datasets):
    made = dsi.mix(iter(list(zip(loaders(datasets), (3, 1, 2), strict=True))))
    assert [told(batch) for batch in made] == [told(batch) for batch in mixture(datasets)]


def test_batches_outlive_the_mixture(datasets):
    mixed = mixture(datasets, exhausted="drop", framework="numpy")
    kept = [(batch.padded("row").values, told(batch)) for batch in mixed]
    mixed.close()
    stats = mixed.stats
    del mixed
    assert sum(one["batches"] for one in stats.values()) == 30
    for values, (_, rows) in kept:
        assert tuple(values.ravel().tolist()) == rows


def test_what_cannot_be_mixed_is_said(datasets):
    first, second, _ = loaders(datasets)
    with pytest.raises(TypeError, match=r"source 1 is a Dataset, expected a loader"):
        dsi.mix([(first, 1), (datasets[1], 1)])
    with pytest.raises(dsi.InvalidArgument, match=r"source 1: weight 0.5; weights are whole"):
        dsi.mix([(first, 1), (second, 0.5)])
    with pytest.raises(dsi.InvalidArgument, match="source 0: weight 0"):
        dsi.mix([(first, 0), (second, 1)])
    with pytest.raises(dsi.InvalidArgument, match="0 sources"):
        dsi.mix([])
    with pytest.raises(dsi.InvalidArgument, match="'stop', 'drop', 'repeat'"):
        dsi.mix([(first, 1)], exhausted="wait")
    other = datasets[1].loader("row", rank=1, world=2)
    with pytest.raises(dsi.InvalidArgument, match="rank 1 of 2, the first for rank 0 of 1"):
        dsi.mix([(first, 1), (other, 1)])


class Ranges(http.server.BaseHTTPRequestHandler):
    """Serves a file by ranges, and waits before each of them until it may."""

    protocol_version = "HTTP/1.1"
    content, may = b"", threading.Event()

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()

    def do_GET(self):
        self.may.wait()
        begin, end = self.headers["Range"].removeprefix("bytes=").split("-")
        begin, end = (int(begin), int(end)) if begin else (max(len(self.content) - int(end), 0), -1)
        end = len(self.content) - 1 if end < 0 else min(end, len(self.content) - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {begin}-{end}/{len(self.content)}")
        self.send_header("Content-Length", str(end + 1 - begin))
        self.end_headers()
        self.wfile.write(self.content[begin : end + 1])

    def log_message(self, *_):
        pass


def test_a_signal_ends_waiting_and_no_batch_is_lost(datasets, tmp_path):
    # More than opening reads.
    table = {"row": np.random.default_rng(3).integers(0, 2**60, 100_000)}
    dsi.write(table, tmp_path / "slow.dsi", keep_order=True)
    Ranges.content = (tmp_path / "slow.dsi").read_bytes()
    Ranges.may.set()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    slow = dsi.open(f"http://127.0.0.1:{server.server_port}/slow.dsi")
    asked = {"features": dsi.Padded("row"), "read_ahead_bytes": 0, "rank": 0, "world": 1}
    pairs = [(slow.loader(batch_size=9000, **asked), 2), (datasets[0].loader(**asked), 1)]
    mixed = dsi.mix(pairs, exhausted="drop")
    expected = [told(batch) for batch in mixed]
    assert len(expected) == 12 + 1
    mixed.set_epoch(0)
    begun, before = iter(mixed), mixed.state_dict()
    Ranges.may.clear()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        next(begun)
    assert mixed.state_dict() == before  # What is being made is no batch of the state.
    Ranges.may.set()
    assert [told(batch) for batch in begun] == expected
    server.shutdown()


def test_a_mixture_does_not_cross_a_fork(datasets):
    mixed = mixture(datasets)
    begun = iter(mixed)
    next(begun)
    child = os.fork()
    if child == 0:
        try:
            next(begun)
        except dsi.InvalidArgument as error:
            del begun, mixed
            os._exit(0 if "forked" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert next(begun).num_rows == BATCH


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (SOURCE / "docs" / "python-mixing.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    exec("\n".join(blocks), {})
    assert capsys.readouterr().out.splitlines() == [
        "clicks clicks clicks sales clicks clicks clicks sales",
        "True",
    ]

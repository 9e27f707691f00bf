"""Pipelines: every operation against plain Python, and where batches have what they make."""

import bisect
import itertools
import json
import math
import pickle
import random
import re
from collections import Counter

import dsi
import numpy as np
import pytest
from conftest import SOURCE

ROWS = 500
MASK = 2**64 - 1
SCHEMA = {
    "features": [
        {"name": "session", "kind": "key", "type": "int64"},
        {"name": "label", "kind": "label", "type": "int8"},
        {"name": "price", "kind": "dense", "type": "float32"},
        {"name": "share", "kind": "dense", "type": "float32"},
        {"name": "time", "kind": "timestamp", "unit": "ms"},
        {"name": "clicks", "kind": "list", "type": "int64"},
        {"name": "views", "kind": "list", "type": "int64"},
        {"name": "topics", "kind": "weighted", "type": "int64", "weight_type": "float32"},
    ]
}


def f32(x):
    return float(np.float32(x))


def row_of(draw):
    topics = [draw.randrange(1000) for _ in range(draw.randrange(5))]
    row = {
        "session": draw.randrange(-50, 50),
        "label": draw.randrange(2),
        "price": f32(draw.choice([0, 1, 2, 2.5, 5, 10, 99])),
        "share": f32(draw.random() * 1.2 - 0.1),
        "time": 1_700_000_000_000 + draw.randrange(10**9),
        "clicks": [draw.randrange(-100, 100) for _ in range(draw.randrange(8))],
        "views": [draw.randrange(-100, 100) for _ in range(draw.randrange(8))],
        "topics": {"ids": topics, "weights": [f32(draw.random()) for _ in topics]},
    }
    for name in ("price", "clicks", "views", "topics"):
        if draw.random() < 0.1:
            del row[name]
    return row


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The rows as Python has them, each twice, and a dataset that has them in the same order."""
    draw = random.Random(11)
    rows = [row for _ in range(ROWS // 2) for row in [row_of(draw)] * 2]
    file = tmp_path_factory.mktemp("transforms") / "rows.dsi"
    dsi.write(rows, file, SCHEMA, keep_order=True, stripe_rows=200)
    return rows, dsi.open(file)


def entries(arrays, rows):
    """Lists of a jagged column, None where one is missing."""
    ends, values = arrays.offsets.tolist(), arrays.values.tolist()
    return [values[ends[i] : ends[i + 1]] if arrays.present[i] else None for i in range(rows)]


def made(ds, pipeline, name="x", **keywords):
    """What a pipeline makes, row by row."""
    rows = []
    for batch in ds.scan([dsi.Jagged(name)], transforms=pipeline, batch_size=64, **keywords):
        rows += entries(batch.jagged(name), batch.num_rows)
    return rows


# -- What spec/transforms.md says, in plain Python.


def fold(k, h):
    factor = 0x9DDFEA08EB382D69
    a = (k ^ h) * factor & MASK
    a ^= a >> 47
    b = (h ^ a) * factor & MASK
    b ^= b >> 47
    return b * factor & MASK


def mix(k):
    k &= MASK
    k = (~k + (k << 21)) & MASK
    k ^= k >> 24
    k = (k + (k << 3) + (k << 8)) & MASK
    k ^= k >> 14
    k = (k + (k << 2) + (k << 4)) & MASK
    k ^= k >> 28
    return (k + (k << 31)) & MASK


def hashed(ids, salt, most):
    h = salt & MASK
    for x in ids:
        h = fold(mix(x), h)
    return (h - 2**64 if h >= 2**63 else h) % most


def shared(a, b):
    return sum((Counter(a) & Counter(b)).values())


def clamp(x, low, high):
    return min(max(x, low), high)


def logit(x):
    x = clamp(x, 1e-6, 1 - 1e-6)
    return math.log(x / (1 - x))


def scored(change):
    return lambda t: [f32(change(w)) for w in t["weights"]]


def each(function):
    """Of a list entry by entry, of a number as a list of one."""
    return lambda row: [function(x) for x in (row if isinstance(row, list) else [row])]


BORDERS = [2, 5, 10]
TABLE = {1: 100, 7: -3, 55: 2**40}
P = dsi.Pipeline
# Of each operation: the pipeline, what it takes, what that becomes.
OPERATIONS = {
    "sigrid_hash": (
        P().sigrid_hash("x", "clicks", max=1000, salt=7),
        ["clicks"],
        each(lambda x: hashed([x], 7, 1000)),
    ),
    "sigrid_hash of a key": (
        P().sigrid_hash("x", "session", max=2**40, salt=-1),
        ["session"],
        each(lambda x: hashed([x], -1, 2**40)),
    ),
    "modulus": (P().modulus("x", "clicks", max=7), ["clicks"], each(lambda x: x % 7)),
    "clamp": (
        P().clamp("x", "clicks", low=-10, high=np.int64(10)),
        ["clicks"],
        each(lambda x: clamp(x, -10, 10)),
    ),
    "clamp of floats": (
        P().clamp("x", "price", low=1.5, high=9),
        ["price"],
        each(lambda x: clamp(x, 1.5, 9)),
    ),
    "bucketize left": (
        P().bucketize("x", "price", borders=BORDERS, side="left"),
        ["price"],
        each(lambda x: bisect.bisect_left(BORDERS, x)),
    ),
    "bucketize right": (
        P().bucketize("x", "price", borders=np.array(BORDERS), side="right"),
        ["price"],
        each(lambda x: bisect.bisect_right(BORDERS, x)),
    ),
    "map_id": (
        P().map_id("x", "clicks", table=TABLE, default=-1),
        ["clicks"],
        each(lambda x: TABLE.get(x, -1)),
    ),
    "log1p": (P().log1p("x", "price"), ["price"], each(math.log1p)),
    "logit": (P().logit("x", "share"), ["share"], each(logit)),
    "boxcox": (
        P().boxcox("x", "price", lambda1=0.5, lambda2=1),
        ["price"],
        each(lambda x: (math.sqrt(x + 1) - 1) / 0.5),
    ),
    "cast": (P().cast("x", "price", dtype="int32"), ["price"], each(int)),
    "local_hour": (
        P().local_hour("x", "time", unit="ms", offset_s=-3600),
        ["time"],
        each(lambda x: (x // 1000 - 3600) % 86400 // 3600),
    ),
    "score_add": (P().score_add("x", "topics", value=0.5), ["topics"], scored(lambda w: w + 0.5)),
    "score_multiply": (
        P().score_multiply("x", "topics", value=3),
        ["topics"],
        scored(lambda w: w * 3),
    ),
    "score_clamp": (
        P().score_clamp("x", "topics", low=0.25, high=0.75),
        ["topics"],
        scored(lambda w: clamp(w, 0.25, 0.75)),
    ),
    "firstx": (P().firstx("x", "clicks", n=3), ["clicks"], lambda row: row[:3]),
    "lastx": (P().lastx("x", "clicks", n=3), ["clicks"], lambda row: row[-3:]),
    "onehot": (
        P().onehot("x", "label", n=3),
        ["label"],
        lambda row: [float(row == i) for i in range(3)],
    ),
    "enumerate": (P().enumerate("x", "clicks"), ["clicks"], lambda row: list(range(len(row)))),
    "ngram": (
        P().ngram("x", "clicks", n=2, max=1000, salt=5),
        ["clicks"],
        lambda row: [hashed(row[i : i + 2], 5, 1000) for i in range(len(row) - 1)],
    ),
    "ngram of two": (
        P().ngram("x", ["clicks", "views"], n=2, max=1000),
        ["clicks", "views"],
        lambda a, b: [
            hashed(a[i : i + 2] + b[i : i + 2], 0, 1000) for i in range(min(len(a), len(b)) - 1)
        ],
    ),
    "cartesian": (
        P().cartesian("x", "clicks", "views", max=1000, limit=10, salt=3),
        ["clicks", "views"],
        lambda a, b: [hashed([i, j], 3, 1000) for i in a for j in b][:10],
    ),
    "intersection": (
        P().intersection("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [i for i in a if i in b],
    ),
    "has_overlap": (
        P().has_overlap("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [float(shared(a, b) > 0)],
    ),
    "overlap_count": (
        P().overlap_count("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [float(shared(a, b))],
    ),
    "jaccard": (
        P().jaccard("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [shared(a, b) / max(len(a) + len(b) - shared(a, b), 1)],
    ),
}


def of_type(values, expected):
    """Whole numbers to the last bit, others as float32 rounds them."""
    whole = all(isinstance(value, int) for value in values)
    return expected if whole else pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_are_what_the_specification_says(table, name):
    rows, ds = table
    pipeline, inputs, expected = OPERATIONS[name]
    is_scored = pipeline.steps[0]["op"] == "enumerate" or "score" in name
    found = made(ds, pipeline, "x.weights" if is_scored else "x")
    assert len(found) == ROWS
    for row, values in zip(rows, found, strict=True):
        taken = [row.get(column) for column in inputs]
        if None in taken:
            assert values is None
        else:
            assert values == of_type(values, expected(*taken))


def test_fill_gives_what_is_missing(table):
    rows, ds = table
    pipeline = dsi.Pipeline().fill("x", "price", value=-2.5).fill("y", "clicks", value=9)
    prices, clicks = made(ds, pipeline, "x"), made(ds, pipeline, "y")
    assert prices == [[row.get("price", -2.5)] for row in rows]
    assert clicks == [row.get("clicks", [9]) for row in rows]


def test_every_operation_has_a_method_and_a_case():
    methods = {
        name
        for name, value in vars(dsi.Pipeline).items()
        if value.__doc__ and "(T-0" in value.__doc__
    }
    assert methods == {name.split()[0] for name in OPERATIONS} | {"fill"}


def test_published_vector():
    # T-020, as TorchArrow gives it.
    assert [hashed([x], 0, 100) for x in range(1, 17)] == [
        *(60, 54, 54, 9, 4, 91, 11, 67),
        *(79, 2, 25, 92, 98, 83, 66, 2),
    ]


# -- Where batches have what is made.


def everywhere():
    return (
        dsi.Pipeline()
        .lastx("recent", "clicks", n=4)
        .sigrid_hash("recent_hashed", "recent", max=1000, salt=1)
        .sigrid_hash("session_hashed", "session", max=1000)
        .bucketize("price_bucket", "price", borders=[1, 3], side="left")
        .log1p("price_log", "price")
        .score_multiply("loud", "topics", value=2)
        .onehot("label_onehot", "label", n=2)
        .local_hour("hour", "time", unit="ms")
    )


def kjt_rows(parts, key):
    """Lists of a key, from lengths and values alone."""
    lengths = parts.lengths.reshape(len(parts.keys), parts.rows)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    at = parts.keys.index(key) * parts.rows
    return [parts.values[ends[at + i] : ends[at + i + 1]].tolist() for i in range(parts.rows)]


def test_outputs_stand_where_their_kind_belongs(table):
    rows, ds = table
    asked = [
        *("clicks", "recent_hashed", "session_hashed", "price_bucket"),
        *("price", "price_log", "loud", "label_onehot", "label"),
    ]
    at = 0
    for batch in ds.scan(asked, transforms=everywhere(), batch_size=128):
        of = rows[at : at + batch.num_rows]
        at += batch.num_rows
        keys = batch.kjt_parts()
        assert keys.keys == ["clicks", "recent_hashed", "session_hashed", "price_bucket"]
        assert keys.values.dtype == keys.lengths.dtype == np.int64
        assert kjt_rows(keys, "clicks") == [row.get("clicks", []) for row in of]
        assert kjt_rows(keys, "recent_hashed") == [
            [hashed([x], 1, 1000) for x in row.get("clicks", [])[-4:]] for row in of
        ]
        assert kjt_rows(keys, "session_hashed") == [
            [hashed([row["session"]], 0, 1000)] for row in of
        ]
        assert kjt_rows(keys, "price_bucket") == [
            [bisect.bisect_left([1, 3], row["price"])] if "price" in row else [] for row in of
        ]
        assert batch.dense_names() == ["price", "price_log"]
        assert np.allclose(np.log1p(batch.dense[:, 0]), batch.dense[:, 1], equal_nan=True)
        weighted = batch.kjt_parts("weighted")
        assert weighted.keys == ["loud.ids"]
        assert kjt_rows(weighted, "loud.ids") == [
            row.get("topics", {"ids": []})["ids"] for row in of
        ]
        weights = [f32(2 * w) for row in of for w in row.get("topics", {"weights": []})["weights"]]
        assert weighted.weights.tolist() == weights
        assert entries(batch.jagged("label_onehot"), len(of)) == [
            [1.0 - row["label"], float(row["label"])] for row in of
        ]
        assert batch.labels.tolist() == [row["label"] for row in of]
    assert at == ROWS


@pytest.mark.parametrize("form", ["expanded", "vbe", "ikjt"])
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_hashed_lists_are_keys_in_every_form(table, form, index_dtype):
    rows, ds = table
    pipeline, at = everywhere(), 0
    for batch in ds.scan(
        ["recent_hashed", "price_bucket"],
        transforms=pipeline,
        kjt=form,
        index_dtype=index_dtype,
        batch_size=128,
    ):
        of = rows[at : at + batch.num_rows]
        at += batch.num_rows
        expected = [[hashed([x], 1, 1000) for x in row.get("clicks", [])[-4:]] for row in of]
        if form == "ikjt":
            ikjt = batch.kjt()["recent_hashed"]
            unique = entries(ikjt, len(ikjt.offsets) - 1)
            assert len(unique) < len(of)
            assert [unique[i] or [] for i in ikjt.inverse] == expected
            assert ikjt.values.dtype == index_dtype
            continue
        parts = batch.kjt_parts()
        assert parts.values.dtype == index_dtype
        if form == "expanded":
            assert kjt_rows(parts, "recent_hashed") == expected
            continue
        ends = np.concatenate([[0], np.cumsum(parts.lengths)])
        lists = [parts.values[a:b].tolist() for a, b in itertools.pairwise(ends)]
        assert [lists[i] for i in parts.inverse[0]] == expected


def test_projections_take_outputs(table):
    rows, ds = table
    asked = [
        dsi.Padded("recent_hashed", width=4, pad="left", pad_value=-1),
        dsi.Dense(["price_bucket", "hour"], set="times", pad_value=-1),
        dsi.Padded("price_bucket", dtype="int64"),
        dsi.Kjt("loud", form="ikjt", set="loud"),
    ]
    batch = next(ds.scan(asked, transforms=everywhere(), batch_size=ROWS))
    lists = [[hashed([x], 1, 1000) for x in row.get("clicks", [])[-4:]] for row in rows]
    padded = batch.padded("recent_hashed").values
    assert padded.tolist() == [[-1] * (4 - len(one)) + one for one in lists]
    buckets = [bisect.bisect_left([1, 3], r["price"]) if "price" in r else -1 for r in rows]
    hours = [row["time"] // 3_600_000 % 24 for row in rows]
    times = batch.dense_of("times")
    assert times.dtype == np.float32
    assert times.tolist() == [list(map(float, pair)) for pair in zip(buckets, hours, strict=True)]
    assert batch.padded("price_bucket").values.dtype == np.int64
    loud = batch.kjt("loud")["loud.ids"]
    ends = loud.offsets[loud.inverse].tolist()
    for row, begin, unique in zip(rows, ends, loud.inverse, strict=True):
        weights = loud.weights[begin : loud.offsets[unique + 1]].tolist()
        assert weights == [f32(2 * w) for w in row.get("topics", {"weights": []})["weights"]]


def test_patterns_and_no_names(table):
    _, ds = table
    every = ["recent_hashed", "session_hashed", "price_bucket", "hour"]
    batch = next(ds.scan(transforms=everywhere()))
    assert batch.kjt_parts().keys == every
    assert batch.dense_names() == ["price_log"]  # And no columns.
    batch = next(ds.scan("price*", transforms=everywhere()))
    assert batch.kjt_parts().keys == ["price_bucket"]
    assert batch.dense_names() == ["price_log", "price"]
    names = [column.name for column in ds.columns(everywhere()) if column.is_made]
    assert names == [*every[:3], "price_log", "loud.ids", "loud.weights", "label_onehot", "hour"]
    assert not any(column.is_made for column in ds.columns())


def test_arrow_has_outputs(table):
    rows, ds = table
    pyarrow = pytest.importorskip("pyarrow")
    made_of = pyarrow.table(
        ds.arrow(["price_bucket", "recent_hashed", "label"], transforms=everywhere())
    )
    assert made_of.column_names == ["price_bucket", "recent_hashed", "label"]
    assert made_of["price_bucket"].to_pylist() == [
        bisect.bisect_left([1, 3], row["price"]) if "price" in row else None for row in rows
    ]
    assert ds.arrow(transforms=everywhere()).column_names[:2] == ["recent_hashed", "session_hashed"]


def test_torchrec_takes_hashed_lists(table):
    pytest.importorskip("torchrec", reason="torchrec and fbgemm-gpu-cpu are not installed")
    import torch
    from torchrec.modules.embedding_configs import EmbeddingBagConfig
    from torchrec.modules.embedding_modules import EmbeddingBagCollection

    rows, ds = table
    keys = ["recent_hashed", "price_bucket"]
    config = [
        EmbeddingBagConfig(name=key, embedding_dim=4, num_embeddings=1000, feature_names=[key])
        for key in keys
    ]
    model = EmbeddingBagCollection(config)
    batch = next(ds.scan(keys, transforms=everywhere(), framework="torch", batch_size=100))
    found = model(batch.kjt())["recent_hashed"]
    weights = model.embedding_bags["recent_hashed"].weight
    for row, pooled in zip(rows[:100], found, strict=True):
        ids = [hashed([x], 1, 1000) for x in row.get("clicks", [])[-4:]]
        assert torch.allclose(pooled, weights[ids].sum(0), atol=1e-6)


def test_rows_do_not_change_with_order_filter_or_threads(table):
    rows, ds = table
    pipeline = everywhere()
    expected = made(ds, pipeline, "recent_hashed")
    assert made(ds, pipeline, "recent_hashed", threads=2, read_ahead_bytes=1 << 20) == expected
    kept = made(ds, pipeline, "recent_hashed", where=("label", "==", 1))
    assert kept == [one for one, row in zip(expected, rows, strict=True) if row["label"] == 1]


# -- JSON, and what is wrong.


def test_json_round_trip(tmp_path):
    for pipeline, *_ in OPERATIONS.values():
        text = pipeline.to_json()
        assert dsi.Pipeline.from_json(text).to_json() == text
        assert pickle.loads(pickle.dumps(pipeline)) == pipeline
    pipeline = everywhere().keep("recent_hashed", "price_log")
    pipeline.save(tmp_path / "pipeline.json")
    read = dsi.Pipeline.load(tmp_path / "pipeline.json")
    assert read == dsi.Pipeline.from_json(pipeline.to_json())
    assert read.outputs == ["recent_hashed", "price_log"]
    assert read.features == ["clicks", "session", "price", "topics", "label", "time"]
    assert len(read) == len(pipeline) == 8


def test_json_and_dicts_are_taken_as_they_are(table):
    _, ds = table
    pipeline = everywhere()
    for form in (pipeline, pipeline.to_json(), json.loads(pipeline.to_json()), pipeline.to_dict()):
        assert made(ds, form, "recent_hashed") == made(ds, pipeline, "recent_hashed")


def test_files_are_read_by_dsictl(table, dsictl, tmp_path):
    rows, ds = table
    dsi.Pipeline().lastx("recent", "clicks", n=4).save(tmp_path / "p.json")
    told = dsictl("transform", tmp_path / "p.json", ds.files[0].path, "-n", 3)
    first = next(row["clicks"][-4:] for row in rows if row.get("clicks"))
    assert str(first[0]) in told


def test_explain_tells_what_runs(table):
    told = table[1].explain(everywhere())
    assert 'output "recent_hashed"' in told and '"clicks"' in told.splitlines()[0]


def wrong(pipeline, error=dsi.BadInput):
    with pytest.raises(error) as caught:
        pipeline()
    return str(caught.value)


def test_a_step_that_cannot_be_is_named():
    start = dsi.Pipeline().lastx("recent", "clicks", n=4)
    told = wrong(
        lambda: pickle.loads(pickle.dumps(start)).sigrid_hash("h", "recent", max=0).check()
    )
    assert 'steps[1] "h" (sigrid_hash)' in told and '"max"' in told
    told = wrong(
        lambda: dsi.Pipeline().bucketize("b", "price", borders=[2, 1], side="left").check()
    )
    assert 'steps[0] "b" (bucketize)' in told and "sort them" in told
    told = wrong(
        lambda: dsi.Pipeline().bucketize("b", "price", borders=[1], side="middle").to_json()
    )
    assert "side" in told
    told = wrong(lambda: dsi.Pipeline().keep("nothing").log1p("l", "price").check())
    assert "nothing" in told
    told = wrong(lambda: dsi.Pipeline.from_json('{"version": 1, "steps": ['))
    assert told
    told = wrong(
        lambda: dsi.Pipeline().log1p("a", "b").fill("f", "a", value=math.nan), dsi.InvalidArgument
    )
    assert told == 'steps[1] "f" (fill): "value" is nan, expected a finite number'
    with pytest.raises(TypeError):
        dsi.Pipeline().firstx("x", "clicks", n=2.5)


def test_a_feature_that_does_not_fit_is_named(table):
    _, ds = table
    scan = lambda pipeline, *names: lambda: ds.scan(list(names) or None, transforms=pipeline)  # noqa: E731
    told = wrong(scan(dsi.Pipeline().log1p("l", "prcie")), dsi.NotFound)
    assert 'steps[0] "l" (log1p)' in told and '"prcie"' in told and "price" in told
    told = wrong(scan(dsi.Pipeline().modulus("m", "price", max=5)), dsi.InvalidArgument)
    assert 'steps[0] "m" (modulus)' in told and '"price"' in told
    told = wrong(scan(everywhere(), "recent_hashd"), dsi.NotFound)
    assert "'recent_hashd'" in told and "recent_hashed" in told
    told = wrong(scan(everywhere(), "recent"), dsi.NotFound)  # Not kept.
    assert "'recent'" in told
    told = wrong(scan(everywhere(), dsi.Padded("recent_hashed")), dsi.InvalidArgument)
    assert "recent_hashed" in told and "width" in told
    wide = dsi.Pipeline().sigrid_hash("h", "clicks", max=2**40)
    told = wrong(lambda: ds.scan("h", transforms=wide, index_dtype="int32"), dsi.InvalidArgument)
    assert "h: the pipeline makes int64, int32 asked for" in told and "cast" in told


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (SOURCE / "docs" / "python-transforms.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    exec("\n".join(blocks), {})
    told = capsys.readouterr().out
    assert "['recent_hashed', 'price_bucket'] ['price_log'] (200,)" in told
    assert 'output "recent_hashed"' in told

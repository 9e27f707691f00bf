"""Where batches have what pipelines make: in every form of keys, padded, dense, in Arrow."""

import bisect
import dataclasses
import itertools
import pickle

import dsi
import numpy as np
import pytest
from transform_rows import ROWS, entries, everywhere, f32, hashed, made, write_table


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_table(tmp_path_factory.mktemp("transforms"))


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


@pytest.mark.parametrize("workers", [0, 2])
def test_loaders_make_features(table, workers):
    torch = pytest.importorskip("torch")
    _, ds = table
    loader = ds.loader(
        ["recent_hashed", "label"], transforms=everywhere(), batch_size=64, shuffle=True, seed=3
    )
    again = pickle.loads(pickle.dumps(loader))
    expected = made(ds, everywhere(), "recent_hashed")
    seen = []
    for batch in torch.utils.data.DataLoader(again, batch_size=None, num_workers=workers):
        parts, numbers = batch.kjt_parts(), batch.rows()[1].tolist()
        assert parts.keys == ["recent_hashed"]
        lists = kjt_rows(
            dataclasses.replace(parts, values=parts.values.numpy(), lengths=parts.lengths.numpy()),
            "recent_hashed",
        )
        assert lists == [expected[number] or [] for number in numbers]
        seen += numbers
    assert sorted(seen) == list(range(ROWS)) != seen

"""Keywords of scans and loaders: what each takes, and what is said of another value."""

import json
import pickle
import warnings

import dsi
import numpy as np
import pytest
from loading import all_of, rows_of


@pytest.fixture
def clicks(sessions):
    return dsi.open(sessions)


WRONG = [
    ({"batch_size": 512.0}, "batch_size is 512.0, expected a whole number from 1"),
    ({"batch_size": "512"}, "batch_size is '512', expected a whole number from 1"),
    ({"batch_size": -1}, "batch_size is -1, expected a whole number from 1"),
    ({"batch_size": 0}, "batch_size is 0, expected a whole number from 1"),
    ({"batch_size": None}, "batch_size is None, expected a whole number from 1"),
    ({"batch_size": 1 << 40}, "expected a whole number from 1 to 4294967295"),
    ({"seed": None}, "seed is None, expected a whole number from 0"),
    ({"seed": -1}, "seed is -1, expected a whole number from 0"),
    ({"seed": 1 << 64}, "expected a whole number from 0 to 18446744073709551615"),
    ({"epoch": 1.5}, "epoch is 1.5, expected a whole number from 0"),
    ({"epoch": -1}, "epoch is -1, expected a whole number from 0"),
    ({"threads": -1}, "threads is -1, expected a whole number from 0"),
    ({"block_rows": 0}, "block_rows is 0, expected a whole number from 1"),
    ({"mixing_rows": None}, "mixing_rows is None, expected a whole number from 0"),
    ({"rank": "0", "world": 1}, "rank is '0', expected a whole number from 0"),
    ({"drop_last": 1}, "drop_last is 1, expected True or False"),
    ({"shuffle": "rows"}, "shuffle is 'rows', expected True, False or one of 'none', 'block'"),
    ({"shuffle": None}, "shuffle is None, expected True, False or one of"),
    ({"mix": "all"}, "mix is 'all', expected 'sessions' or 'rows'"),
    ({"remainder": None}, "remainder is None, expected 'drop', 'pad' or 'uneven'"),
    ({"access_log": 3}, "access_log is 3, expected a str"),
    ({"rows": (0, 100)}, "rows is (0, 100), expected spans (begin, end) such as [(0, 1000)"),
    ({"rows": [(0, 1.5)]}, "rows is [(0, 1.5)], expected spans"),
    ({"rows": [(-1, 5)]}, "rows is [(-1, 5)], expected spans"),
    ({"rows": 5}, "rows is 5, expected spans"),
    ({"sample": "0.1"}, "sample is '0.1', expected a share of the rows from 0 to 1, such as 0.1"),
    ({"sample": 1.5}, "sample is 1.5, expected a share"),
    ({"sample": [0.1, 0.2, 0.3]}, "sample is [0.1, 0.2, 0.3], expected a share"),
    ({"transforms": 3}, "transforms is 3, expected a dsi.Pipeline"),
]


@pytest.mark.parametrize(("keywords", "said"), WRONG, ids=[str(one)[:40] for one, _ in WRONG])
def test_what_cannot_be_is_told_at_once(clicks, keywords, said):
    for call in (clicks.scan, clicks.loader):
        with pytest.raises(dsi.InvalidArgument) as error:
            call("label", framework="numpy", **keywords)
        assert said in str(error.value)
        assert len(str(error.value)) < 300


def test_a_batch_size_beyond_all_is_told_when_the_loader_is_made(clicks):
    with pytest.raises(dsi.InvalidArgument, match="batch_size"):
        clicks.loader("label", framework="numpy", batch_size=1 << 31)


def test_numbers_of_numpy_are_taken_everywhere(clicks, tmp_path):
    asked = {
        "batch_size": np.int64(256),
        "drop_last": np.bool_(True),
        "seed": np.uint64(5),
        "epoch": np.int32(2),
        "block_rows": np.int16(100),
        "mixing_rows": np.int64(500),
        "threads": np.int8(1),
        "rank": np.int64(0),
        "world": np.int64(2),
        "rows": np.array([[0, 1000], [1500, 3000]]),
        "sample": np.float32(0.5),
        "sample_seed": np.int64(3),
        "shuffle": np.bool_(True),
        "access_log": tmp_path / "log",
    }
    plain = {name: getattr(value, "tolist", lambda v=value: v)() for name, value in asked.items()}
    expected = rows_of(clicks.loader("label", framework="numpy", **plain))
    assert sum(map(len, expected)) > 0
    for keywords in (asked, plain):
        assert rows_of(clicks.scan("label", **keywords)) == expected
        loader = clicks.loader("label", framework="numpy", **keywords)
        assert rows_of(pickle.loads(pickle.dumps(loader))) == expected


def test_a_share_of_the_rows(clicks):
    expected = rows_of(clicks.scan("label", sample=[((), 0.25)]))
    assert 500 < sum(map(len, expected)) < 1000
    for sample in (0.25, ((), 0.25), [[(), 0.25]], iter([((), 0.25)])):
        assert rows_of(clicks.loader("label", framework="numpy", sample=sample)) == expected
    assert clicks.count_rows(sample=0.25) == sum(map(len, expected))
    assert clicks.count_rows(sample=0) == 0 and clicks.count_rows(sample=1) == 3000
    of_ones = (("label", "==", 1), 0.0)
    assert clicks.count_rows(sample=of_ones) == clicks.count_rows(("label", "==", 0))


def test_threads_of_a_scan_may_be_those_of_the_rank(clicks):
    expected = rows_of(clicks.scan("label"))
    assert rows_of(clicks.scan("label", threads=None)) == expected


def test_shuffle_is_the_same_for_scans_and_loaders(clicks):
    orders = [
        rows_of(call("label", framework="numpy", batch_size=256, seed=5, shuffle=shuffle))
        for call in (clicks.scan, clicks.loader)
        for shuffle in (True, "block")
    ]
    assert orders[0] != rows_of(clicks.scan("label", batch_size=256))
    assert orders == [orders[0]] * 4
    for shuffle in (False, "none"):
        assert rows_of(clicks.scan("label", shuffle=shuffle)) == rows_of(clicks.scan("label"))


@pytest.mark.parametrize("shuffle", ["block", "stripe", "file"])
def test_rows_are_mixed_whatever_the_unit(clicks, tmp_path, shuffle):
    """A file of one stripe comes in another order as well."""
    path = tmp_path / "one.dsi"
    dsi.rewrite(clicks, path)
    one = dsi.open(path)

    def order(**keywords):
        loader = one.loader("label", framework="numpy", batch_size=256, shuffle=shuffle, **keywords)
        return rows_of(loader)

    in_order = rows_of(one.scan("label", batch_size=256))
    assert order() != in_order and all_of(order()) == list(range(3000))
    assert order() == order(mixing_rows=131_072)
    assert order(mixing_rows=0) == in_order
    state = json.loads(one.scan("label", shuffle=shuffle).state)["order"]
    assert (state["mixing_rows"], state["block_rows"]) == (131_072, 32_768)


def test_windows_in_bytes(clicks):
    """As many rows as are expected to take so much, of the features of the loader."""

    def loader(features, **keywords):
        return clicks.loader(features, framework="numpy", batch_size=64, shuffle=True, **keywords)

    def mixed(features):
        scan = clicks.scan(features, batch_size=64, shuffle=True, mixing_bytes=60_000)
        return json.loads(scan.state)["order"]["mixing_rows"]

    some, all_ = mixed("label"), mixed(None)
    assert some % 64 == all_ % 64 == 0 and some > 2 * all_ > 0
    rows = rows_of(loader("label", mixing_bytes=60_000))
    assert rows == rows_of(loader("label", mixing_rows=some))
    # A state knows how many they are.
    begun = loader("label", mixing_bytes=60_000)
    batches = iter(begun)
    for _ in range(5):
        next(batches)
    state = begun.state_dict()
    batches.close()
    going_on = loader(None, mixing_bytes=9_000_000, state=state)
    assert rows_of(going_on) == rows[5:]
    assert loader("label", mixing_bytes=60_000).shuffle_report().mixing_rows == some
    assert loader(None, mixing_bytes=60_000, state=state).shuffle_report().mixing_rows == some
    with pytest.raises(dsi.InvalidArgument, match="mixing_rows and mixing_bytes: give one of them"):
        loader("label", mixing_bytes=5, mixing_rows=5)
    with pytest.raises(dsi.InvalidArgument, match="mixing_bytes is 0, expected"):
        loader("label", mixing_bytes=0)


def test_a_state_of_the_other_kind(clicks):
    loader = clicks.loader("label", framework="numpy", batch_size=256)
    with pytest.raises(dsi.InvalidArgument, match=r"state_dict\(\) of a loader .* Dataset.loader"):
        clicks.scan("label", batch_size=256, state=loader.state_dict())
    assert len(clicks.scan("label", batch_size=256, state=None)) == 12


def test_epochs_are_whole_numbers(clicks):
    loader = clicks.loader("label", framework="numpy", batch_size=256)
    for wrong in ("3", 1.0, -1, None):
        with pytest.raises(dsi.InvalidArgument, match=r"epoch is .+, expected a whole number"):
            loader.set_epoch(wrong)
    with pytest.raises(dsi.InvalidArgument, match="epoch is '3'"):
        dsi.mix([(loader, 1)], epoch="3")
    loader.set_epoch(np.int64(3))
    state = json.loads(json.dumps(loader.state_dict()))
    assert state["epoch"] == 3
    again = clicks.loader("label", framework="numpy", batch_size=256, epoch=np.int64(1))
    assert json.dumps(again.state_dict())
    again.load_state_dict(state)
    assert again.epoch == 3


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"rank": 1, "world": 2}, ["rank 1 of world 2", "3000 rows", "make 1", "'drop'"]),
        ({"drop_last": True}, ["drop_last=True", "make 0"]),
        ({"rank": 1, "world": 2, "rows": [(0, 10)]}, ["10 rows"]),
    ],
)
def test_a_rank_without_batches_is_warned_of(clicks, keywords, words):
    with pytest.warns(UserWarning, match="gets no batch") as told:
        loader = clicks.loader("label", framework="numpy", batch_size=4096, **keywords)
    assert told[0].filename == __file__
    assert all(word in str(told[0].message) for word in [*words, "batch_size=4096"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(pickle.loads(pickle.dumps(loader))) == []
        usual = {"framework": "numpy", "batch_size": 4096, **keywords}
        assert len(clicks.loader("label", **{**usual, "rows": [(0, 0)]})) == 0
        assert len(clicks.loader("label", **{**usual, "batch_size": 4})) > 0
        assert len(clicks.loader("label", **{**usual, "rank": 0, "world": 1, "drop_last": False}))


def test_members_of_projections(clicks):
    for make, said in (
        (lambda: dsi.Padded("user.*", width=4.0), "width is 4.0, expected a whole number from 0"),
        (lambda: dsi.Padded("user.*", keep="all"), "keep is 'all', expected 'first' or 'last'"),
        (lambda: dsi.Padded("user.*", pad=0), "pad is 0, expected 'left' or 'right'"),
        (lambda: dsi.Padded("user.*", pad_value="0"), "pad_value is '0', expected a number"),
        (lambda: dsi.Jagged("user.*", unique=1), "unique is 1, expected True or False"),
        (lambda: dsi.Dense("dense.*", set=None), "set is None, expected a str"),
        (lambda: dsi.Dense(3), "names is 3, expected a name"),
        (lambda: clicks.scan(dsi.Dense("dense.*", dtype=complex)), "dtype is 'complex', expected"),
        (lambda: clicks.scan(dsi.Dense("dense.*", dtype=3)), "dtype is '3', expected 'int32'"),
    ):
        with pytest.raises(dsi.InvalidArgument) as error:
            make()
        assert said in str(error.value)


def test_dtypes_of_frameworks(clicks):
    torch = pytest.importorskip("torch")
    expected = next(clicks.scan(dsi.Dense("dense.*", dtype="float64"))).dense
    assert expected.dtype == np.float64
    for dtype in (np.float64, np.dtype("float64"), torch.float64):
        found = next(clicks.scan(dsi.Dense("dense.*", dtype=dtype))).dense
        assert found.dtype == np.float64 and np.array_equal(found, expected, equal_nan=True)
    for dtype in (np.int32, np.dtype("int32"), torch.int32):
        batch = next(clicks.scan("item.cats", index_dtype=dtype))
        assert batch.kjt_parts().values.dtype == np.int32
    padded = dsi.Padded("item.cats", width=np.int64(2), pad_value=np.float32(-1), dtype=np.int32)
    assert next(clicks.scan(padded)).padded("item.cats").values.dtype == np.int32

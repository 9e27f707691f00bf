"""What rows and progress may do to the writer that takes them, and what values may raise."""

from decimal import Decimal
from fractions import Fraction

import dsi
import pytest

SCHEMA = {
    "features": [
        {"name": "id", "kind": "key", "type": "int64"},
        {"name": "u", "kind": "key", "type": "uint64"},
        {"name": "l", "kind": "list", "type": "int64"},
        {"name": "x", "kind": "dense", "type": "float64"},
        {"name": "f", "kind": "list", "type": "float64"},
    ]
}


@pytest.mark.parametrize("how", ["discard", "finish"])
@pytest.mark.parametrize("num_rows", [10, 20_000])
def test_rows_that_end_their_writer(tmp_path, how, num_rows):
    writer = dsi.Writer(tmp_path / "a.dsi", SCHEMA)

    def rows():
        for i in range(num_rows):
            yield {"id": i}
        getattr(writer, how)()
        for i in range(num_rows):
            yield {"id": i}

    with pytest.raises(dsi.InvalidArgument, match="finished or was given up"):
        writer.append(rows())
    assert (tmp_path / "a.dsi").exists() == (how == "finish")


def test_progress_that_ends_its_writer(tmp_path):
    def progress(phase, done, total):
        if phase == "append":
            writer.discard()
        return True

    writer = dsi.Writer(tmp_path / "a.dsi", SCHEMA, progress=progress)
    with pytest.raises((dsi.InvalidArgument, dsi.Cancelled)):
        writer.append({"id": i} for i in range(30_000))
    assert list(tmp_path.iterdir()) == []


class Raises:
    """Looks like an array, and is none."""

    def tolist(self):
        raise KeyError("no list")


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"l": ["x"]}, dsi.BadInput),
        ({"l": Raises()}, KeyError),
        ({"id": 10**5000}, dsi.OutOfRange),
        ({"l": [10**5000]}, dsi.OutOfRange),
    ],
)
def test_rows_before_one_that_is_refused_are_added(tmp_path, bad, error):
    with dsi.Writer(tmp_path / "a.dsi", SCHEMA) as writer:
        with pytest.raises(error):
            writer.append([*({"id": i} for i in range(10)), bad, {"id": 11}])
        assert writer.num_rows == 10
        writer.append([{"id": 10}])
        writer.finish()
    assert dsi.open(tmp_path / "a.dsi").to_arrow()["id"].to_pylist() == list(range(11))


BIG = 2**53 + 1


@pytest.mark.parametrize("kind", [Decimal, Fraction])
def test_decimals_and_fractions_are_exact(tmp_path, kind):
    row = {"id": kind(BIG), "u": kind(2**64 - 1), "l": [kind(2**60 + 1), 5], "x": kind(1) / 2}
    dsi.write([row], tmp_path / "a.dsi", SCHEMA)
    back = dsi.open(tmp_path / "a.dsi").to_arrow().to_pylist()[0]
    assert back["id"] == BIG and back["u"] == 2**64 - 1
    assert back["l"] == [2**60 + 1, 5] and back["x"] == 0.5
    for bad in (kind(3) + kind(1) / kind(10**25), kind(1) / 2, kind(2**64)):
        with pytest.raises((dsi.BadInput, dsi.OutOfRange)):
            dsi.write([{"id": bad}], tmp_path / "b.dsi", SCHEMA)
        with pytest.raises((dsi.BadInput, dsi.OutOfRange)):
            dsi.write([{"l": [bad]}], tmp_path / "b.dsi", SCHEMA)


def test_whole_numbers_that_floats_hold(tmp_path):
    rows = [{"f": [None, 2**60]}, {"f": [0.5, 2**63, -(2**63)]}]
    dsi.write(rows, tmp_path / "a.dsi", SCHEMA, null_entries="fill")
    back = dsi.open(tmp_path / "a.dsi").to_arrow()["f"].to_pylist()
    assert back[0][1] == 2**60 and back[1] == [0.5, 2**63, -(2**63)]
    with pytest.raises(dsi.OutOfRange, match="that floats do not hold exactly"):
        dsi.write([{"f": [0.5, BIG]}], tmp_path / "b.dsi", SCHEMA)

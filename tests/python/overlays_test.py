"""Features added to files that are there, from Python."""

import dsi
import numpy as np
import pytest


@pytest.fixture
def base(tmp_path):
    rows = [{"id": 3 * i, "user": f"u{i // 5}", "clicks": [i, i + 1]} for i in range(400)]
    path = tmp_path / "a.dsi"
    dsi.write(rows, path, stripe_rows=100)
    return path


def column(where, name):
    rows = []
    for batch in dsi.open(where).scan([dsi.Jagged([name])], batch_size=1000):
        view = batch.jagged(name)
        rows += [list(row) for row in np.split(np.asarray(view.values), view.offsets[1:-1])]
    return rows


def test_rows_by_key(base, tmp_path):
    over = tmp_path / "a.over.dsi"
    rows = [{"id": i, "topics": [i, i]} for i in range(1199, 299, -1)]
    phases = set()
    report = dsi.write_overlay(
        base, rows, over, key="id", progress=lambda phase, done, total: phases.add(phase)
    )
    assert (report.num_given, report.num_unused, report.num_deleted) == (300, 600, 0)
    assert report.write.num_rows == 400
    assert phases == {"keys", "read", "write"}
    assert column([base, over], "topics") == [[]] * 100 + [[3 * i] * 2 for i in range(100, 400)]
    both = dsi.open(tmp_path)
    assert (both.num_rows, [file.overlays for file in both.files]) == (400, [[str(over)]])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.dsi", "a.over.dsi"]
    with pytest.raises(dsi.InvalidArgument, match="twice"):
        dsi.write_overlay(base, [{"user": "u1", "x": 1}], tmp_path / "b.dsi", key="user")
    with pytest.raises(dsi.BadInput, match="name its base"):
        dsi.open(over)


def test_a_key_that_rows_share(base, tmp_path):
    over = tmp_path / "a.users.dsi"
    users = [{"user": f"u{u}", "age": u, "tags": [u, u]} for u in range(10, 100)]
    report = dsi.write_overlay(base, users, over, key="user", broadcast=True)
    assert (report.num_given, report.num_unused) == (350, 20)
    assert report.write.values_stored < report.write.values_in / 4
    assert column([base, over], "tags") == [[]] * 50 + [[i // 5] * 2 for i in range(50, 400)]


def test_many_bases(base, tmp_path):
    other, apart = tmp_path / "b.dsi", tmp_path / "c.dsi"
    dsi.write([{"id": 3 * i + 1, "user": "x"} for i in range(100)], other)
    dsi.write([{"id": -i - 1, "user": "x"} for i in range(100)], apart)
    rows = [{"id": i, "topics": [i, i]} for i in range(600)]
    report = dsi.write_overlays([base, other, apart], rows, "{}.over.dsi", key="id")
    assert [(o.base, o.path) for o in report.overlays] == [
        (str(path), str(path)[:-4] + ".over.dsi") for path in (base, other, apart)
    ]
    made = [o.report for o in report.overlays]
    assert made[2] is None
    assert [o.num_given for o in made[:2]] == [200, 100]
    assert report.num_unused == 300
    assert column([base, report.overlays[0].path], "topics")[:200] == [
        [3 * i] * 2 for i in range(200)
    ]
    # A dataset of bases, with the overlays that they have.
    again = dsi.write_overlays(dsi.open(tmp_path), rows, str(tmp_path / "o-{}.dsi"), key="id")
    assert [o.path for o in again.overlays] == [str(tmp_path / f"o-{n}.dsi") for n in "abc"]
    with pytest.raises(dsi.AlreadyExists):
        dsi.write_overlays([base, other], rows, "{}.over.dsi", key="id")
    with pytest.raises(dsi.InvalidArgument, match=r"has no \{\}"):
        dsi.write_overlays([base, other], rows, "over.dsi", key="id")


def test_arrays_in_order_files_and_datasets(base, tmp_path):
    over = tmp_path / "a.over.dsi"
    scores = np.arange(200, dtype=np.float32)
    report = dsi.write_overlay(base, {"score": scores}, over, rows=[(100, 300)])
    assert report.num_given == 200
    with pytest.raises(dsi.InvalidArgument, match="whole stripes"):
        dsi.write_overlay(base, {"score": scores}, tmp_path / "x.dsi", rows=[(50, 250)])
    # What is computed from a scan of the base.
    made = dsi.open(base).to_arrow(["clicks"]).rename_columns(["doubled"])
    dsi.write_overlay(base, made, tmp_path / "a.more.dsi")
    assert column([base, tmp_path / "a.more.dsi"], "doubled") == column(base, "clicks")
    # A file of rows, or a dataset of them.
    for i, rows in enumerate([base, dsi.open(base)]):
        path = tmp_path / f"a.same{i}.dsi"
        dsi.write_overlay(base, rows, path, key="id", only="user")
        assert [c.name for c in dsi.open([base, path]).columns()] == ["id", "user", "clicks"]
    with pytest.raises(TypeError, match="nonsense"):
        dsi.write_overlay(base, {"score": scores}, over, nonsense=1)
    with pytest.raises(dsi.AlreadyExists):
        dsi.write_overlay(base, {"score": np.arange(400)}, over)


def test_loaders_take_features_of_both(base, tmp_path):
    label = np.arange(400) % 2
    dsi.write_overlay(base, {"label": label, "id": np.arange(400)}, tmp_path / "a.label.dsi")
    loader = dsi.open(tmp_path).loader(
        [dsi.Kjt(["clicks"]), dsi.Dense(["label", "id"])], batch_size=64, seed=3
    )
    seen = []
    for batch in loader:
        seen += [tuple(row) for row in np.asarray(batch.dense)]
    assert sorted(seen, key=lambda row: row[1]) == [(i % 2, i) for i in range(400)]


def test_a_base_that_is_a_dataset(base, tmp_path):
    over = tmp_path / "a.over.dsi"
    report = dsi.write_overlay(dsi.open(base), {"x": [1.5] * 400}, over, rows=())
    assert report.num_given == 400
    other = tmp_path / "b.dsi"
    dsi.rewrite(base, other)
    for many in (dsi.open([base, other]), [base, other]):
        with pytest.raises(dsi.InvalidArgument, match=r"of 2 files, .*dsi\.write_overlays"):
            dsi.write_overlay(many, {"x": [1.5]}, over)
    with pytest.raises(dsi.InvalidArgument, match=r"rows is \(0, 100\), expected spans"):
        dsi.write_overlay(base, {"x": [1.5]}, tmp_path / "b.over.dsi", rows=(0, 100))


def test_rows_of_an_overlay_are_not_said_to_come_clustered(tmp_path):
    dsi.write([{"key": 1}], tmp_path / "a.dsi")
    with pytest.raises(dsi.InvalidArgument, match="have no keys"):
        dsi.write_overlay(tmp_path / "a.dsi", [{"x": 1.5}], tmp_path / "b.dsi", clustered=True)

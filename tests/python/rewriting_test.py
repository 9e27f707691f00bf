"""Files rewritten and rows deleted from Python."""

import random

import dsi
import pytest


@pytest.fixture
def clicks(tmp_path):
    rows = [
        {"user_id": i // 5, "label": i % 3, "old": i, "clicks": [i // 5, i // 7]}
        for i in range(500)
    ]
    path = tmp_path / "a.dsi"
    dsi.write(rows, path, cluster_by="user_id")
    return rows, path


def test_files_are_merged_and_features_changed(clicks, tmp_path):
    rows, path = clicks
    both = tmp_path / "both.dsi"
    written = dsi.rewrite(
        [path],
        both,
        drop="old",
        rename={"label": "clicked"},
        metadata={"day": "1"},
        where=("label", "==", 1),
        threads=1,
    )
    assert [shard.path for shard in written] == [str(both)]
    assert written[0].report.num_rows == sum(row["label"] == 1 for row in rows)
    names = {column.name for column in dsi.open(both).columns()}
    assert names == {"user_id", "clicked", "clicks"}
    with pytest.raises(dsi.InvalidArgument, match="lable"):
        dsi.rewrite(path, tmp_path / "no.dsi", drop="lable")
    with pytest.raises(TypeError, match="positional"):
        dsi.rewrite(source=path, to=tmp_path / "no.dsi")
    with pytest.raises(TypeError, match="positional"):
        dsi.recover(source=path, to=tmp_path / "no.dsi")
    with pytest.raises(TypeError, match="nonsense"):
        dsi.rewrite(path, tmp_path / "no.dsi", nonsense=1)
    with pytest.raises(dsi.AlreadyExists):
        dsi.rewrite(path, both)


def test_events_that_gained_a_field(tmp_path):
    """DS-026: older rows have as many entries of it as of the others, and merging stores them."""
    old = [{"user_id": i, "events": [{"item": i}, {"item": i + 1}]} for i in range(40)]
    new = [{"user_id": i, "events": [{"item": i, "price": i / 2, "n": 1}]} for i in range(40)]
    days = [tmp_path / "day1.dsi", tmp_path / "day2.dsi"]
    for rows, path in zip((old, new), days, strict=True):
        dsi.write(rows, path, keep_order=True)
    both = dsi.open(days)
    told = {found.column.name: found for found in both.column_files()}
    assert (told["events.price"].num_files, told["events.price"].num_blank) == (1, 1)
    assert (told["events.price"].first, told["events.item"].first) == (1, 0)
    assert told["events.item"].types == ["int64"] and told["events.item"].conflict is None
    table = both.to_arrow()
    assert table["events.item"].to_pylist()[39:41] == [[39, 40], [0]]
    assert table["events.n"].to_pylist()[39:41] == [[0, 0], [1]]
    price = table["events.price"].to_pylist()
    assert [len(row) for row in price] == [2] * 40 + [1] * 40
    assert all(value != value for row in price[:40] for value in row)
    assert price[42] == [1.0]
    dsi.rewrite(days, tmp_path / "both.dsi", keep_order=True)
    merged = dsi.open(tmp_path / "both.dsi").to_arrow()
    assert str(merged.to_pydict()) == str(table.to_pydict())
    batch = next(iter(both.scan([dsi.Jagged("events.price"), dsi.Jagged("events.item")])))
    price, item = batch.jagged("events.price"), batch.jagged("events.item")
    assert price.offsets.tolist() == item.offsets.tolist()
    # Back to what the older rows have.
    dsi.rewrite(days, tmp_path / "less.dsi", drop=["events.price", "events.n"])
    assert dsi.open(tmp_path / "less.dsi").to_arrow().column_names == ["user_id", "events.item"]


def test_shards_and_progress(clicks, tmp_path):
    _, path = clicks
    phases = set()
    written = dsi.rewrite(
        path,
        tmp_path / "shards",
        shard_rows=100,
        progress=lambda phase, done, total: phases.add(phase),
    )
    assert [shard.report.num_rows for shard in written] == [100] * 5
    assert phases == {"keys", "read", "write"}
    assert dsi.open(tmp_path / "shards").num_rows == 500
    with pytest.raises(dsi.Cancelled):
        dsi.rewrite(path, tmp_path / "never", shard_rows=9, progress=lambda *_: False)

    def fails(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        dsi.rewrite(path, tmp_path / "never", shard_rows=9, progress=fails)
    assert not (tmp_path / "never").exists()


def test_rows_are_deleted_and_then_gone(clicks, tmp_path):
    _, path = clicks
    users = ("user_id", "in", [3, 7, 1000])
    counted = dsi.delete_rows(path, users, dry_run=True)
    assert (counted.num_deleted, counted.num_deleted_rows) == (10, 10)
    assert dsi.delete_rows(path, [users]) == dsi.DeleteReport(500, 10, 10, path.stat().st_size)
    assert dsi.delete_rows(path, [("label", "==", 2), ("user_id", "<", 3)]).num_deleted == 5
    dsi.rewrite(path, tmp_path / "erased.dsi")
    assert dsi.open(tmp_path / "erased.dsi").num_rows == 485
    for wrong in ([], ("user_id", "in", "37"), ("user_id", "==", "3"), ("user_id", "exists", 1)):
        with pytest.raises(dsi.InvalidArgument):
            dsi.delete_rows(path, wrong)
    with pytest.raises(dsi.NotFound):
        dsi.delete_rows(tmp_path / "no.dsi", users)
    with pytest.raises(dsi.NotFound):
        dsi.delete_rows(path, ("user", "exists"))


def test_rows_of_files_that_are_one_table_are_deleted(tmp_path):
    def features(name):
        kinds = [{"name": name, "id": 7}, {"name": "row"}]
        return {"features": [{**one, "kind": "key", "type": "int64"} for one in kinds]}

    for part, name in enumerate(["user", "user", "user_id"]):
        rows = [{name: i % 10, "row": 100 * part + i} for i in range(100)]
        dsi.write(rows, tmp_path / f"{part}.dsi", features(name))
    dsi.write([{"row": 300}], tmp_path / "3.dsi", {"features": features("x")["features"][1:]})
    told = []
    asked = {"dry_run": True, "progress": lambda *now: told.append(now)}
    counted = dsi.delete_rows(dsi.open(tmp_path), ("user_id", "in", [3, 4]), **asked)
    assert [one.num_deleted for one in counted] == [20, 20, 20, 0]
    assert told[-1] == ("read", 301, 301)
    assert dsi.delete_rows(dsi.open(tmp_path), ("user_id", "in", [3, 4])) == [
        dsi.DeleteReport(one.num_rows, one.num_deleted, one.num_deleted, file.bytes)
        for one, file in zip(counted, dsi.open(tmp_path).files, strict=True)
    ]
    left = dsi.open(tmp_path).to_arrow(["row"])["row"].to_pylist()
    assert left == [i for i in range(301) if i % 10 not in (3, 4)]


def test_rows_of_a_list_of_files_are_deleted(clicks, tmp_path):
    rows, path = clicks
    other = tmp_path / "b.dsi"
    dsi.write(rows, other, cluster_by="user_id")
    for names in ([path, other], (str(path), str(other))):
        reports = dsi.delete_rows(names, ("user_id", "in", [3, 7]), dry_run=True)
        assert [report.num_deleted for report in reports] == [10, 10]
    for many in (tmp_path, f"{tmp_path}/", tmp_path / "*.dsi", tmp_path / "manifest.json"):
        with pytest.raises(dsi.InvalidArgument, match=r"dsi\.delete_rows\(dsi\.open\('.+'\), "):
            dsi.delete_rows(many, ("user_id", "==", 3))


def test_what_is_left_of_damaged_files(tmp_path):
    draw = random.Random(1)
    rows = [
        {"user_id": i, "label": i % 2, "clicks": [draw.randrange(1 << 40) for _ in range(60)]}
        for i in range(3000)
    ]
    path, to = tmp_path / "a.dsi", tmp_path / "sound.dsi"
    dsi.write(rows, path, keep_order=True, stripe_rows=1000)
    sound = path.read_bytes()
    assert dsi.recover(path, to).lost == []
    for at in range(len(sound) // 3, len(sound) * 2 // 3, 1000):
        damaged = bytearray(sound)
        damaged[at] ^= 16
        path.write_bytes(damaged)
        try:
            dsi.open(path).to_arrow(["label", "user_id"])
        except dsi.Corrupt:
            continue
        report = dsi.recover(path, to, overwrite=True)
        if report.lost:
            break
    (lost,) = report.lost
    assert (lost.path, lost.features, lost.left_out) == (str(path), ["clicks"], True)
    assert (lost.begin % 1000, lost.end - lost.begin, report.num_rows_left_out) == (0, 1000, 1000)
    assert "F-010" in lost.message
    left = [row for i, row in enumerate(rows) if not lost.begin <= i < lost.end]
    assert dsi.open(to).to_arrow(["clicks"])["clicks"].to_pylist() == [r["clicks"] for r in left]
    phases = []
    kept = dsi.recover(
        path,
        to,
        keep_rows=True,
        overwrite=True,
        progress=lambda phase, done, total: phases.append(phase),
    )
    assert kept.num_rows_left_out == 0 and not kept.lost[0].left_out
    assert {"check", "read", "write"} <= set(phases)
    lists = dsi.open(to).to_arrow(["clicks"])["clicks"].to_pylist()
    assert lists[lost.begin : lost.end] == [None] * 1000
    assert lists[: lost.begin] == [row["clicks"] for row in rows[: lost.begin]]
    with pytest.raises(dsi.Cancelled):
        dsi.recover(path, tmp_path / "no.dsi", progress=lambda *_: False)
    path.write_bytes(sound[:-100])
    with pytest.raises(dsi.Error, match="F-030"):
        dsi.recover(path, tmp_path / "no.dsi")
    assert not (tmp_path / "no.dsi").exists()

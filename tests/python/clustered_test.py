"""`clustered`: rows that come so are written while they come, and others are refused."""

import json
import os
import subprocess
import sys

import dsi
import pyarrow
import pyarrow.parquet
import pytest

KEYS = ("user", "time")
SCHEMA = {
    "features": [
        {"name": "user", "kind": "key", "type": "bytes"},
        {"name": "time", "kind": "timestamp", "type": "int64", "unit": "s"},
        {"name": "clicks", "kind": "list", "type": "int64"},
    ]
}
# 100 sessions of 1 to 9 rows, whose first times go down.
ROWS = [
    {"user": f"user {session}", "time": 10_000 - 20 * session + row, "clicks": [session, row]}
    for session in range(100)
    for row in range(1 + session * 5 % 9)
]


def times(path):
    return dsi.open(path).to_arrow()["time"].cast(pyarrow.int64()).to_pylist()


def test_rows_are_written_while_they_come(tmp_path):
    phases = []
    with dsi.Writer(
        tmp_path / "a.dsi",
        SCHEMA,
        KEYS,
        clustered=True,
        stripe_rows=20,
        progress=lambda phase, _done, _all: phases.append(phase),
    ) as writer:
        for row in ROWS:
            writer.append([row])
        assert "encode" in phases
        report = writer.finish()
    assert (report.num_rows, report.num_sessions) == (len(ROWS), 100)
    assert report.num_stripes > 10
    assert report.came_clustered
    clicks = dsi.open(tmp_path / "a.dsi")
    assert clicks.schema["cluster_by"] == list(KEYS)
    assert clicks.to_arrow()["user"].to_pylist() == [row["user"] for row in ROWS]
    assert times(tmp_path / "a.dsi") == [row["time"] for row in ROWS]
    dsi.verify(tmp_path / "a.dsi")
    usual = dsi.write(ROWS, tmp_path / "b.dsi", SCHEMA, KEYS)
    assert (usual.num_sessions, usual.came_clustered) == (100, False)
    assert times(tmp_path / "b.dsi") != [row["time"] for row in ROWS]


def test_rows_that_come_otherwise_are_refused(tmp_path):
    again = [*ROWS, {**ROWS[3], "time": 20_000}]
    back = [dict(row) for row in ROWS]
    at = next(i for i in range(200, len(back)) if back[i]["user"] == back[i - 1]["user"])
    back[at]["time"] = 0
    for rows, words in ((again, f"row {len(ROWS)} "), (back, f"row {at} ")):
        for stripe_rows in (20, 1_000):
            with pytest.raises(dsi.BadInput, match=words):
                dsi.write(
                    rows,
                    tmp_path / "a.dsi",
                    SCHEMA,
                    KEYS,
                    clustered=True,
                    stripe_rows=stripe_rows,
                )
            assert os.listdir(tmp_path) == []
        dsi.write(rows, tmp_path / "a.dsi", SCHEMA, KEYS)
        os.remove(tmp_path / "a.dsi")


def test_keys_are_asked_for(tmp_path):
    with pytest.raises(dsi.InvalidArgument, match="no keys"):
        dsi.Writer(tmp_path / "a.dsi", SCHEMA, clustered=True)
    with pytest.raises(dsi.InvalidArgument, match="ignored"):
        dsi.Writer(tmp_path / "a.dsi", SCHEMA, KEYS, clustered=True, keep_order=True)
    assert os.listdir(tmp_path) == []


def test_a_file_is_rewritten_as_it_lies(tmp_path):
    options = {"clustered": True, "stripe_rows": 20}
    dsi.write(ROWS, tmp_path / "a.dsi", SCHEMA, KEYS, **options)
    for of, made in (("a", "b"), ("b", "c")):
        [shard] = dsi.rewrite(tmp_path / f"{of}.dsi", tmp_path / f"{made}.dsi", **options)
        report = shard.report
        assert (report.num_sessions, report.came_clustered) == (100, True)
        assert times(tmp_path / f"{made}.dsi") == [row["time"] for row in ROWS]
    assert (tmp_path / "b.dsi").read_bytes() == (tmp_path / "c.dsi").read_bytes()


def test_convert_of_parquet(tmp_path):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "a.parquet")

    def convert(*options):
        code = "from dsi._dsictl import main; main()"
        command = [sys.executable, "-c", code, "convert", "a.parquet", "a.dsi", "--force"]
        return subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True)

    keys = ("--session-key", "user", "--time", "time")
    done = convert(*keys, "--clustered", "--json", "--stripe-rows", "20")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["sessions"] == 100
    assert times(tmp_path / "a.dsi") == [row["time"] for row in ROWS]
    assert convert("--clustered", "--keep-order").returncode == 2
    turned = pyarrow.Table.from_pylist(ROWS[::-1])
    pyarrow.parquet.write_table(turned, tmp_path / "a.parquet")
    refused = convert(*keys, "--clustered")
    assert refused.returncode == 2
    assert "do not come clustered" in refused.stderr

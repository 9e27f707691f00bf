"""bench/loaders on a small table: dsi and Parquet give equal batches, and every figure is there."""

import json
import os
import subprocess
import sys

import pytest
from conftest import BUILD, SOURCE

pytest.importorskip("torch", reason="torch is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

FIGURES = {"samples_per_second", "cpu_us_per_sample", "first_batch_ms", "resident_mb"}
ROWS, BATCH = 2000, 512


def run(work, *options):
    command = [SOURCE / "bench" / "loaders", "--quick", "--rows", ROWS, "--batch-size", BATCH]
    done = subprocess.run(
        [*map(str, command), "--work", str(work), *options],
        capture_output=True,
        text=True,
        env={**os.environ, "DSI_BENCH_BUILD": str(BUILD), "PYTHON": sys.executable},
    )
    return done.returncode, done.stdout, done.stderr


def test_dsi_and_parquet_give_equal_batches_and_figures(tmp_path):
    code, said, why = run(tmp_path, "--peers", "dsi,pyarrow", "--json")
    assert code == 0, why
    table = json.loads(said)["clicks"]
    assert table["equal_batches"] == -(-ROWS // BATCH)
    assert set(table["files"]) == {"dsi", "pyarrow"}
    for form in ("full", "vbe"):
        for peer, figures in table["forms"][form].items():
            assert figures.keys() >= FIGURES, peer
            assert all(figures[name] > 0 for name in FIGURES - {"resident_mb"})
        assert 0 < table["forms"][form]["dsi"]["share_in_python"] < 1

    # A loader whose rows are others than dsi's is no measure: its file is made of other rows here.
    path = tmp_path / f"clicks-{ROWS}" / "pyarrow" / "table.parquet"
    rows = pq.read_table(path)
    pq.write_table(rows.take([1, 0, *range(2, ROWS)]), path)
    code, _, why = run(tmp_path, "--peers", "dsi,pyarrow", "--forms", "full")
    assert code != 0
    assert "pyarrow, form full: batch 0 of" in why


def test_what_it_does_not_know_is_refused(tmp_path):
    code, _, why = run(tmp_path, "--peers", "petastorm")
    assert code == 2
    assert "no loader petastorm" in why

"""Counts of values against numpy's of plain batches."""

import math
import subprocess
import sys

import dsi
import numpy as np
import pytest


@pytest.fixture(scope="module")
def dataset(sessions):
    return dsi.open(sessions)


def entries(dataset, column, **keywords):
    """All entries of all rows that have the column, and how many rows lack it."""
    parts, missing = [], 0
    for batch in dataset.scan([dsi.Jagged(column)], batch_size=512, **keywords):
        jagged = batch.jagged(column)
        parts.append(np.array(jagged.values))
        missing += int((~jagged.present).sum())
    return np.concatenate(parts), missing


@pytest.mark.parametrize("keywords", [{}, {"where": ("label", "==", 1)}, {"rows": [(5, 900)]}])
def test_counts_are_those_of_all_rows(dataset, keywords):
    numbers = [c.name for c in dataset.columns() if c.type != "bytes"]
    counted = dataset.value_counts(numbers, **keywords)
    assert list(counted) == numbers
    for name, counts in counted.items():
        values, missing = entries(dataset, name, **keywords)
        assert (counts.entries, counts.missing) == (len(values), missing)
        found = dict(zip(counts.values.tolist(), counts.counts.tolist(), strict=True))
        assert found == dict(
            zip(*(a.tolist() for a in np.unique(values, return_counts=True)), strict=True)
        )
        assert (np.diff(counts.counts.astype(np.int64)) <= 0).all()
        assert counts.column == name
        assert name in repr(counts)
        if len(values) == 0:
            assert math.isnan(counts.mean)
            continue
        assert counts.mean == pytest.approx(values.mean(dtype=np.float64), rel=1e-12, abs=1e-12)
        assert counts.deviation == pytest.approx(values.std(dtype=np.float64), rel=1e-9, abs=1e-12)
        expected = np.quantile(values, [0, 0.25, 1], method="inverted_cdf")
        assert counts.quantiles([0, 0.25, 1]) == expected.tolist()


def test_vocabularies_and_borders(dataset):
    counts = dataset.value_counts("user.*")
    assert all(name.startswith("user.") for name in counts)
    one = max(counts.values(), key=len)
    least = int(one.counts[len(one) // 2])
    assert one.at_least(least).tolist() == one.values[one.counts >= least].tolist()
    borders = one.borders(4)
    assert borders == sorted(set(one.quantiles([0.25, 0.5, 0.75])))
    with pytest.raises(dsi.InvalidArgument, match="2 or more"):
        one.borders(1)


def test_strings_are_bytes(tmp_path):
    dsi.write([{"city": c} for c in ["Oslo", "Bern", "Bern", ""]], tmp_path / "c.dsi")
    counts = dsi.open(tmp_path / "c.dsi").value_counts()["city"]
    assert counts.values == [b"Bern", b"", b"Oslo"]
    assert counts.at_least(2) == [b"Bern"]
    assert (counts.type, counts.rows, counts.lengths) == ("bytes", 4, (1, 1))
    with pytest.raises(dsi.InvalidArgument, match="strings"):
        counts.quantiles([0.5])


def test_what_a_pipeline_makes(dataset):
    lists = next(c.name for c in dataset.columns() if c.kind == "list")
    pipeline = dsi.Pipeline().modulus("bucket", lists, max=11)
    counts = dataset.value_counts(transforms=pipeline)
    assert list(counts) == ["bucket"]
    values, _ = entries(dataset, lists)
    assert counts["bucket"].counts.sum() == len(values)
    of_each = np.bincount(np.mod(values, 11))
    assert counts["bucket"].counts.tolist() == of_each[counts["bucket"].values].tolist()


def test_errors_and_limits(dataset):
    with pytest.raises(dsi.NotFound, match="nothing"):
        dataset.value_counts("nothing")
    with pytest.raises(dsi.ResourceExhausted):
        dataset.value_counts(memory_bytes=100_000)
    with pytest.raises(TypeError, match="colour"):
        dataset.value_counts(colour=1)
    torch = pytest.importorskip("torch")
    labels = dataset.value_counts("label", framework="torch")["label"]
    assert isinstance(labels.counts, torch.Tensor)


def test_arrays_outlive_what_they_are_of(dataset):
    counts = dataset.value_counts("label")["label"]
    values, numbers = counts.values, counts.counts
    expected = values.tolist(), numbers.tolist()
    del counts
    assert (values.tolist(), numbers.tolist()) == expected


def test_ctrl_c_stops_counting(dataset):
    code = (
        "import sys, os, signal, threading, dsi\n"
        "ds = dsi.open([sys.argv[1]])\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
        "try:\n"
        "    while True: ds.value_counts()\n"
        "except KeyboardInterrupt: print('stopped')\n"
    )
    path = dataset.files[0].path
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, timeout=100
    )
    assert done.stdout == "stopped\n", done.stderr

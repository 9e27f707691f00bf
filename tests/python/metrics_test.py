"""What a trainer's exporter serves: Prometheus' text of scans, loaders and mixtures."""

import re

import dsi
import pytest

LINE = re.compile(r'(dsi_scan_\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)+)\})? (\S+)')


def values_of(text):
    """(name, labels) to value of a text that keeps the rules of the format: what a counter is
    stands once, before its lines."""
    values, types = {}, []
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            types.append(line.split()[2])
        elif not line.startswith("# HELP "):
            name, labels, value = LINE.fullmatch(line).groups()
            assert name == types[-1]
            assert (name, labels) not in values
            values[name, labels] = float(value)
    assert len(types) == len(set(types))
    assert text == "" or text.endswith("\n")
    return values


@pytest.fixture
def clicks(sessions):
    return dsi.open(sessions)


def test_of_a_scan(clicks):
    scan = clicks.scan("label", framework="numpy", batch_size=100)
    rows = sum(batch.num_rows for batch in scan)
    values = values_of(scan.prometheus_text())
    assert values["dsi_scan_rows_total", None] == rows == scan.stats["rows"]
    for stage, seconds in scan.stats["seconds"].items():
        assert values["dsi_scan_seconds_total", f'stage="{stage}"'] == pytest.approx(seconds)
    scan.close()
    assert values_of(scan.prometheus_text()) == values


def test_labels_are_escaped(clicks):
    scan = clicks.scan("label", framework="numpy")
    values = values_of(scan.prometheus_text({"job": 'a "b"\\\n', "rank": 3}))
    labels = r'job="a \"b\"\\\n",rank="3"'
    assert values["dsi_scan_batches_total", labels] == 0
    assert ("dsi_scan_seconds_total", labels + ',stage="fill"') in values
    for name in ("a-b", "", "1a", "__name__", "stage", 7, "é"):
        with pytest.raises(dsi.InvalidArgument, match="label"):
            scan.prometheus_text({name: "x"})


def test_of_a_loader(clicks):
    loader = clicks.loader("label", framework="numpy", batch_size=100, rank=0, world=1)
    assert loader.prometheus_text({"job": "a"}) == ""
    for _ in range(2):  # Of the iteration that runs or ran last.
        rows = sum(batch.num_rows for batch in loader)
        values = values_of(loader.prometheus_text({"job": "a"}))
        assert values["dsi_scan_rows_total", 'job="a"'] == rows == len(clicks)


def test_of_a_mixture(clicks):
    def loader():
        return clicks.loader("label", framework="numpy", batch_size=100, rank=0, world=1)

    mixed = dsi.mix({"a": (loader(), 3), 'b"': (loader(), 1)}, exhausted="stop")
    assert mixed.prometheus_text() == ""
    for _ in mixed:
        pass
    values = values_of(mixed.prometheus_text({"job": "x"}))
    by_source = {
        name: values["dsi_scan_rows_total", f'job="x",source="{shown}"']
        for name, shown in (("a", "a"), ('b"', r"b\""))
    }
    assert by_source == {name: stats["rows"] for name, stats in mixed.stats.items()}
    assert by_source["a"] > by_source['b"'] > 0
    with pytest.raises(dsi.InvalidArgument, match="source"):
        mixed.prometheus_text({"source": "x"})

"""What scans and loaders read is written down, and files are laid out for it."""

import json

import dsi


def lines(path):
    return [json.loads(line)["features"] for line in path.read_text().splitlines()]


def test_scans_and_loaders_write_it_and_writers_take_it(tmp_path):
    rows = [{"user": i // 4, "label": i % 2, "clicks": [i, i + 1]} for i in range(1000)]
    path, log = tmp_path / "a.dsi", tmp_path / "log.jsonl"
    dsi.write(rows, path)
    data = dsi.open(path)
    list(data.scan(["clicks"], access_log=str(log)))
    loader = data.loader(["label", "clicks"], batch_size=100, access_log=str(log))
    assert len(list(loader)) == 10
    assert lines(log)[0] == ["clicks"]
    assert all(line == ["clicks", "label"] for line in lines(log)[1:])
    report = dsi.write(rows, tmp_path / "b.dsi", layout_from=str(log))
    assert report.num_rows == 1000
    assert dsi.open(tmp_path / "b.dsi").num_rows == 1000

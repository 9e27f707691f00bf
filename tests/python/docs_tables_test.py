"""The code of docs/tables.md does what it says."""

import os
import re
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    for module in ("pyarrow", "polars", "duckdb"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    page = (SOURCE / "docs" / "tables.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    exec("\n".join(blocks), {})
    assert "31" in capsys.readouterr().out

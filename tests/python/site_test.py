"""The site of docs/ builds without a warning, has every page, every public name and the plots."""

import os
import re
import shutil
import subprocess
import sys

import dsi
import pytest
from conftest import SOURCE

for module in ("mkdocs", "material", "mkdocstrings_handlers.python"):
    pytest.importorskip(module, reason="pip install -r docs/requirements.txt")


def build(config, folder):
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", config, "-d", folder],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(SOURCE / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there_and_has_a_place_in_the_menu(site):
    menu = (site / "index.html").read_text()
    for page in (SOURCE / "docs").glob("*.md"):
        if page.stem != "README":
            assert (site / page.stem / "index.html").exists()
            assert f'href="{page.stem}/"' in menu


def test_pages_that_name_each_other_are_linked(site):
    assert (
        '<a href="../schema/"><code>docs/schema.md</code></a>'
        in (site / "tables" / "index.html").read_text()
    )


def test_a_file_is_described_with_plots(site):
    page = (site / "described" / "index.html").read_text()
    titles = re.findall(r'<svg [^>]*aria-label="([^"]*)"', page)
    assert titles[-3:] == [
        "bytes by feature",
        "dedup by owner: unique values of all values",
        "what a scan reads",
    ]
    assert "user.hist_item" in page and "20,000" in page


def test_every_public_name_has_its_reference(site):
    page = (site / "api" / "index.html").read_text()
    missing = [name for name in dsi.__all__ if f'id="dsi.{name}"' not in page]
    assert missing == ["__version__"]
    assert 'id="dsi.Dataset.to_arrow"' in page
    assert "so many rows at a time are mixed" in page


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [("guide.md", "# Guide\n\n[no](no.md)\n", "no.md"), ("unlisted.md", "# Page\n", "unlisted.md")],
    ids=["link", "menu"],
)
def test_what_leads_nowhere_is_an_error(tmp_path, name, text, error):
    shutil.copytree(SOURCE / "docs", tmp_path / "docs")
    (tmp_path / "docs" / name).write_text(text)
    config = (SOURCE / "mkdocs.yml").read_text()
    hooks = str(SOURCE / "scripts" / "site_hooks.py")
    (tmp_path / "mkdocs.yml").write_text(config.replace("scripts/site_hooks.py", hooks))
    done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0 and error in done.stderr

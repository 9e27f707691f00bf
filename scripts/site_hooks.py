"""What mkdocs does beside the pages of docs/: it describes a generated file, with plots, lists the
names of the Python package, and makes links of pages that name one another.
"""

import re
import subprocess
import tempfile
from pathlib import Path

import dsi
from mkdocs.structure.files import File

PAGES = Path(__file__).resolve().parents[1] / "docs"
DSICTL = Path(dsi.__file__).parent / "bin" / "dsictl"
ROWS = 20_000
KEYWORDS = ("options.ReadKeywords", "options.ScanKeywords", "writer.WriterKeywords")
PAGE = re.compile(r"`docs/([\w-]+\.md)`")
FENCE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)


def on_config(config):
    """The menu: pages in the order in which docs/README.md lists them, and those that are made."""
    listed = re.findall(r"^\| `docs/([\w-]+\.md)`", (PAGES / "README.md").read_text(), re.MULTILINE)
    menu = [{title_of(PAGES / name): name} for name in listed]
    made = [{"A file, described": "described.md"}, {"Reference": "api.md"}]
    config.nav = [{"Pages": "README.md"}, *menu[:1], *made, *menu[1:]]
    return config


def title_of(page):
    """The heading of a page as far as its first comma or colon."""
    return re.split("[:,]", page.read_text().split("\n", 1)[0].removeprefix("# "))[0]


def on_files(files, config):
    """Adds the pages that are made."""
    for name, text in (("described.md", described()), ("api.md", reference())):
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """`docs/x.md` in prose is a link to that page."""
    parts = FENCE.split(markdown)
    parts[::2] = [PAGE.sub(r"[`docs/\1`](\1)", part) for part in parts[::2]]
    return "".join(parts)


def described():
    """What `dsi.describe` shows in a notebook, of a click log that `dsictl generate` makes."""
    with tempfile.TemporaryDirectory() as folder:
        log, schema, table = (Path(folder) / f"clicks.{end}" for end in ("jsonl", "json", "dsi"))
        dsictl("generate", log, "--rows", ROWS, "--write-schema", schema, "-q")
        dsictl("convert", log, table, "--schema", schema, "-q")
        shown = dsi.describe(table, ["user.*", "label"])._repr_html_()
    return f"""# A file, described

What `dsi.describe("clicks.dsi", ["user.*", "label"])` shows in a notebook. The file has {ROWS:,}
generated rows:

    dsictl generate clicks.jsonl --rows {ROWS} --write-schema clicks.json
    dsictl convert clicks.jsonl clicks.dsi --schema clicks.json

The last table and plot are of the two names that were asked for: what a scan of them reads.

{shown}
"""


def reference():
    """A page of all public names."""
    names = [name for name in dsi.__all__ if not name.startswith("_")]
    parts = [f"::: dsi.{name}" for name in names]
    parts += ["## Keywords of calls", *(f"::: dsi.{name}" for name in KEYWORDS)]
    return "# The package dsi\n\n" + "\n\n".join(parts) + "\n"


def dsictl(*arguments):
    subprocess.run([DSICTL, *map(str, arguments)], check=True)

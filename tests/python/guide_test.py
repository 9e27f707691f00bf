"""Every page that has code of Python does what it says: its blocks run, in their order and in one
namespace, and print what is shown below them.

Blocks of `python` and `sh` are run, a block of `text` is what the one before it prints: '...'
stands for anything, and sizes and shares of bytes may be others, since compressors come in
versions. Other blocks and indented lines are not run.
"""

import doctest
import os
import re
import subprocess

import pytest
from conftest import BUILD, SOURCE

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
IMPORT = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)
BYTES = re.compile(r"-?\d[\d,.]* (?:B|[KMG]iB)\b|-?\d[\d.]*%")
SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks_of(text):
    """Language, code and line of each block."""
    for match in BLOCK.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start(2))


def run_page(name, text, folder, capsys, monkeypatch):
    """Runs a page in a folder. AssertionError: what was printed is not what is shown."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{BUILD / 'bin'}:/usr/bin:/bin")
    namespace, printed = {"__name__": "page"}, None
    for language, code, line in blocks_of(text):
        if language == "python":
            capsys.readouterr()
            exec(compile("\n" * line + code, name, "exec"), namespace)
            printed = capsys.readouterr().out
        elif language == "sh":
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", code], capture_output=True, text=True
            )
            assert done.returncode == 0, f"{name}:{line}: {done.stderr}"
            printed = done.stdout
        elif language == "text":
            assert printed is not None, f"{name}:{line}: nothing runs before it"
            shown, found = (BYTES.sub("size", one) for one in (code, printed))
            same = doctest.OutputChecker().check_output(shown, found, SHOWN)
            assert same, f"{name}:{line}: shown\n{code}\nprinted\n{printed}"
            printed = None
        else:
            printed = None
    return namespace


def is_wanted(text):
    """Pages of Spark and Ray are run by jobs_test, which says so."""
    is_of_jobs = not {"pyspark", "ray"}.isdisjoint(IMPORT.findall(text))
    return "```python\n" in text and is_of_jobs == ("DSI_PAGES_OF_JOBS" in os.environ)


PAGES = [
    page
    for page in (SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md")))
    if is_wanted(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_does_what_it_says(page, sessions, tmp_path, capsys, monkeypatch):
    text = page.read_text(encoding="utf-8")
    for module in sorted(set(IMPORT.findall(text)) - {"dsi"}):
        pytest.importorskip(module, reason=f"{page.name} imports {module}")
    first_page = page.name == "README.md"
    if first_page:
        pytest.importorskip("torch")
        (tmp_path / "clicks.dsi").symlink_to(sessions)
    namespace = run_page(page.name, text, tmp_path, capsys, monkeypatch)
    if first_page:
        batch = namespace["batch"]
        assert str(batch.dense.dtype) == "torch.float32" and batch.dense.shape[1] == 10


def test_the_pages_that_have_code_are_found():
    assert {"README.md", "guide.md", "tables.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("```python\nx = 1\n```\n\n```python\nprint(x)\n```\n```text\n2\n```\n", "shown\\s+2"),
        ("\n\n```python\n1 / 0\n```\n", "division"),
        ("```sh\ndsictl verify nothing.dsi\n```\n", "nothing.dsi"),
        ("```cpp\n```\n```text\n2\n```\n", "nothing runs"),
    ],
    ids=["output", "exception", "command", "no output"],
)
def test_a_page_that_is_wrong_is_found(page, error, tmp_path, capsys, monkeypatch):
    with pytest.raises((AssertionError, ZeroDivisionError), match=error):
        run_page("page.md", page, tmp_path, capsys, monkeypatch)


def test_a_page_that_is_right_passes(tmp_path, capsys, monkeypatch):
    page = "```sh\necho a b\n```\n```text\na ...\n```\n```python\nprint(3)\n```\n```text\n3\n```\n"
    run_page("page.md", page, tmp_path, capsys, monkeypatch)

"""Rules about files as a whole: none too long, none that names the machine it was written on,
none that a program left behind, a README.md of at most 40 lines in every top-level folder.

Before looking at the tree the test proves on a temporary tree that it can fail.
"""

import re
import sys
import tempfile
from pathlib import Path

from source_tree import (SOURCE_SUFFIXES, expect, files_below, read_text, report, source_root,
                         write_tree)

MAX_SOURCE_LINES = 500
MAX_README_LINES = 40
MAX_LINE_LENGTH = 100
# The decoder beside the spec is one file that is read in the order of the spec.
LENGTH_EXCEPTIONS = ("spec/reference/",)
FOLDERS_WITHOUT_README = {"cmake"}

# Absolute paths of a work place; inside a longer path or a URL the words are innocent.
MACHINE_PATH = re.compile(r"(?<![\w.~}\])/-])/(?:work|root)/")
TEMPORARY_PATH = re.compile(r"(?<![\w.~}\])/-])/tmp/")
# Folders outside the repository; only tests, benchmarks and CI may fall back on them.
SHARED_FOLDER = re.compile(r"\.\./" + "shared")
# What programs leave behind, and nobody meant to keep.
LEFTOVER_SUFFIXES = {".log", ".orig", ".rej", ".profraw"}
MAY_NAME_SHARED = ("tests/", "bench/", ".ci/")


def check(root: Path):
    errors = []
    folders = set()
    for path, relative in files_below(root):
        name = relative.as_posix()
        if relative.suffix in LEFTOVER_SUFFIXES:
            errors.append(f"{name}: was left behind by a program")
        text = read_text(path)
        if text is None:
            continue
        if len(relative.parts) > 1 and not name.startswith("."):
            folders.add(relative.parts[0])
        if relative.suffix in SOURCE_SUFFIXES and not name.startswith(LENGTH_EXCEPTIONS):
            errors += check_lengths(name, text)
        is_page = relative.suffix == ".md"
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line) or (is_page and TEMPORARY_PATH.search(line)):
                errors.append(f"{name}:{number}: names a path of one machine")
            if SHARED_FOLDER.search(line) and not name.startswith(MAY_NAME_SHARED):
                errors.append(f"{name}:{number}: names a folder outside the repository")
    for folder in sorted(folders - FOLDERS_WITHOUT_README):
        errors += check_readme(root, folder)
    return errors


def check_lengths(name: str, text: str):
    errors = []
    lines = text.splitlines()
    if len(lines) > MAX_SOURCE_LINES:
        errors.append(f"{name}: {len(lines)} lines, at most {MAX_SOURCE_LINES} are allowed")
    for number, line in enumerate(lines, 1):
        # Tests hold literal rows of input that no formatter may break.
        literal = name.startswith("tests/") and '"' in line
        if len(line) > MAX_LINE_LENGTH and name.endswith((".h", ".cc")) and not literal:
            errors.append(f"{name}:{number}: {len(line)} columns, at most {MAX_LINE_LENGTH}")
    return errors


def check_readme(root: Path, folder: str):
    readme = root / folder / "README.md"
    if not readme.is_file():
        return [f"{folder}: has no README.md"]
    lines = len(readme.read_text(encoding="utf-8").splitlines())
    if lines > MAX_README_LINES:
        return [f"{folder}/README.md: {lines} lines, at most {MAX_README_LINES} are allowed"]
    return []


def self_check():
    work = "/" + "work/"
    files = {
        "README.md": f"see {work}x\n",
        "a.log": "",
        "io/README.md": "x\n" * 41,
        "io/long.cc": "\n" * 501,
        "io/wide.h": "x" * 101 + "\n",
        "docs/README.md": "run /" + "tmp/x; https://host" + work + "x is fine, build" + work + "\n",
        "docs/y.md": "../" + "shared/data\n",
        "tests/README.md": "",
        "tests/z_test.py": "../" + "shared/data\n",
        "spec/a.md": "",
        "spec/reference/decoder.py": "\n" * 600,
    }
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), files)
        expect(check(Path(folder)), [
            "README.md:1: names a path of one machine",
            "a.log: was left behind",
            "docs/README.md:1: names a path of one machine",
            "docs/y.md:1: names a folder outside",
            "io/long.cc: 501 lines",
            "io/wide.h:1: 101 columns",
            "io/README.md: 41 lines",
            "spec: has no README.md",
        ])


if __name__ == "__main__":
    self_check()
    sys.exit(report("files", check(source_root())))

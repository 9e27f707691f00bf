"""Holds the spec's rules, the code and the tests together.

A rule is defined in spec/*.md by a line that starts with its id in bold (**F-012**). Each rule
must be quoted in a source file of the library and in a test; an id quoted anywhere must be
defined, once. Before looking at the tree the test proves on a temporary tree that it can fail.
"""

import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from source_tree import (LIBRARY_FOLDERS, SOURCE_SUFFIXES, expect, files_below, read_text, report,
                         source_root, write_tree)

DEFINITION = re.compile(r"^\*\*([FEDIS]-\d{3})\*\*", re.MULTILINE)
QUOTE = re.compile(r"\b([FEDIS]-\d{3})\b(?!-)")
THIS_FOLDER = "tests/layering/"


def check(root: Path):
    errors = []
    definitions = defaultdict(list)
    quotes = defaultdict(set)
    for path, relative in files_below(root):
        name = relative.as_posix()
        is_spec_page = relative.parts[0] == "spec" and relative.suffix == ".md"
        if name.startswith(THIS_FOLDER) or not (
                is_spec_page or relative.suffix in SOURCE_SUFFIXES):
            continue
        text = read_text(path) or ""
        if is_spec_page:
            for rule in DEFINITION.findall(text):
                definitions[rule].append(name)
        for rule in QUOTE.findall(text):
            quotes[rule].add(name)

    for rule, pages in sorted(definitions.items()):
        if len(pages) > 1:
            errors.append(f"{rule}: defined {len(pages)} times: {', '.join(pages)}")
        if not any(name.split("/")[0] in LIBRARY_FOLDERS for name in quotes[rule]):
            errors.append(f"{rule}: quoted in no library source")
        if not any(name.startswith("tests/") for name in quotes[rule]):
            errors.append(f"{rule}: quoted in no test")
    for rule in sorted(set(quotes) - set(definitions)):
        errors.append(f"{rule}: not defined, quoted in {', '.join(sorted(quotes[rule]))}")
    return errors


def self_check():
    files = {
        "spec/a.md": "**F-001** held.\n**F-002** no code.\n**F-003** no test.\n**F-004** twice.\n",
        "spec/b.md": "**F-004** again. See E-777.\n",
        "format/x.cc": "// F-001, F-003, F-004. 1E-300 is a number; UTF-8 and SHA-256 are names.\n",
        "tests/format/x_test.cc": "// F-001, F-002 and F-004\n// D-999\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), files)
        expect(check(Path(folder)), [
            "F-002: quoted in no library source",
            "F-003: quoted in no test",
            "F-004: defined 2 times",
            "D-999: not defined",
            "E-777: not defined",
        ])


if __name__ == "__main__":
    self_check()
    sys.exit(report("rules", check(source_root())))

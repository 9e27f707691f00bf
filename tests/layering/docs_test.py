"""Every file that a page names exists, and every program that a page shows is one of examples/.

A page (*.md) names files by links, relative to itself, and in backticks, from the root of the tree or
relative to itself. Before looking at the tree the test proves on a temporary tree that it can fail.
"""

import fnmatch
import re
import sys
import tempfile
from pathlib import Path

from source_tree import expect, files_below, read_text, report, source_root, write_tree

LINK = re.compile(r"\]\(([^)#\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SUFFIXES = (r"\.(?:h|cc|md|py|sh|json|jsonl|dsi|csv|tsv|cmake|txt|fbs|svg|node|in)\b")
# A path with a folder in it, or a file by itself; globs are looked up as such.
QUOTED = re.compile(r"`((?:[\w.*+-]+/)+[\w.*+-]*|[\w*+-]+%s)`" % SUFFIXES)
OF_A_BUILD = ("build/", ".cache/")
OUTSIDE = re.compile(r"^(?:https?:|mailto:|~|/|\.\.)")
# Ends of names, what is built, what a reader makes, what systems have.
NOT_IN_TREE = re.compile(r"^[-_*]|^include/dsi|^(?:clicks|days|archive|few|a|b|x|out|in|retail|schema)\.|^dsi/|^data/|^dev/|^proc/"
                         r"|application/|^test/|^bin/", re.IGNORECASE)


def exists(root: Path, bare: set, page: Path, name: str) -> bool:
    name = name.rstrip("/")
    if name == ".":
        return True
    if "/" not in name:  # A bare name may be of any folder that the page talks of.
        return name in bare or any(fnmatch.fnmatchcase(there, name) for there in bare)
    return any(any(base.glob(name)) for base in (root, page.parent))


def bare_names(files) -> set:
    """Of all files and folders of the tree; what is built is none of it."""
    return {part for _, relative in files for part in relative.parts}


def check(root: Path):
    errors = []
    files = list(files_below(root))
    bare = bare_names(files)
    examples = {read_text(p) for p, r in files
                if r.parts[0] == "examples" and r.suffix == ".cc"}
    for path, relative in files:
        if relative.suffix != ".md":
            continue
        text = read_text(path) or ""
        for language, body in FENCE.findall(text):
            if language == "cpp" and "int main(" in body and body not in examples:
                errors.append(f"{relative}: a program that is none of examples/")
        prose = FENCE.sub("", text)
        for name in LINK.findall(prose):
            if not OUTSIDE.match(name) and not (path.parent / name).exists():
                errors.append(f"{relative}: link to {name}, which is not there")
        for name in QUOTED.findall(prose):
            if name.startswith(OF_A_BUILD) or OUTSIDE.match(name) or NOT_IN_TREE.match(name):
                continue
            if not exists(root, bare, path, name):
                errors.append(f"{relative}: `{name}` is not there")
    return errors


def self_check():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        program = "int main() {}\n"
        write_tree(root, {"examples/a.cc": program, "docs/b.md": "x",
                          "docs/good.md": f"[b](b.md) `examples/a.cc` `b.md`\n```cpp\n{program}```\n"})
        expect(check(root), [])
        for bad in ("[c](c.md)", "`examples/c.cc`", "`c.cc`", "```cpp\nint main() { }\n```"):
            write_tree(root, {"docs/bad.md": bad + "\n"})
            expect(check(root), ["docs/bad.md"])


if __name__ == "__main__":
    self_check()
    sys.exit(report("docs", check(source_root())))

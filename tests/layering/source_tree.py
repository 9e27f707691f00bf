"""What the tests of this folder share: walking the tree, and running checks as a program."""

import os
import re
import sys
from pathlib import Path

LIBRARY_FOLDERS = ("base", "format", "io", "codecs", "dedup", "transform", "writer", "reader", "dataset",
                   "rewrite", "text", "arrow")
CXX_SUFFIXES = (".h", ".cc")
SOURCE_SUFFIXES = CXX_SUFFIXES + (".py", ".sh", ".fbs", ".cmake")
SKIPPED_FOLDERS = {"build", "__pycache__", ".git", ".venv", ".pytest_cache"}


def source_root() -> Path:
    fallback = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("DSI_SOURCE_DIR", fallback))


def files_below(root: Path):
    """Every file of the tree as (path, path relative to the root), in a fixed order."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(
            s for s in subfolders if s not in SKIPPED_FOLDERS and not s.endswith(".egg-info"))
        for name in sorted(names):
            path = Path(folder) / name
            if not path.is_symlink():
                yield path, path.relative_to(root)


def read_text(path: Path):
    """The text of a file, or None where the file is binary."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def public_headers(root: Path):
    """The list of cmake/PublicHeaders.cmake, which is the only place that has it."""
    listing = root / "cmake" / "PublicHeaders.cmake"
    text = re.sub(r"#.*", "", listing.read_text(encoding="utf-8"))
    found = re.search(r"set\(DSI_PUBLIC_HEADERS\s+(.*?)\)", text, re.DOTALL)
    return set(found.group(1).split())


def report(title: str, errors) -> int:
    for error in errors:
        print(error)
    print(f"{title}: {len(errors)} errors")
    return 1 if errors else 0


def write_tree(root: Path, files) -> None:
    """Makes a temporary tree for a self-check; files maps relative paths to text."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def expect(errors, expected) -> None:
    """Stops the program unless each expected fragment is in its own one of the errors."""
    for fragment in expected:
        if not any(fragment in error for error in errors):
            sys.exit(f"self-check: nothing reported {fragment!r}; errors were {errors}")
    if len(errors) != len(expected):
        sys.exit(f"self-check: expected {len(expected)} errors, found {errors}")

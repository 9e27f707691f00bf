"""Every change of mutations.txt still fits the code it changes; scripts/mutate runs them."""

import os
import sys
from pathlib import Path

import mutations

SELF_CHECK = """
== one
file: a.cc
- int a
- = 1;
+ int a = 2;
noticed by: x_test Some.*
"""


def self_check(root: Path):
    m, = mutations.parse(SELF_CHECK)
    if m.applied_to("int a\n= 1; b").split() != "int a = 2; b".split() or m.preset != "release":
        sys.exit(f"self-check: parsed {m}")
    for text in ("", "int a\n= 1; int a\n= 1;", "int  a\n= 1;"):
        try:
            m.applied_to(text)
        except ValueError:
            continue
        sys.exit(f"self-check: applied to {text!r}")
    wrong = mutations.Mutation("wrong", 1, "tests/README.md", "# tests: proof", "x",
                               tests=[("reader_test", "ScanOptionsTest.NoSuchTest*")])
    gone = mutations.Mutation("gone", 1, "tests/README.md", "no such text", "x",
                              tests=[("reader_test", "Open.*")])
    errors = mutations.errors_of([wrong, gone], root)
    if len(errors) != 2 or "NoSuchTest" not in errors[0] or "0 times" not in errors[1]:
        sys.exit(f"self-check: {errors}")


def main():
    root = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
    self_check(root)
    found = mutations.parse(mutations.LIST.read_text(encoding="utf-8"))
    errors = mutations.errors_of(found, root)
    for error in errors:
        print(error)
    print(f"mutations: {len(found)} changes, {len(errors)} errors")
    return 1 if errors or not found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Holds the spec's rules, the code and the tests together.

A rule is defined in spec/*.md by a line that starts with its id in bold (**F-012**). Each rule must
be quoted in a source file of the library and held by a test; an id quoted anywhere must be defined,
once. A test holds a rule by what it runs: the id stands in a string (a message expected, the text
of an assertion, a row of a table of cases) or, without its hyphen, in the name of a test. What a
comment or a docstring says is not run and does not count. Before looking at the tree the test
proves on a temporary tree that it can fail.
"""

import ast
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from source_tree import (CXX_SUFFIXES, LIBRARY_FOLDERS, SOURCE_SUFFIXES, expect, files_below,
                         read_text, report, source_root, write_tree)

DEFINITION = re.compile(r"^\*\*((?:D[OS]|[FEDIST])-\d{3})\*\*", re.MULTILINE)
QUOTE = re.compile(r"\b((?:D[OS]|[FEDIST])-\d{3})\b(?!-)")
THIS_FOLDER = "tests/layering/"

# Strings first, so that what looks like a comment inside of one is none.
CXX_TOKEN = re.compile(r'R"(?P<end>\w*)\((?P<raw>.*?)\)(?P=end)"|"(?P<text>(?:\\.|[^"\\\n])*)"'
                       r"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/", re.DOTALL)
CXX_TEST_NAME = re.compile(r"\bTEST(?:_F|_P)?\(\s*\w+,\s*(\w+)")
ID_IN_NAME = re.compile(r"(D[OS]|Ds|[FEDIST])_?(\d{3})(?!\d)")


def rules_held_by_cxx(text: str):
    """Ids in the strings and in the test names of a C++ file."""
    strings, code, at = [], [], 0
    for token in CXX_TOKEN.finditer(text):
        code.append(text[at:token.start()])
        at = token.end()
        strings.append(token["raw"] or token["text"] or "")
    code.append(text[at:])
    rules = {rule for string in strings for rule in QUOTE.findall(string)}
    for name in CXX_TEST_NAME.findall("".join(code)):
        rules |= {"-".join(parts).upper() for parts in ID_IN_NAME.findall(name)}
    return rules


def rules_held_by_python(text: str):
    """Ids in the strings of a Python file that are values, and in the names of its functions."""
    tree = ast.parse(text)
    remarks = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    rules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in remarks:
                rules |= set(QUOTE.findall(node.value))
        elif isinstance(node, ast.FunctionDef):
            rules |= {"-".join(p) for p in ID_IN_NAME.findall(node.name.upper())}
    return rules


def check(root: Path):
    errors = []
    definitions = defaultdict(list)
    quotes = defaultdict(set)
    held = set()
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
        if name.startswith("tests/") and relative.suffix in CXX_SUFFIXES:
            held |= rules_held_by_cxx(text)
        elif name.startswith("tests/") and relative.suffix == ".py":
            held |= rules_held_by_python(text)

    for rule, pages in sorted(definitions.items()):
        if len(pages) > 1:
            errors.append(f"{rule}: defined {len(pages)} times: {', '.join(pages)}")
        if not any(name.split("/")[0] in LIBRARY_FOLDERS for name in quotes[rule]):
            errors.append(f"{rule}: quoted in no library source")
        if rule not in held:
            errors.append(f"{rule}: held by no test (comments do not count)")
    for rule in sorted(set(quotes) - set(definitions)):
        errors.append(f"{rule}: not defined, quoted in {', '.join(sorted(quotes[rule]))}")
    return errors


def self_check():
    rules = " ".join(f"F-{n:03}" for n in range(1, 20))
    files = {
        "spec/a.md": "".join(f"**F-{n:03}** held.\n" for n in range(1, 14)),
        "spec/b.md": "**F-004** again. See E-777.\n",
        "format/x.cc": f"// {rules.replace('F-002 ', '').split(' F-014')[0]}\n"
                       "// 1E-300 is a number; UTF-8 and SHA-256 are names.\n",
        "tests/format/x_test.cc": "// F-001 D-999\n/* F-003 */ int i = 'F'; // \"F-003\"\n"
                                  'EXPECT_EQ(a, b) << "F-002: \\" // " << "F-004"; // "F-001"\n'
                                  "TEST_F(Some, F005F006Rules) {}\nTEST(F007, Nothing) {}\n"
                                  'R"(x " F-008 // )" /* "F-001" */ "F-009";\n',
        "tests/format/y_test.py": '"""F-010"""\n# F-011\nRULE = "F-012"\n'
                                  "def test_f013():\n    'F-010'\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), files)
        expect(check(Path(folder)), [
            "F-002: quoted in no library source",
            "F-001: held by no test",
            "F-003: held by no test",
            "F-004: defined 2 times",
            "F-007: held by no test",
            "F-010: held by no test",
            "F-011: held by no test",
            "D-999: not defined",
            "E-777: not defined",
        ])


if __name__ == "__main__":
    self_check()
    sys.exit(report("rules", check(source_root())))

"""Reads mutations.txt: one-line changes of the library, each of which a test must notice.

A change is

    == what goes wrong
    file: reader/plan/page_reader.cc
    - the exact old text
    + the new text
    noticed by: reader_test ResourcesTest.*

Lines that start with '-' (or '+') are one text, joined by line feeds; what follows the sign and one
blank is taken as it is, but for blanks at the ends of the text. Without a '+' line the old text is
taken away. The old text stands exactly once in the file: where the code has moved on, the change
has to follow, or has lost its sense. "noticed by" names a gtest program and a filter, and may come
several times: one that fails is enough. "under asan" on a line of its own asks for the sanitizers.
"""

import dataclasses
import fnmatch
import re
from pathlib import Path

LIST = Path(__file__).resolve().parent / "mutations.txt"


@dataclasses.dataclass
class Mutation:
    title: str
    line: int  # In the list.
    file: str = ""
    old: str = ""
    new: str = ""
    preset: str = "release"
    tests: list = dataclasses.field(default_factory=list)  # (program, filter)

    def applied_to(self, text: str) -> str:
        """The text of the file with the change. ValueError where the old text is not there once."""
        found = text.count(self.old)
        if found != 1:
            raise ValueError(f"the old text occurs {found} times in {self.file}")
        return text.replace(self.old, self.new)


def parse(text: str):
    """The mutations of a list. ValueError names the line that is wrong."""
    mutations, old, new = [], [], []

    def finish():
        if mutations:
            mutations[-1].old = "\n".join(old).strip()
            mutations[-1].new = "\n".join(new).strip()

    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("== "):
            finish()
            mutations.append(Mutation(line[3:], number))
            old, new = [], []
        elif not line.strip() or line.startswith("#"):
            continue
        elif not mutations:
            raise ValueError(f"line {number}: before the first '=='")
        elif line.startswith("file: "):
            mutations[-1].file = line[6:]
        elif line.startswith("noticed by: "):
            mutations[-1].tests.append(tuple(line[12:].split(maxsplit=1)))
        elif line == "under asan":
            mutations[-1].preset = "asan"
        elif line[0] in "-+":
            (old if line[0] == "-" else new).append(line[2:])
        else:
            raise ValueError(f"line {number}: not understood: {line}")
    finish()
    return mutations


def errors_of(mutations, root: Path):
    """What is wrong with a list, looking at the tree but running nothing."""
    errors, names = [], {}
    for m in mutations:
        where = f"mutations.txt:{m.line}: {m.title}"
        path = root / m.file
        if not m.file or not path.is_file():
            errors.append(f"{where}: no file {m.file!r}")
            continue
        if not m.old or m.old == m.new:
            errors.append(f"{where}: changes nothing")
            continue
        try:
            m.applied_to(path.read_text(encoding="utf-8"))
        except ValueError as error:
            errors.append(f"{where}: {error}")
        if not m.tests:
            errors.append(f"{where}: nobody is to notice")
        for test in m.tests:
            program, pattern = test if len(test) == 2 else (test[0], "")
            folder = program.removesuffix("_test")
            if folder not in names:
                names[folder] = tests_below(root / "tests" / folder)
            for part in pattern.split(":"):
                # Suites with parameters are called after their instance as well.
                if not fnmatch.filter(names[folder], part.split("/")[-1]):
                    errors.append(f"{where}: {program} has no test {part!r}")
    return errors


def tests_below(folder: Path):
    """The names of the tests of a folder, as "Suite.Test"."""
    names = set()
    for path in folder.glob("**/*.cc"):
        found = re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)", path.read_text(encoding="utf-8"),
                           re.MULTILINE)
        names |= {f"{suite}.{test}" for suite, test in found}
    return names

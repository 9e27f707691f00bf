"""Two classes of one name in dsi::internal, in folders that do not see each other, compile and link; then the linker keeps one of their
inline functions for both, and one destroys what the other made. So every header of the library defines names of its own.

Run with no argument; before looking at the tree the test proves on a temporary tree that it can fail.
"""

import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from source_tree import LIBRARY_FOLDERS, expect, files_below, read_text, report, source_root, write_tree

# At the start of a line: what stands inside of something else is told apart by it.
DEFINITION = re.compile(r"^(?:class|struct|enum class)\s+(?:DSI_EXPORT\s+)?(\w+)\b(?!::)[^;{]*\{", re.MULTILINE)


def names_twice(root: Path):
    where = defaultdict(list)
    for path, relative in files_below(root):
        if relative.parts[0] in LIBRARY_FOLDERS and relative.name.endswith(".h"):
            for name in DEFINITION.findall(read_text(path) or ""):
                where[name].append(relative.as_posix())
    return [f"{name} is defined in {' and '.join(files)}" for name, files in sorted(where.items()) if len(files) > 1]


def self_check():
    files = {
        "writer/a_internal.h": "namespace dsi::internal {\nclass Order {\n  struct Part {};\n};\nclass Other;\n}\n",
        "reader/b_internal.h": "namespace dsi::internal {\nstruct Order : Base {\n};\nclass Other {};\n  struct Part {};\n}\n",
        "tools/c_internal.h": "class Order {};\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), files)
        expect(names_twice(Path(folder)), ["Order is defined in reader/b_internal.h and writer/a_internal.h"])


if __name__ == "__main__":
    self_check()
    sys.exit(report("names", names_twice(source_root())))

"""Keeps libm's transcendental functions out of what decides on bytes, and out of transforms.

Their last bits differ from CPU to CPU, and equal rows give equal files. Reads the sources of the
folders that choose, and of generators whose tables are the same everywhere, and the symbols of their
objects where they are built. Before looking at
the tree the test proves on a temporary tree that it can fail.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from source_tree import (CXX_SUFFIXES, expect, files_below, read_text, report, source_root,
                         write_tree)

CHOOSING = {"codecs", "dedup", "transform", "writer"}
GENERATORS = re.compile(r"tools/generate/(news|visits|log_|rank_law)")
# What IEEE 754 rounds in one way (sqrt, fma) or what is exact (ldexp, floor) is not among them.
FUNCTIONS = ("a?(sin|cos|tan)h?|atan2|exp|exp2|exp10|expm1|log|log2|log10|log1p|logb|pow|cbrt|hypot|"
             "erf|erfc|tgamma|lgamma")
CALL = re.compile(rf"(?<![\w.:>])(?:std::|::)?({FUNCTIONS})[fl]?\(")
SYMBOL = re.compile(rf"^(?:__)?({FUNCTIONS})[fl]?(?:_finite)?$")


def check_sources(root: Path):
    errors = []
    for path, relative in files_below(root):
        if relative.suffix not in CXX_SUFFIXES:
            continue
        if relative.parts[0] not in CHOOSING and not GENERATORS.match(relative.as_posix()):
            continue
        for number, line in enumerate((read_text(path) or "").splitlines(), 1):
            match = CALL.search(line.split("//")[0])
            if match:
                errors.append(f"{relative.as_posix()}:{number}: {match[1]}: use "
                              "base/logarithm_internal.h")
    return errors


def check_objects(build: Path):
    objects = [path for folder in sorted(CHOOSING)
               for path in sorted((build / "CMakeFiles/dsi_objects.dir" / folder).rglob("*.o"))]
    tools = build / "CMakeFiles/dsictl_core.dir"
    objects += [path for path in sorted(tools.rglob("*.o"))
                if GENERATORS.match(path.relative_to(tools).as_posix())]
    if not objects or shutil.which("nm") is None:
        return []
    listed = subprocess.run(["nm", "--undefined-only", "--format=posix", *map(str, objects)],
                            stdout=subprocess.PIPE, check=True, text=True).stdout
    names = {line.split()[0].split("@")[0] for line in listed.splitlines() if line.strip()}
    return [f"objects of codecs, dedup, transform, writer, generators: {name} of libm is linked"
            for name in sorted(names) if SYMBOL.match(name)]


def self_check():
    files = {
        "codecs/a.cc": "double x = std::log2(3.0);\ndouble y = Log2(3.0);\n",
        "dedup/b_internal.h": "// pow(2, 3) in words\nfloat z = ::powf(2, 3);\n",
        "writer/c.cc": "double r = std::sqrt(2.0) + std::ldexp(1.0, 3) + self.exp(1);\n",
        "writer/d.cc": "return exp(1);\n",
        "reader/e.cc": "return std::log(1);\n",
        "tools/generate/news_f.cc": "return std::log(1);\n",
        "tools/generate/wide.cc": "return std::log(1);\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), files)
        expect(check_sources(Path(folder)), ["codecs/a.cc:1: log2", "dedup/b_internal.h:2: pow",
                                             "tools/generate/news_f.cc:1: log",
                                             "writer/d.cc:1: exp"])


if __name__ == "__main__":
    self_check()
    errors = check_sources(source_root())
    if "DSI_BUILD_DIR" in os.environ:
        errors += check_objects(Path(os.environ["DSI_BUILD_DIR"]))
    sys.exit(report("libm", errors))

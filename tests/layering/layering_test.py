"""Reads every #include of the tree and fails on any edge that the layers do not allow.

The arrows are those of HACKING.md. Run with no argument; before looking at the tree the test
proves on a temporary tree that it can fail in each of its ways.
"""

import re
import sys
import tempfile
from pathlib import Path

from source_tree import (CXX_SUFFIXES, LIBRARY_FOLDERS, expect, files_below, public_headers,
                         read_text, report, source_root, write_tree)

ALLOWED = {
    "base": {"base"},
    "format": {"format", "base"},
    "io": {"io", "format", "base"},
    "codecs": {"codecs", "format", "base"},
    "dedup": {"dedup", "format", "base"},
    "transform": {"transform", "format", "base"},
    "writer": {"writer", "codecs", "dedup", "io", "format", "base"},
    "reader": {"reader", "codecs", "dedup", "io", "format", "base"},
    "dataset": {"dataset", "reader", "transform", "codecs", "dedup", "io", "format", "base"},
    "rewrite": {"rewrite", "dataset", "writer", "reader", "codecs", "io", "format", "base"},
    "text": {"text", "dataset", "writer", "reader", "io", "format", "base"},
    "arrow": {"arrow", "dataset", "writer", "reader", "format", "base"},
    "tools": {"tools", "arrow", "text", "rewrite", "dataset", "transform", "writer", "reader", "codecs", "dedup", "io", "format", "base"},
}
# Rooms of a folder, in the order in which the data goes through them: a room includes those named
# beside it and the folder's public headers; what stands in the folder itself includes all rooms.
ROOMS = {
    "reader": {
        "open": set(),
        "plan": {"open"},
        "decode": {"plan", "open"},
        "filter": {"decode"},
        "scan": {"filter", "decode", "plan", "open"},
        "describe": {"decode", "plan", "open"},
        "verify": {"describe", "decode", "plan", "open"},
    },
    "writer": {
        "rows": set(),
        "spill": {"rows"},
        "cluster": {"spill", "rows"},
        "layout": {"cluster", "spill", "rows"},
        "encode": {"layout", "cluster", "spill", "rows"},
        "publish": {"encode", "layout", "cluster", "spill", "rows"},
    },
    "dataset": {
        "count": set(),
        "compare": {"count"},
        "files": set(),
        "order": set(),
        "scan": {"files", "order"},
        "table": {"files"},
    },
    "arrow": {
        "in": set(),
        "out": set(),
    },
    "text": {
        "lines": set(),
        "json": {"lines"},
        "delimited": {"lines"},
        "example": {"lines"},
        "infer": {"json", "delimited", "example", "lines"},
    },
}
# Folders that may include public headers of the library and files of their own, nothing else.
PUBLIC_ONLY = {"bench", "examples", "python"}
# bench/codecs measures the kernels, bench/choices what the writer makes of a file's streams,
# bench/order_figures the order of datasets that are not there: all are internal.
PUBLIC_ONLY_EXCEPTIONS = {"bench/codecs_figures/": {"codecs", "dedup", "format", "base"},
                          "bench/choice_figures/": {"codecs", "reader", "writer", "format", "base"},
                          "bench/order_figures/": {"dataset", "base"}}
ANYTHING = {"tests", "fuzz"}
# Highway's re-inclusion names files in its own way and is quoted by its convention.
QUOTED_THIRD_PARTY = ("hwy/",)

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
INTRINSICS = re.compile(r"(^|/)(x86|[a-z]?mm|arm_\w+|imm)intrin\.h$|^arm_(neon|sve)\.h$")
STANDARD_HEADER = re.compile(r"^[a-z_0-9]+$")


class Layers:
    def __init__(self, root: Path):
        self.root = root
        self.public = public_headers(root)
        self.errors = []

    def check(self):
        for header in sorted(self.public):
            if not (self.root / header).is_file():
                self.errors.append(f"{header}: listed as public and missing")
        for path, relative in files_below(self.root):
            if relative.suffix in CXX_SUFFIXES and len(relative.parts) > 1:
                self._check_file(path, relative)
        return self.errors

    def _check_file(self, path: Path, relative: Path):
        name = relative.as_posix()
        folder = relative.parts[0]
        if folder in LIBRARY_FOLDERS and relative.suffix == ".h" and not self._is_named(name):
            self.errors.append(f"{name}: neither listed as public nor _internal.h nor -inl.h")
        text = read_text(path) or ""
        for match in INCLUDE.finditer(text):
            where = f"{name}:{text.count(chr(10), 0, match.start(1 if match[1] else 2)) + 1}"
            if match[2]:
                self._check_angle(where, name, match[2])
            else:
                self._check_quoted(where, name, folder, match[1])

    def _is_named(self, name: str) -> bool:
        return name in self.public or name.endswith(("_internal.h", "-inl.h"))

    def _check_angle(self, where: str, name: str, target: str):
        if target.startswith("dsi/"):
            self.errors.append(f'{where}: <{target}> is spelled "{target}" here')
        if INTRINSICS.search(target):
            self.errors.append(f"{where}: {target}: SIMD goes through Highway only")
        if name in self.public and not STANDARD_HEADER.match(target):
            self.errors.append(
                f"{where}: {target}: a public header includes the standard library and ours only")

    def _check_quoted(self, where: str, name: str, folder: str, target: str):
        if target.startswith(QUOTED_THIRD_PARTY):
            if name in self.public:
                self.errors.append(f"{where}: {target}: third party in a public header")
            return
        parts = target.split("/")
        if parts[0] != "dsi" or len(parts) < 3 or ".." in parts:
            self.errors.append(f'{where}: "{target}" is not "dsi/<folder>/<file>"; third party goes in <>')
            return
        inside = target[len("dsi/"):]
        if not self._exists(inside):
            self.errors.append(f"{where}: {target} does not exist")
        self._check_edge(where, name, folder, inside)

    def _exists(self, inside: str) -> bool:
        schema = re.sub(r"_generated\.h$", ".fbs", inside)
        return (self.root / inside).is_file() or (
            schema != inside and (self.root / schema).is_file())

    def _check_edge(self, where: str, name: str, folder: str, inside: str):
        target_folder = inside.split("/")[0]
        is_public = inside in self.public
        if name in self.public and not is_public:
            self.errors.append(f"{where}: a public header includes {inside}, which is not public")
        elif folder in ALLOWED:
            if target_folder not in ALLOWED[folder]:
                self.errors.append(f"{where}: {folder} must not include {target_folder}")
            elif folder == target_folder and not is_public:
                self._check_rooms(where, folder, name, inside)
        elif folder in PUBLIC_ONLY:
            excepted = any(name.startswith(prefix) and target_folder in folders
                           for prefix, folders in PUBLIC_ONLY_EXCEPTIONS.items())
            if not (is_public or target_folder == folder or excepted):
                self.errors.append(f"{where}: {folder} may include public headers only")
        elif folder not in ANYTHING and target_folder != folder:
            self.errors.append(f"{where}: folder {folder} has no place in the layers")

    def _check_rooms(self, where: str, folder: str, name: str, inside: str):
        rooms = ROOMS.get(folder, {})
        room, target = (path.split("/")[1] if path.count("/") > 1 else "" for path in (name, inside))
        if not rooms or room in ("", target):
            return
        if room not in rooms:
            self.errors.append(f"{where}: {folder}/{room} is no room of the layers")
        elif target not in rooms[room]:
            self.errors.append(f"{where}: {folder}/{room} must not include {inside}")


def self_check():
    files = {
        "cmake/PublicHeaders.cmake":
            "set(DSI_PUBLIC_HEADERS\n  format/a.h  # comment\n  reader/r.h\n  format/gone.h\n)\n",
        "format/a.h": "#include <vector>\n#include <zstd.h>\n",
        "format/odd.h": "",
        "format/b_internal.h": "",
        "format/w.fbs": "",
        "io/x.cc": '#include "dsi/format/b_internal.h"\n#include "dsi/format/w_generated.h"\n',
        "python/k-inl.h": "",
        "codecs/k-inl.h": '#include "hwy/highway.h"\n#include <immintrin.h>\n',
        "codecs/k.cc": '#include "dsi/io/y_internal.h"\n#include "k-inl.h"\n',
        "dedup/d.cc": "#include <dsi/format/a.h>\n",
        "io/y_internal.h": "",
        "reader/r.h": '#include "dsi/format/b_internal.h"\n',
        "reader/r.cc": '  #  include "dsi/writer/w_internal.h"\n#include "dsi/codecs/k-inl.h"\n',
        "writer/w_internal.h": '#include "dsi/codecs/k-inl.h"\n',
        "reader/reader_internal.h": "",
        "reader/open/o_internal.h": '#include "dsi/reader/r.h"\n#include "dsi/reader/scan/s_internal.h"\n',
        "reader/scan/s_internal.h": '#include "dsi/reader/open/o_internal.h"\n'
                                    '#include "dsi/reader/reader_internal.h"\n',
        "reader/odd/x.cc": '#include "dsi/reader/scan/s_internal.h"\n',
        "tools/t.cc": '#include "dsi/python/k-inl.h"\n#include "dsi/dedup/none_internal.h"\n',
        "bench/codecs_figures/c_bench.cc": '#include "dsi/codecs/k-inl.h"\n',
        "examples/e.cc": '#include "dsi/format/b_internal.h"\n#include "dsi/reader/r.h"\n',
        "tests/io/x_test.cc": '#include "dsi/io/y_internal.h"\n',
    }
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), files)
        expect(Layers(Path(folder)).check(), [
            "format/gone.h: listed as public and missing",
            "format/a.h:2: zstd.h: a public header includes the standard library",
            "format/odd.h: neither listed",
            "codecs/k-inl.h:2: immintrin.h: SIMD",
            "codecs/k.cc:1: codecs must not include io",
            'codecs/k.cc:2: "k-inl.h" is not "dsi/',
            "dedup/d.cc:1: <dsi/format/a.h> is spelled",
            "reader/r.h:1: a public header includes format/b_internal.h",
            "reader/r.cc:1: reader must not include writer",
            "reader/open/o_internal.h:2: reader/open must not include reader/scan",
            "reader/scan/s_internal.h:2: reader/scan must not include reader/reader_internal.h",
            "reader/odd/x.cc:1: reader/odd is no room",
            "tools/t.cc:1: tools must not include python",
            "tools/t.cc:2: dsi/dedup/none_internal.h does not exist",
            "examples/e.cc:1: examples may include public headers only",
        ])


if __name__ == "__main__":
    self_check()
    sys.exit(report("layering", Layers(source_root()).check()))

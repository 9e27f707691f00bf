"""Every C++ excerpt of these pages that is no program compiles, warnings included, as the body of a function."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ.get("DSI_SOURCE_DIR", "."))
BUILD = Path(os.environ.get("DSI_BUILD_DIR", "."))
PAGES = ("docs/datasets.md", "docs/tables-on-disk.md", "docs/transforms.md", "docs/writing-cpp.md")
EXCERPT = re.compile(r"^```cpp\n(.*?)^```", re.DOTALL | re.MULTILINE)
# What the pages say that is there.
BEFORE = """#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include "dsi/arrow/arrow_input.h"
#include "dsi/dataset/comparison.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/mixed_scan.h"
#include "dsi/dataset/sessions.h"
#include "dsi/dataset/table.h"
#include "dsi/dataset/value_counts.h"
#include "dsi/writer/writer.h"
"""
FUNCTION = """dsi::Status %s([[maybe_unused]] dsi::Dataset& dataset, [[maybe_unused]] dsi::Dataset& other,
    [[maybe_unused]] dsi::DatasetScanOptions options, [[maybe_unused]] dsi::DatasetScan& scan,
    [[maybe_unused]] std::vector<std::unique_ptr<dsi::DatasetScan>> scans,
    [[maybe_unused]] const dsi::Schema& clicks_schema, [[maybe_unused]] dsi::RowBatch& row_batch,
    [[maybe_unused]] dsi::Batch& batch, [[maybe_unused]] ArrowArrayStream& table%s) {
%s  return dsi::Status::Ok();
}
"""


def program():
    text, count = BEFORE, 0
    for page in PAGES:
        for body in EXCERPT.findall((ROOT / page).read_text()):
            if "int main(" in body:
                continue
            given = "" if "dsi::Pipeline pipeline;" in body else ", [[maybe_unused]] dsi::Pipeline pipeline"
            text += FUNCTION % (f"Excerpt{count}", given, body)
            count += 1
    return text, count


def compiles(compiler, text):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "excerpts.cc"
        source.write_text(text)
        result = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror",
                                 f"-I{BUILD / 'include'}", source], stderr=subprocess.PIPE, text=True, timeout=300)
        return result.returncode == 0, result.stderr


def main():
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if not compiler:
        print("skipped: no compiler")
        return 77
    text, count = program()
    if count < 14:
        print(f"{count} excerpts, at least 14 are expected")
        return 1
    # The check can fail.
    if compiles(compiler, text.replace("dataset.files()", "dataset.fils()"))[0]:
        print("a wrong name was not found")
        return 1
    fine, errors = compiles(compiler, text)
    print(errors[:6000] if not fine else f"{count} excerpts compile")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

"""What stands in the spec and in the code is the same: the schema of the core footer (F-050), and the
limits (F-090), each of which the code names.
"""

import re
import sys
import tempfile
from pathlib import Path

from source_tree import expect, read_text, report, source_root, write_tree

SCHEMA = re.compile(r"```fbs\n(.*?)```", re.DOTALL)
ROW = re.compile(r"^\| [^|]+ \| `(kMax\w+)` \| ([^|]+) \| [A-Z]-\d{3} \|$", re.MULTILINE)
CONSTANT = re.compile(r"constexpr \w+ (kMax\w+)\s*=\s*([^;]+);")
NOT_OF_FORMAT = "// Not of the format"  # From here on in limits.h.
POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def number_in_spec(text):  # "2³¹ − 1"
    power = re.fullmatch(r"2([⁰¹²³⁴⁵⁶⁷⁸⁹]+)(?: − (\d+))?", text.strip())
    if power is None:
        return int(text)
    return 2 ** int(power[1].translate(POWERS)) - int(power[2] or 0)


def number_in_code(text):  # "(1U << 31) - 1"
    return eval(re.sub(r"(?<=[\dA-F])(?:ULL|U)\b", "", " ".join(text.split())), {})


def check(root: Path):
    errors = []
    page = read_text(root / "spec/format.md") or ""
    found = SCHEMA.findall(page)
    if found != [read_text(root / "format/core.fbs")]:
        errors.append("spec/format.md: its schema is not that of format/core.fbs (F-050)")
    rows = {name: number_in_spec(text) for name, text in ROW.findall(page)}
    ours, _, rest = (read_text(root / "format/limits.h") or "").partition(NOT_OF_FORMAT)
    of_format = {name: number_in_code(text) for name, text in CONSTANT.findall(ours)}
    others = {name for name, _ in CONSTANT.findall(rest)}
    for name in sorted(of_format.keys() | rows.keys()):
        if name in others:
            errors.append(f"{name}: in the spec, and not of the format in limits.h (F-090)")
        elif of_format.get(name) != rows.get(name):
            errors.append(f"{name}: {of_format.get(name)} in limits.h, {rows.get(name)} in the "
                          "spec (F-090)")
    if not rows:
        errors.append("spec/format.md: no table of limits (F-090)")
    return errors


def self_check():
    limits = ("constexpr uint32_t kMaxA =\n    1U << 20;\n"
              "constexpr uint64_t kMaxB = (1ULL << 31) - 1;\n"
              "// Not of the format: may grow.\nconstexpr uint32_t kMaxC = 7;\n")
    page = "```fbs\ntable\n```\n| a | `kMaxA` | 2²⁰ | F-001 |\n| b | `kMaxB` | {} | F-001 |\n"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_tree(root, {"spec/format.md": page.format("2³¹ − 1"), "format/limits.h": limits,
                          "format/core.fbs": "table\n"})
        expect(check(root), [])
        write_tree(root, {"spec/format.md": page.format("2³¹") + "| c | `kMaxC` | 7 | F-001 |\n",
                          "format/core.fbs": "other\n"})
        expect(check(root), ["schema is not that", "kMaxB: 2147483647 in limits.h, 2147483648",
                             "kMaxC: in the spec"])


if __name__ == "__main__":
    self_check()
    sys.exit(report("spec_copies", check(source_root())))

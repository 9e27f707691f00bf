"""Runs publish_helper, with or without strace breaking its system calls, and looks at what it left.

Shared by the script tests of this folder.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

SKIPPED = 77
OLD = b"the old state"
HELPER = Path(os.environ.get("DSI_BUILD_DIR", "build/release")) / "bin" / "publish_helper"
ENVIRONMENT = dict(os.environ, LC_ALL="C")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def require_strace(folder: Path):
    program = HELPER.read_bytes()
    if b"__asan_init" in program or b"__tsan_init" in program:
        skip("a sanitizer makes system calls of its own, which must not fail")
    if shutil.which("strace") is None:
        skip("strace is not installed")
    probe = subprocess.run(
        ["strace", "-o", folder / "probe", "-e", "inject=write:error=EIO:when=1", "echo"],
        capture_output=True)
    if probe.returncode != 1:
        skip(f"strace cannot inject here: {probe.stderr.decode(errors='replace')}")


class Outcome:
    def __init__(self, process, trace=""):
        self.code = process.returncode
        self.message = process.stderr.decode(errors="replace").strip()
        self.trace = trace


def run_helper(arguments, injections=(), trace_file=None) -> Outcome:
    command = [HELPER, *map(str, arguments)]
    if trace_file is None:
        return Outcome(subprocess.run(command, capture_output=True, env=ENVIRONMENT))
    strace = ["strace", "-o", trace_file]
    for injection in injections:
        strace += ["-e", f"inject={injection}"]
    process = subprocess.run(strace + command, capture_output=True, env=ENVIRONMENT)
    return Outcome(process, trace_file.read_text(errors="replace"))


def calls_of(trace: str):
    """The system calls between the marks, each as (name, its number among those of its name)."""
    seen, calls, marks = Counter(), [], 0
    for line in trace.splitlines():
        found = re.match(r"(\w+)\(", line)
        if not found:
            continue
        seen[found[1]] += 1
        if found[1] == "getppid":
            marks += 1
        elif marks == 1:
            calls.append((found[1], seen[found[1]]))
    return calls


class Target:
    """A folder with the name that is published, in a known state before every run."""

    def __init__(self, folder: Path, new: bytes):
        self.folder, self.new = folder, new
        self.path = folder / "a"
        folder.mkdir()

    def reset(self, has_old: bool):
        for path in self.folder.iterdir():
            path.unlink()
        if has_old:
            self.path.write_bytes(OLD)

    def state(self) -> str:
        if not self.path.exists():
            return "none"
        content = self.path.read_bytes()
        return {OLD: "old", self.new: "new"}.get(content, f"{len(content)} wrong bytes")

    def others(self):
        return sorted(p.name for p in self.folder.iterdir() if p != self.path)

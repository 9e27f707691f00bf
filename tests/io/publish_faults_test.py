"""Breaks every system call of a publish, and of a read, and holds io/file.h to its promises.

Killed at any call: the name shows the old state or the whole new file, and the next writer removes
the temporary file. Failed at any call: the same, no temporary file, and success only with the data.
"""

import sys
import tempfile
from pathlib import Path

from publish_program import Target, calls_of, require_strace, run_helper

SIZE, APPEND = 2_500_000, 700_000
ERRORS = ("EINTR", "EAGAIN", "EIO", "ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "EACCES", "EROFS",
          "EXDEV", "EINVAL", "ENOSYS")
# Memory and bookkeeping of the C library: a failure there is not one of files.
NOT_FILES = {"mmap", "munmap", "mremap", "brk", "mprotect", "madvise", "futex", "getpid"}
NO_RENAMEAT2 = "renameat2:error=EINVAL"


class Faults:
    def __init__(self, work: Path):
        self.trace_file = work / "trace"
        sample = work / "sample"
        if run_helper(["write", sample, SIZE, APPEND, 0]).code != 0:
            sys.exit("the helper fails without any fault")
        self.target = Target(work / "target", sample.read_bytes())
        self.failures, self.runs = [], 0

    def write(self, overwrite, injections=()):
        self.runs += 1
        self.target.reset(has_old=overwrite)
        arguments = ["write", self.target.path, SIZE, APPEND, int(overwrite)]
        return run_helper(arguments, injections, self.trace_file)

    def expect(self, holds, what, outcome):
        if not holds:
            self.failures.append(
                f"{what}: exit code {outcome.code}, {outcome.message!r}, name shows "
                f"{self.target.state()}, besides {self.target.others()}")

    def baseline(self, overwrite, extra):
        outcome = self.write(overwrite, extra)
        self.expect(outcome.code == 0 and self.target.state() == "new" and not self.target.others(),
                    f"without a fault, {extra}", outcome)
        calls = calls_of(outcome.trace)
        # With calls that fail anyway, only what comes after the first of them is new.
        broken = {e.split(":")[0] for e in extra}
        first = next((i for i, (name, _) in enumerate(calls) if name in broken), 0)
        return calls[first:]

    def kill_everywhere(self, overwrite, extra=()):
        before = "old" if overwrite else "none"
        leftovers = 0
        for name, number in self.baseline(overwrite, extra):
            others = [e for e in extra if not e.startswith(name + ":")]
            what = f"SIGKILL at {name} {number}, overwrite={overwrite}, {others}"
            outcome = self.write(overwrite, [*others, f"{name}:signal=KILL:when={number}"])
            state = self.target.state()
            self.expect(outcome.code == -9, what + ": not killed", outcome)
            self.expect(state in (before, "new"), what, outcome)
            leftovers += bool(self.target.others())
            # The file is left as it is and written once more.
            again = run_helper(["write", self.target.path, SIZE, APPEND, 1])
            self.expect(again.code == 0 and self.target.state() == "new"
                        and not self.target.others(), what + ": then the next writer", again)
        self.expect(leftovers > 0, f"kills left only {leftovers} temporary files", outcome)

    def fail_everywhere(self, overwrite, extra=()):
        before = "old" if overwrite else "none"
        for name, number in self.baseline(overwrite, extra):
            if name in NOT_FILES or any(e.startswith(name + ":") for e in extra):
                continue
            for error in ERRORS:
                if (name, error) == ("flock", "EAGAIN"):
                    continue  # Would say, falsely, that another writer is removing this file.
                what = f"{error} at {name} {number}, overwrite={overwrite}, {extra}"
                outcome = self.write(overwrite, [*extra, f"{name}:error={error}:when={number}"])
                state = self.target.state()
                self.expect("(INJECTED)" in outcome.trace, what + ": not injected", outcome)
                self.expect(not self.target.others(), what, outcome)
                if outcome.code == 0:
                    self.expect(state == "new", what, outcome)
                else:
                    self.expect(outcome.code == 3 and str(self.target.path) in outcome.message,
                                what, outcome)
                    self.expect(state in (before, "new"), what, outcome)
                    # Only the steps after the rename may fail with the new file in place.
                    self.expect(state == before or "the file is in place" in outcome.message,
                                what, outcome)
                self.expect_verdict(name, error, what, outcome)

    def expect_verdict(self, name, error, what, outcome):
        """Which failures must be reported and which must be survived."""
        if name == "write" and error == "EINTR":
            self.expect(outcome.code == 0, what + ": must be retried", outcome)
        elif name in ("write", "renameat", "rename", "linkat"):
            self.expect(outcome.code == 3, what + ": must be reported", outcome)
        elif name == "fsync" and error != "EINVAL":
            self.expect(outcome.code == 3, what + ": must be reported", outcome)

    def order_of_durability(self):
        """Data, then name, then folder: a crash of the machine cannot be had in a test."""
        for overwrite, give_name in ((False, "renameat2"), (True, "renameat")):
            outcome = self.write(overwrite)
            calls = [name for name, _ in calls_of(outcome.trace)]
            end = calls[len(calls) - calls[::-1].index("write"):]
            steps = [c for c in end if c in ("fsync", "close", give_name)]
            self.expect(steps == ["fsync", "close", give_name, "fsync", "close"],
                        f"order of {steps}", outcome)
        outcome = self.write(False, ["fsync:error=EIO:when=1"])
        calls = [name for name, _ in calls_of(outcome.trace)]
        self.expect(calls.count("fsync") == 1 and outcome.code == 3, "fsync repeated", outcome)

    def failed_close(self):
        calls = self.baseline(False, ())
        number = next(n for name, n in calls[calls.index(("fsync", 1)):] if name == "close")
        for error in ERRORS:
            outcome = self.write(False, [f"close:error={error}:when={number}"])
            # After EINTR the descriptor is closed, and fsync has said that the data is there.
            code, state = (0, "new") if error == "EINTR" else (3, "none")
            self.expect(outcome.code == code and self.target.state() == state,
                        f"{error} at the close of the temporary file", outcome)

    def out_of_memory(self):
        for name, number in self.baseline(False, ()):
            if name == "mmap":
                outcome = self.write(False, [f"mmap:error=ENOMEM:when={number}"])
                self.expect(outcome.code in (0, 3) and not self.target.others(), "ENOMEM", outcome)

    def short_writes(self):
        for limit in (1000, SIZE // 2, SIZE - 1):
            self.target.reset(has_old=False)
            outcome = run_helper(["write", self.target.path, SIZE, APPEND, 0, limit])
            self.expect(outcome.code == 0 and self.target.state() == "new",
                        f"writes of {limit} bytes", outcome)

    def reads(self):
        self.target.reset(has_old=False)
        self.target.path.write_bytes(self.target.new)
        arguments = ["read", self.target.path, 200_000]
        outcome = run_helper(arguments, (), self.trace_file)
        calls = [call for call in calls_of(outcome.trace) if call[0] == "pread64"]
        self.expect(outcome.code == 0 and len(calls) == 13, "short reads", outcome)
        for name, number in calls:
            for fault, code in (("error=EINTR", 0), ("error=EIO", 3), ("error=ESTALE", 3),
                                ("retval=0", 3)):
                self.runs += 1
                outcome = run_helper(arguments, [f"{name}:{fault}:when={number}"], self.trace_file)
                self.expect(outcome.code == code, f"{fault} at {name} {number}", outcome)
        for fault in ("openat:error=EMFILE", "openat:error=EACCES", "newfstatat:error=EIO"):
            name = fault.split(":")[0]
            last = [call for call in calls_of(run_helper(arguments, (), self.trace_file).trace)
                    if call[0] == name][-1]
            outcome = run_helper(arguments, [f"{fault}:when={last[1]}"], self.trace_file)
            self.expect(outcome.code == 3, fault, outcome)


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        require_strace(work)
        faults = Faults(work)
        for overwrite in (False, True):
            faults.kill_everywhere(overwrite)
            faults.fail_everywhere(overwrite)
        faults.kill_everywhere(False, [NO_RENAMEAT2])
        faults.fail_everywhere(False, [NO_RENAMEAT2])
        faults.order_of_durability()
        faults.failed_close()
        faults.out_of_memory()
        faults.short_writes()
        faults.reads()
        for failure in faults.failures:
            print(failure)
        print(f"{faults.runs} runs, {len(faults.failures)} failures")
        return 1 if faults.failures else 0


if __name__ == "__main__":
    sys.exit(main())

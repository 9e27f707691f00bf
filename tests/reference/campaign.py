#!/usr/bin/env python3
"""Random edits of small files, each read by the library and by the reference decoder.

    python tests/reference/campaign.py --edits 2000000           # until done, or interrupted
    python tests/reference/campaign.py --only windows:1234       # one edit again, in words

Both must find the same outcome (sound, damaged, unsupported) and, of sound files, the same values; a
crash, a silence, memory over budget or the library contradicting itself is a failure, too. Files
that fail are written to build/campaign, each with its story. Exits with 1 where any did.
"""

import argparse
import collections
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
from answers import HELPER, ROOT, SECONDS, Library, difference, reference_answer  # First: may skip.
from edits import Seed
from seed_files import seeds

FAILURES = ROOT / "build" / "campaign"
CHUNK = 200
MEMORY_MIB = 400  # Resident: the budget of Verify, that of a scan, blocks kept, and what is not counted.
Failure = collections.namedtuple("Failure", "name why ours reference story path")
worker = None  # Of a process of the pool: (seeds by name, the library).


def start_worker(memory_mib):
    global worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, too_long)
    worker = {name: Seed(name, data) for name, data, _ in seeds()}, Library(memory_mib)


def too_long(*_):
    raise TimeoutError


def examine(seed, number, library):
    data, story = seed.edited(number)
    ours = library.answer(data)
    signal.alarm(SECONDS)
    reference = reference_answer(data)
    signal.alarm(0)
    return data, story, ours, reference, difference(ours, reference)


def run_chunk(task):
    name, first, count = task
    by_name, library = worker
    found, failures = collections.Counter(), []
    for number in range(first, first + count):
        data, story, ours, reference, why = examine(by_name[name], number, library)
        found[f"reference {reference.outcome}"] += 1
        found["one side without the means"] += "resource" in (ours.outcome, reference.outcome)
        if reference.outcome == ours.outcome and reference.rules:
            found["outcome with a rule"] += 1
            found["equal rule"] += bool(reference.rules & ours.rules)
        if why:
            FAILURES.mkdir(parents=True, exist_ok=True)
            path = FAILURES / f"{name}_{number}.dsi"
            path.write_bytes(data)
            failures.append(Failure(f"{name}:{number}", why, ours, reference, story, path))
    return found, failures


def tasks(edits, first):
    """Chunks of numbers, in turn, so that each file gets its share whenever one stops."""
    files = seeds()
    weights, done = sum(w for _, _, w in files), 0
    per_round = CHUNK * weights
    for start in range(0, edits, per_round):
        for name, _, weight in files:
            for k in range(weight):
                if done < edits:
                    count = min(CHUNK, edits - done)
                    done += count
                    yield name, first + start // weights * weight + k * CHUNK, count


def run(edits, first=0, processes=None, memory_mib=MEMORY_MIB, most_failures=50,
        progress=lambda done, failures: None):
    """The counts and the failures of so many edits; an interrupt ends it early."""
    found, failures, done = collections.Counter(), [], 0
    pool = multiprocessing.Pool(processes or os.cpu_count(), start_worker, (memory_mib,))
    try:
        for more, bad in pool.imap_unordered(run_chunk, tasks(edits, first)):
            found += more
            failures += bad
            done += CHUNK
            progress(min(done, edits), failures)
            if len(failures) >= most_failures:
                break
    except KeyboardInterrupt:
        found["interrupted"] = 1
    finally:
        pool.terminate()
        pool.join()
    return found, failures


def describe(failure):
    return "\n".join([
        f"{failure.name}: {failure.why} ({failure.path})", *(f"    {s}" for s in failure.story),
        f"    library: {failure.ours.outcome} {failure.ours.text}",
        f"    reference: {failure.reference.outcome} {failure.reference.text}"])


def show_one(which):
    name, _, number = which.partition(":")
    seed = next(Seed(n, data) for n, data, _ in seeds() if n == name)
    data, story, ours, reference, why = examine(seed, int(number), Library())
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / f"{name}_{number}.dsi"
    path.write_bytes(data)
    print(describe(Failure(which, why or "agree", ours, reference, story, path)))
    return 1 if why else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edits", type=int, default=2_000_000)
    parser.add_argument("--first", type=int, default=0, help="number of each file's first edit")
    parser.add_argument("--processes", type=int)
    parser.add_argument("--memory-mib", type=int, default=MEMORY_MIB, help="of the library")
    parser.add_argument("--failures", type=int, default=50, help="stop after so many")
    parser.add_argument("--only", help="FILE:NUMBER, one edit")
    options = parser.parse_args()
    if not HELPER.exists():
        sys.exit(f"{HELPER} is not built; DSI_BUILD_DIR says where it is")
    if options.only:
        return show_one(options.only)
    start, last = time.monotonic(), 0

    def progress(done, failures):
        nonlocal last
        now = time.monotonic() - start
        if now - last >= 10 or done == options.edits:
            last = now
            print(f"{done} edits, {len(failures)} failures, {done / now:.0f} a second", flush=True)
    found, failures = run(options.edits, options.first, options.processes, options.memory_mib,
                          options.failures, progress)
    for failure in failures:
        print(describe(failure))
    for key, count in sorted(found.items()):
        print(f"{count:9} {key}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

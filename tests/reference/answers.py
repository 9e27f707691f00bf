"""What the two decoders say of a file, in words that can be compared: the reference decoder here, the
library through the program `answer_helper`, whose source says what the digest is.
"""

import os
import select
import struct
import subprocess
from collections import namedtuple
from pathlib import Path

from example_files import outcome  # First: may skip, and puts spec/reference on the path.
import xxhash
from dsi_nodes import Damage, DsiError, Exhausted, Unsupported
from dsi_records import TYPE_WIDTH
from dsi_reference import File

ROOT = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("DSI_BUILD_DIR", ROOT / "build" / "release"))
HELPER = BUILD / "bin" / "answer_helper"
VALUES = 2**18  # Of the reference decoder; more makes no second file in a second.
SECONDS = 120  # Of either; files of a few kilobytes take milliseconds.

# `rules`: those quoted. `digest`: of all values of a sound file, else None. `text`: for people.
Answer = namedtuple("Answer", "outcome rules digest text")


def row_bytes(value, width):
    if value is None:
        return b"\0"
    entries = value if isinstance(value, (list, bytes)) else [value]
    body = entries if isinstance(entries, bytes) else b"".join(
        (v & (1 << 8 * width) - 1).to_bytes(width, "little") for v in entries)
    return b"\1" + struct.pack("<I", len(entries)) + body


def digest_of(file):
    digests = [xxhash.xxh3_64() for _ in file.columns]
    for stripe, indexes, columns in file.decode():
        try:
            deleted = file.is_deleted(stripe)
        except Unsupported:
            continue  # Which decode() raises at the end.
        for c, unique in zip(file.columns, columns):
            index = indexes[c.group]
            if unique is None or index is None:
                continue  # Unsupported, which decode() raises at the end.
            rows = [row_bytes(value, TYPE_WIDTH[c.type]) for value in unique]
            file.budget.spend(sum(len(rows[i]) for i in index) // 8, c.name)
            digests[c.ordinal].update(b"".join([
                rows[i] for i, gone in zip(index, deleted) if not gone]))
    return xxhash.xxh3_64_intdigest(struct.pack(f"<{len(digests)}Q", *[
        d.intdigest() for d in digests]))


def reference_answer(data, values=VALUES):
    try:
        return Answer("sound", set(), digest_of(File(data, values)), "")
    except Exhausted as error:
        return Answer("resource", {error.rule}, None, str(error))
    except DsiError as error:
        outcome = "damaged" if isinstance(error, Damage) else "unsupported"
        return Answer(outcome, {error.rule}, None, str(error))
    except Exception as error:  # pylint: disable=broad-except  # What it may never do.
        return Answer("crash", set(), None, repr(error))


def outcome_of_both(data, also=()):
    """As example_files.outcome; fails where the library finds another outcome or rule. `also`: rules
    that are broken as well, or None: any may be."""
    reference = outcome(data)
    if LIBRARY is None:
        return reference
    ours = LIBRARY.answer(data)
    names = {"damaged": "Damage", "unsupported": "Unsupported"}
    if ours.outcome not in (*names, "sound"):
        raise AssertionError(f"library: {ours}, reference: {reference}")
    if names.get(ours.outcome) != (reference and reference[0]) or (
            reference and also is not None and not ours.rules & {reference[1], *also}):
        raise AssertionError(f"library: {ours}, reference: {reference}")
    return reference


class Library:
    """The helper program, started again when it ends. An end or a silence is an answer, too."""

    def __init__(self, memory_mib=400):
        self.memory_mib, self.process = memory_mib, None

    def answer(self, data):
        if self.process is None:
            self.process = subprocess.Popen(
                [HELPER, str(self.memory_mib)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)
        try:
            self.process.stdin.write(struct.pack("<I", len(data)) + data)
            self.process.stdin.flush()
            ready = select.select([self.process.stdout], [], [], SECONDS)[0]
            line = self.process.stdout.readline().decode("utf-8", "replace") if ready else ""
        except BrokenPipeError:
            ready, line = True, ""
        if not line.endswith("\n"):
            return self._ended("crash" if ready else "hang")
        outcome, rules, digest, contradiction, text = line.rstrip("\n").split("\t")
        if outcome == "over_budget":
            self.close()
        elif contradiction != "-":
            outcome, text = "contradiction", contradiction
        return Answer(outcome, set() if rules == "-" else set(rules.split(",")),
                      int(digest, 16) if outcome == "sound" else None, text)

    def _ended(self, outcome):
        process, self.process = self.process, None
        process.kill()
        errors = process.communicate()[1].decode("utf-8", "replace")
        return Answer(outcome, set(), None, f"exit {process.returncode} {errors[-4000:]}")

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()
            self.process = None


# Always there in a build; who runs a test by hand may lack it.
LIBRARY = Library() if HELPER.exists() or "DSI_BUILD_DIR" in os.environ else None


def is_order_in_a_node(a, b):
    """F-004: of an unknown encoding and of damage in one node either may be found first."""
    if a.outcome != "unsupported":
        a, b = b, a
    return (a.outcome, b.outcome) == ("unsupported", "damaged") and a.rules == {"E-005"} and all(
        rule.startswith("E-") and rule != "E-005" for rule in b.rules)


def difference(ours, reference):
    """Why two answers disagree, or None; "resource" agrees with everything but a fault."""
    if ours.outcome not in ("sound", "damaged", "unsupported", "resource"):
        return ours.outcome
    if reference.outcome == "crash":
        return "the reference fails"
    if "resource" in (ours.outcome, reference.outcome):
        return None
    if ours.outcome != reference.outcome and not is_order_in_a_node(ours, reference):
        return f"library {ours.outcome}, reference {reference.outcome}"
    return "other values" if ours.outcome == "sound" and ours.digest != reference.digest else None

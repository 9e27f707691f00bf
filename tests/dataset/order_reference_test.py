"""The library and the program beside the specification give the same order, shares and turns, and the
numbers at the end of the page are those of the program.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

SOURCE = Path(os.environ["DSI_SOURCE_DIR"])
HELPER = Path(os.environ["DSI_BUILD_DIR"]) / "bin" / "order_helper"
sys.path.insert(0, str(SOURCE / "spec/reference"))

import dataset_order  # noqa: E402

UNITS = ["none", "block", "stripe", "file"]
MIXES = ["sessions", "rows"]
REMAINDERS = ["drop", "pad", "uneven"]
RULES = {"rows": "DO-001 to DO-007", "window": "DO-009", "bijection": "DO-003", "share": "DO-012",
         "left": "DO-013", "turns": "DO-016"}


def words(*parts):
    """Numbers; a list is its length and its elements, a list of pairs the number of pairs."""
    flat = []
    for part in parts:
        if isinstance(part, list):
            flat.append(len(part))
            for element in part:
                flat += list(element) if isinstance(element, (list, tuple)) else [element]
        else:
            flat.append(part)
    return " ".join(map(str, flat))


def some_spans(rng, end):
    spans, at = [], rng.randrange(4)
    while at < end:
        stop = min(end, at + rng.randrange(1, 20))
        spans.append((at, stop))
        at = stop + rng.randrange(6)
    return spans


def some_order(rng):
    return {"unit": rng.choice(UNITS), "seed": str(rng.getrandbits(64)), "epoch": str(rng.getrandbits(3)),
            "block_rows": rng.randrange(1, 9), "mix": rng.choice(MIXES)}


def order_words(order):
    return words(UNITS.index(order["unit"]), order["seed"], order["epoch"], order["block_rows"],
                 MIXES.index(order["mix"]))


def make_rows(rng):
    order, snapshot = some_order(rng), rng.getrandbits(64)
    unit_ends, end = [], 0
    for _ in range(rng.randrange(1, 400 if rng.random() < 0.1 else 30)):
        end += rng.randrange(9)
        unit_ends.append(end)
    spans = some_spans(rng, end)
    return (f"{order_words(order)} {words(snapshot, unit_ends, spans)}",
            [dataset_order.fingerprint(spans)]
            + dataset_order.ordered_rows(order, snapshot, unit_ends, spans))


def make_window(rng):
    order, snapshot, window = some_order(rng), rng.getrandbits(64), rng.getrandbits(20)
    num_rows = rng.randrange(1, 300)
    starts = sorted({0} | {rng.randrange(num_rows) for _ in range(rng.randrange(num_rows))})
    return (f"{order_words(order)} {words(snapshot, window, starts, num_rows)}",
            dataset_order.mixed_window(order, snapshot, window, starts, num_rows))


def make_bijection(rng):
    k, n = rng.getrandbits(64), rng.choice([1, 2, 3, 255, 256, 257, 2**48, rng.randrange(1, 2**rng.randrange(1, 48))])
    at = dataset_order.bijection(k, n)
    places = [rng.randrange(n) for _ in range(10)]
    return words(k, n, places), [at(i) for i in places]


def some_left(rng):
    return some_spans(rng, rng.randrange(120)), rng.randrange(1, 20), rng.randrange(3)


def make_share(rng):
    left, world, remainder = some_left(rng)
    return words(remainder, world, left), [
        int(number) for rank in range(world)
        for pair in dataset_order.share(left, rank, world, REMAINDERS[remainder]) for number in pair]


def make_left(rng):
    left, world, remainder = some_left(rng)
    gone = [rng.randrange(12) for _ in range(world)]
    rest = dataset_order.remaining(left, world, REMAINDERS[remainder], gone)
    return words(remainder, world, left, gone), [number for span in rest for number in span]


def make_turns(rng):
    weights = [rng.randrange(1, 20) for _ in range(rng.randrange(1, 7))]
    return words(weights, 60), dataset_order.turns(weights, 60)


def main():
    if not HELPER.exists():
        print(f"{HELPER} is not built")
        return 77
    rng = random.Random(5)
    makers = {name: globals()[f"make_{name}"] for name in RULES}
    cases = [(name, *makers[name](rng)) for _ in range(300) for name in RULES]
    answers = subprocess.run([HELPER], input="".join(f"{name} {ask}\n" for name, ask, _ in cases),
                             capture_output=True, text=True, check=True).stdout.splitlines()
    errors = []
    for (name, ask, expected), answer in zip(cases, answers):
        if [int(word) for word in answer.split()] != expected:
            errors.append(f"{RULES[name]}: {name} {ask}: found {answer}, expected {expected}")
    if len(answers) != len(cases):
        errors.append(f"{len(answers)} answers to {len(cases)} questions")
    page = (SOURCE / "spec/dataset-order.md").read_text(encoding="utf-8")
    if f"```\n{dataset_order.vectors()}```" not in page:
        errors.append("spec/dataset-order.md: its numbers are not those of spec/reference/dataset_order.py")
    print("\n".join(errors[:5]) or f"{len(cases)} answers agree")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

"""The order of a dataset, written from dataset-order.md alone, in its order.

    python dataset_order.py        # prints the numbers at the end of that page
"""

import math

MASK = 2**64 - 1


def mix(x):  # DO-001
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def split_mix(x, i):
    return mix(x + i * 0x9E3779B97F4A7C15 & MASK)


def key(purpose, seed, epoch, snapshot, index):  # DO-002
    k = split_mix(purpose, 1)
    for word in (seed, epoch, snapshot, index):
        k = split_mix(k ^ word, 1)
    return k


def bijection(k, n):  # DO-003
    b = math.isqrt(n - 1) + 1 if n else 0
    b += b % 2
    rounds = 24 if n < 256 else 6
    keys = [split_mix(k, r + 1) for r in range(rounds)]

    def f(round_key, v, m):
        return (mix(round_key + v & MASK) >> 24) * m >> 40

    def at(x):
        a = -(-n // b)
        while True:
            h, l = divmod(x, b)
            for r in range(0, rounds, 2):
                h = (h + f(keys[r], l, a)) % a
                l = (l + f(keys[r + 1], h, b)) % b
            x = h * b + l
            if x < n:
                return x

    return at


def join(spans):
    joined = []
    for begin, end in spans:
        if begin == end:
            continue
        if joined and joined[-1][1] == begin:
            joined[-1][1] = end
        else:
            joined.append([begin, end])
    return joined


def fingerprint(spans):  # DO-005
    g = 0
    for begin, end in join(spans):
        g = split_mix(split_mix(g ^ begin, 1) ^ end, 1)
    return g


def ordered_rows(order, snapshot, unit_ends, spans):  # DO-006, DO-007
    """Rows by position; `order` is the object of a state."""
    rows = [row for begin, end in spans for row in range(begin, end)]
    if order["unit"] == "none":
        return rows
    if order["unit"] == "block":
        size = order["block_rows"]
        units = [rows[i:i + size] for i in range(0, len(rows), size)]
    else:
        begins = [0] + unit_ends[:-1]
        units = [[row for row in rows if begin <= row < end]
                 for begin, end in zip(begins, unit_ends)]
        units = [unit for unit in units if unit]
    at = bijection(key(1, int(order["seed"]), int(order["epoch"]), snapshot, 0), len(units))
    return [row for place in range(len(units)) for row in units[at(place)]]


def window_rows(mixing_rows, batch_size):  # DO-008
    return -(-mixing_rows // batch_size) * batch_size


def shuffle(k, n):  # DO-009
    numbers = list(range(n))
    for i in range(n, 1, -1):
        other = (split_mix(k, i) >> 32) * i >> 32
        numbers[i - 1], numbers[other] = numbers[other], numbers[i - 1]
    return numbers


def mixed_window(order, snapshot, window, starts, num_rows):
    k = key(2, int(order["seed"]), int(order["epoch"]), snapshot, window)
    if order["mix"] == "rows":
        return shuffle(k, num_rows)
    ends = starts[1:] + [num_rows]
    return [row for s in shuffle(k, len(starts)) for row in range(starts[s], ends[s])]


def run_of(n, rank, world, remainder):  # DO-011
    q, m = divmod(n, world)
    if remainder == "drop":
        return rank * q, q
    return rank * q + min(rank, m), q + (rank < m)


def batches_of(spans):
    return [b for begin, end in spans for b in range(begin, end)]


def share(left, rank, world, remainder):  # DO-012
    """Pairs of a batch and whether it is repeated."""
    batches = batches_of(left)
    begin, count = run_of(len(batches), rank, world, remainder)
    taken = [(b, False) for b in batches[begin:begin + count]]
    if remainder == "pad" and count < -(-len(batches) // world):
        taken.append((batches[begin + count - 1], True))
    return taken


def remaining(left, world, remainder, handed_out):  # DO-013; one number for each rank
    batches = batches_of(left)
    rest, end = [], 0
    for rank in range(world):
        begin, count = run_of(len(batches), rank, world, remainder)
        end = begin + count
        rest += batches[begin + min(count, handed_out[rank]):end]
    return join([b, b + 1] for b in rest + batches[end:])


def turns(weights, count):  # DO-016
    total = sum(weights)
    taken = [0] * len(weights)
    order = []
    for t in range(count):
        if t % total == 0:
            taken = [0] * len(weights)
        may = [(-(-(j + 1) * total // v), i) for i, (j, v) in enumerate(zip(taken, weights))
               if v and j * total // v <= t % total]
        source = min(may)[1]
        taken[source] += 1
        order.append(source)
    return order


def vectors():
    """The example block of the page."""
    order = {"unit": "block", "seed": "7", "epoch": "1", "block_rows": 3, "mix": "sessions"}
    k = key(1, 7, 1, 9, 0)
    at = [bijection(k, n) for n in (5, 300, 10**10)]
    lines = [
        f"S(1234567, 1)              = {split_mix(1234567, 1)}",
        f"key(1, 7, 1, 9, 0)         = {k:016x}",
        f"P(…, 5)                    = {[at[0](i) for i in range(5)]}",
        f"P(…, 300), first 5         = {[at[1](i) for i in range(5)]}",
        f"P(…, 10¹⁰), first 3        = {[at[2](i) for i in range(3)]}",
        f"fingerprint [0,4) [6,10)   = {fingerprint([[0, 4], [6, 10]]):016x}",
        f"these in blocks of 3       = {ordered_rows(order, 9, [], [[0, 4], [6, 10]])}",
        f"sessions at 0, 2, 3, 6 of 8 = {mixed_window(order, 9, 0, [0, 2, 3, 6], 8)}",
        f"weights 5, 3, 2            = {turns([5, 3, 2], 10)}",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(vectors(), end="")

"""The one form in which every loader hands out a batch, and the collate function that those need who give Arrow or rows.

Form 'full': the lists of all rows, key after key. Form 'vbe': of each key its unique rows, in the order in which they come first, and
which of them each row is: what a KeyedJaggedTensor of a variable batch holds. Written as one writes it by hand with numpy: nothing loops
over rows."""
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch


@dataclass
class Columns:
    """What is read, by the names that the peers' tables have; `names` leads from these to dsi's."""
    lists: list
    dense: list
    label: str
    names: dict

    def all(self):
        return [*self.lists, *self.dense, self.label]


@dataclass
class Made:
    dense: Any  # float32 [B, D]
    labels: Any  # float32 [B]
    values: Any  # int64 [N]
    lengths: Any  # int64 [F * B]; of form 'vbe' [U]
    offsets: Any  # one more than lengths
    strides: Any = None  # Unique rows of each key.
    inverse: Any = None  # int64 [F, B]

    def __len__(self):
        return len(self.labels)

    def to(self, device):
        """What is in memory of the host, copied."""
        moved = {f.name: getattr(self, f.name) for f in fields(self)}
        return Made(**{name: v.to(device, non_blocking=True) if isinstance(v, torch.Tensor) else v for name, v in moved.items()})

    def expanded(self):
        """Values and lengths of all rows: equal for equal batches, in whichever form they come."""
        if self.inverse is None:
            return self.values, self.lengths
        first = torch.tensor([0, *np.cumsum(self.strides)[:-1]])
        row = (self.inverse + first[:, None]).reshape(-1)
        lengths = self.lengths.long()[row]
        begin = self.offsets.long()[:-1][row]
        within = torch.arange(int(lengths.sum())) - torch.repeat_interleave(torch.cumsum(lengths, 0) - lengths, lengths)
        return self.values[torch.repeat_interleave(begin, lengths) + within], lengths


class UniqueRows:
    """Which rows of a list column are equal, by a 64-bit hash of each row that knows the order of its values.

    A row's hash is its values times powers of an odd number: a difference of two running sums, brought to power 0 by the inverse power."""
    FACTOR, ADD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)

    def __init__(self):
        self.powers = self.inverse = np.ones(1, np.uint64)

    def _grow(self, count):
        if count > len(self.powers):
            count = 2 * count
            back = np.uint64(pow(int(self.FACTOR), -1, 1 << 64))
            self.powers = np.cumprod(np.full(count, self.FACTOR))
            self.inverse = np.cumprod(np.full(count, back))

    def __call__(self, offsets, values):
        """inverse [B], and the first row of each unique row, ascending."""
        import pyarrow as pa
        rows = len(offsets) - 1
        self._grow(len(values) + 1)
        mixed = values.view(np.uint64) + self.ADD
        mixed ^= mixed >> np.uint64(32)
        mixed *= self.powers[:len(values)]
        sums = np.zeros(len(values) + 1, np.uint64)
        np.cumsum(mixed, out=sums[1:])
        at = sums[offsets]
        hashes = (at[1:] - at[:-1]) * self.inverse[offsets[:-1]] + (offsets[1:] - offsets[:-1]).astype(np.uint64)
        inverse = pa.array(hashes).dictionary_encode().indices.to_numpy()
        first = np.empty(int(inverse.max(initial=-1)) + 1, np.int64)
        first[inverse[::-1]] = np.arange(rows - 1, -1, -1)  # The last write stays: the first row.
        return inverse, first


class Collate:
    """Columns as numpy arrays to a batch."""

    def __init__(self, columns, form):
        self.columns, self.unique = columns, UniqueRows() if form == "vbe" else None

    def __call__(self, lists, dense, label):
        """lists: (offsets from 0, int64 values) of each key."""
        rows = len(label)
        matrix = np.empty((rows, len(dense)), np.float32)
        for i, column in enumerate(dense):
            matrix[:, i] = column
        made = self.expanded(lists, rows) if self.unique is None else self.deduplicated(lists, rows)
        return Made(torch.from_numpy(matrix), torch.from_numpy(label.astype(np.float32)), *made)

    @staticmethod
    def with_offsets(values, lengths):
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return torch.from_numpy(values), torch.from_numpy(lengths), torch.from_numpy(offsets)

    def expanded(self, lists, rows):
        lengths = np.empty((len(lists), rows), np.int64)
        for i, (offsets, _) in enumerate(lists):
            np.subtract(offsets[1:], offsets[:-1], out=lengths[i])
        return self.with_offsets(np.concatenate([values for _, values in lists]), lengths.reshape(-1))

    def deduplicated(self, lists, rows):
        inverses = np.empty((len(lists), rows), np.int64)
        values, lengths, strides = [], [], []
        for i, (offsets, ids) in enumerate(lists):
            inverses[i], first = self.unique(offsets, ids)
            of_rows = offsets[1:] - offsets[:-1]
            keep = np.zeros(rows, bool)
            keep[first] = True
            values.append(ids[np.repeat(keep, of_rows)])
            lengths.append(of_rows[first].astype(np.int64))
            strides.append(len(first))
        made = self.with_offsets(np.concatenate(values), np.concatenate(lengths))
        return *made, strides, torch.from_numpy(inverses)


class CollateArrow(Collate):
    """A record batch to a batch; where nothing is missing numpy looks at Arrow's memory."""

    @staticmethod
    def parts(column):
        offsets = column.offsets.to_numpy()
        begin, end = int(offsets[0]), int(offsets[-1])
        values = column.values.slice(begin, end - begin).to_numpy()
        return (offsets - offsets[0] if begin else offsets), values

    def of(self, batch):
        c = self.columns
        column = lambda name: batch.column(batch.schema.get_field_index(name))
        return self([self.parts(column(n)) for n in c.lists], [column(n).to_numpy(zero_copy_only=False) for n in c.dense],
                    column(c.label).to_numpy(zero_copy_only=False))


class Epochs:
    """What is opened once and gives all batches as often as it is iterated."""

    def __init__(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter(self.epoch())


def rebatched(batches, size):
    """Record batches of `size` rows; a batch or the middle of one is not copied."""
    import pyarrow as pa
    kept, rows = [], 0
    for batch in batches:
        at = 0
        while batch.num_rows - at >= size - rows:
            part = batch.slice(at, size - rows)
            at += size - rows
            yield part if not kept else pa.Table.from_batches([*kept, part]).combine_chunks().to_batches()[0]
            kept, rows = [], 0
        if at < batch.num_rows:
            kept.append(batch.slice(at))
            rows += batch.num_rows - at
    if rows:
        yield pa.Table.from_batches(kept).combine_chunks().to_batches()[0]

"""Lists of a table, row against row: what the data says without any help of the file."""
import numpy as np


def starts_of(table, key):
    """True where a row begins a session: rows of a session stand together."""
    keys = table[key].to_numpy()
    return np.concatenate([[True], keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, bool)


class Lists:
    """One list feature of a table: lengths, values, and rows equal to the row before."""

    def __init__(self, column):
        array = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        if hasattr(array, "chunks"):
            array = array.chunk(0)
        offsets = array.offsets.to_numpy().astype(np.int64)
        self.present = ~array.is_null().to_numpy(zero_copy_only=False)
        self.first = offsets[:-1]
        self.length = np.where(self.present, offsets[1:] - offsets[:-1], 0)
        self.values = array.values.to_numpy()
        self.num_values = int(self.length.sum())

    def same_as_before(self):
        """True where a row holds the list of the row before, value by value."""
        rows = len(self.length)
        same = np.zeros(rows, bool)
        same[1:] = (self.length[1:] == self.length[:-1]) & (self.present[1:] == self.present[:-1])
        at = np.flatnonzero(same & (self.length > 0))
        length = self.length[at]
        inside = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        differs = self.values[np.repeat(self.first[at], length) + inside] != self.values[np.repeat(self.first[at - 1], length) + inside]
        same[np.repeat(at, length)[differs]] = False
        return same

    def values_in_row_before(self, begins):
        """How many values stand in the list of the session's row before as well."""
        row = np.repeat(np.arange(len(self.length), dtype=np.uint64), self.length)
        inside = np.arange(len(row)) - np.repeat(np.cumsum(self.length) - self.length, self.length)
        values = self.values[np.repeat(self.first, self.length) + inside].astype(np.uint64)

        def keys(of_row):
            mixed = values * np.uint64(0x9E3779B97F4A7C15) + of_row * np.uint64(0xC2B2AE3D27D4EB4F)
            return (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        inner = ~begins[row.astype(np.int64)]
        return int(np.isin(keys(row - np.uint64(1))[inner], keys(row)).sum())

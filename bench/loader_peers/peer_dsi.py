"""dsi: batches come as they are wanted, in either form."""
import os
import time

import dsi

from batches import Epochs, Made

inside = [0.0]  # Seconds in the library, of all batches.


class Timed:
    """A scan of the library that notes how long `next` takes."""

    def __init__(self, native):
        self.native = native

    def next(self):
        start = time.perf_counter()
        made = self.native.next()
        inside[0] += time.perf_counter() - start
        return made

    def __getattr__(self, name):
        return getattr(self.native, name)


def write(table, folder):
    """The file is there: the others are made of it."""


def loader(folder, columns, form, batch_size):
    dataset = dsi.open(os.path.join(os.path.dirname(folder), "table.dsi"))
    names = columns.names
    features = [
        dsi.Kjt([names[n] for n in columns.lists], form="vbe" if form == "vbe" else "expanded"),
        dsi.Dense([names[n] for n in columns.dense], pad_value=0),
        dsi.Labels(names[columns.label]),
    ]

    def epoch():
        scan = dataset.scan(features, framework="torch", batch_size=batch_size, read_ahead_bytes=64 << 20)
        scan.native = Timed(scan.native)
        for batch in scan:
            parts = batch.kjt_parts()
            yield Made(batch.dense, batch.labels, parts.values, parts.lengths, parts.offsets, parts.stride_per_key, parts.inverse)

    return Epochs(epoch)

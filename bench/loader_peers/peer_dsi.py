"""dsi's own loader, as it is: memory by default, and threads unless there is one core."""

import os
import time

import dsi

from batches import Epochs, Made

# Seconds of all epochs, from the first batch asked for to the last: in the library, and altogether.
seconds = {"inside": 0.0, "all": 0.0}


class Timed:
    """A scan of the library that notes how long `next` takes."""

    def __init__(self, native):
        self.native = native

    def next(self):
        start = time.perf_counter()
        made = self.native.next()
        seconds["inside"] += time.perf_counter() - start
        return made

    def __getattr__(self, name):
        return getattr(self.native, name)


class OneCopy(Made):
    """A batch whose tensors lie in one piece of memory."""

    @classmethod
    def of(cls, batch):
        parts = batch.kjt_parts()
        made = cls(
            batch.dense,
            batch.labels,
            parts.values,
            parts.lengths,
            parts.offsets,
            parts.stride_per_key,
            parts.inverse,
        )
        made.batch = batch
        return made

    def to(self, device):
        return OneCopy.of(self.batch.to(device, non_blocking=True))


def write(table, folder):
    """The file is there: the others are made of it."""


def loader(folder, columns, form, batch_size, threads, pin_memory=False):
    dataset = dsi.open(os.path.join(os.path.dirname(folder), "table.dsi"))
    names = columns.names
    features = [
        dsi.Kjt([names[n] for n in columns.lists], form="vbe" if form == "vbe" else "expanded"),
        dsi.Dense([names[n] for n in columns.dense], pad_value=0),
        dsi.Labels(names[columns.label]),
    ]
    batches = dataset.loader(
        features, batch_size=batch_size, threads=threads or None, pin_memory=pin_memory
    )

    def epoch():
        running = iter(batches)
        running.scan.native = Timed(running.scan.native)
        start = time.perf_counter()
        try:
            for batch in running:
                yield OneCopy.of(batch)
        finally:  # Also where an epoch is left.
            seconds["all"] += time.perf_counter() - start

    return Epochs(epoch)

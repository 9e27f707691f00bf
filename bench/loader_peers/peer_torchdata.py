"""torchdata's nodes over Parquet: threads read row groups in order, batches are cut of them, made
and prefetched by another thread."""

import os
import threading

import pyarrow.parquet as pq
from torchdata.nodes import BaseNode, IterableWrapper, Loader, ParallelMapper, Prefetcher

from batches import CollateArrow
from peer_pyarrow import write  # noqa: F401: the same file.


class ReadGroup:
    def __init__(self, path, names):
        self.path, self.names, self.local = path, names, threading.local()

    def __call__(self, group):
        if not hasattr(self.local, "file"):
            self.local.file = pq.ParquetFile(self.path)
        return (
            self.local.file.read_row_group(group, columns=self.names, use_threads=False)
            .combine_chunks()
            .to_batches()[0]
        )


class Batches(BaseNode):
    """Batches of `size` rows of row groups, whose rows are a multiple of it."""

    def __init__(self, source, size, collate):
        super().__init__()
        self.source, self.size, self.collate = source, size, collate

    def reset(self, initial_state=None):
        super().reset(initial_state)
        self.source.reset(None)
        self.group, self.at = None, 0

    def next(self):
        if self.group is None or self.at == self.group.num_rows:
            self.group, self.at = self.source.next(), 0
        part = self.group.slice(self.at, self.size)
        self.at += part.num_rows
        return self.collate(part)

    def get_state(self):
        return {}


def loader(folder, columns, form, batch_size, threads):
    path = os.path.join(folder, "table.parquet")
    groups = IterableWrapper(range(pq.ParquetFile(path).num_row_groups))
    read = ParallelMapper(
        groups,
        ReadGroup(path, columns.all()),
        num_workers=threads or os.cpu_count(),
        in_order=True,
        method="thread",
    )
    made = Batches(read, batch_size, CollateArrow(columns, form).of)
    return Loader(Prefetcher(made, prefetch_factor=4))

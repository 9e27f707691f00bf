"""MosaicML Streaming: shards of rows, a StreamingDataset in torch's DataLoader, whose
workers are as many as there are cores, but none for one core; collate by hand from the rows.

A row holds what is asked for and nothing else: shards have no projection, so one is made when they
are written."""

import os
import sys
import types

import numpy as np
import torch.utils.data

sys.modules["streaming.vision"] = types.ModuleType(
    "streaming.vision"
)  # Wants torchvision, of which not every torch has its own.
from streaming import MDSWriter, StreamingDataset
from streaming.base.util import clean_stale_shared_memory

from batches import Collate


def write(table, folder, columns):
    """Numbers of a row are one array. Lists are bytes, since its arrays cannot be empty."""
    kinds = {
        "dense": f"ndarray:float32:{len(columns.dense)}",
        "label": "float32",
        **{n: "bytes" for n in columns.lists},
    }
    with MDSWriter(out=os.path.join(folder, "shards"), columns=kinds) as out:
        for batch in table.select(columns.all()).to_batches(max_chunksize=8192):
            dense = np.stack(
                [batch[n].to_numpy(zero_copy_only=False).astype(np.float32) for n in columns.dense],
                1,
            )
            label = batch[columns.label].to_numpy(zero_copy_only=False).astype(np.float32)
            lists = {
                n: (batch[n].offsets.to_numpy(), batch[n].values.to_numpy()) for n in columns.lists
            }
            for i in range(batch.num_rows):
                row = {
                    n: values[offsets[i] : offsets[i + 1]].tobytes()
                    for n, (offsets, values) in lists.items()
                }
                out.write({"dense": dense[i], "label": label[i], **row})


class CollateRows(Collate):
    def of(self, rows):
        lists = []
        for name in self.columns.lists:
            ids = [row[name] for row in rows]
            offsets = np.zeros(len(rows) + 1, np.int64)
            np.cumsum(np.fromiter(map(len, ids), np.int64, len(ids)) // 8, out=offsets[1:])
            lists.append((offsets, np.frombuffer(b"".join(ids), np.int64)))
        dense = np.stack([row["dense"] for row in rows])
        return self(lists, dense.T, np.array([row["label"] for row in rows]))


def loader(folder, columns, form, batch_size, threads):
    clean_stale_shared_memory()
    dataset = StreamingDataset(
        local=os.path.join(folder, "shards"), shuffle=False, batch_size=batch_size
    )
    workers = 0 if threads == 1 else os.cpu_count()
    return torch.utils.data.DataLoader(
        dataset,
        batch_size=batch_size,
        collate_fn=CollateRows(columns, form).of,
        num_workers=workers,
        persistent_workers=workers > 0,
    )

"""Lance through its own dataset for torch, with a function to make tensors, since its default takes
no lists of variable length."""

import os

import lance
from lance.torch.data import LanceDataset

from batches import CollateArrow


def write(table, folder):
    lance.write_dataset(
        table,
        os.path.join(folder, "table.lance"),
        max_rows_per_file=1 << 30,
        data_storage_version="stable",
    )


def loader(folder, columns, form, batch_size, threads):  # As many as there are cores.
    dataset = lance.dataset(os.path.join(folder, "table.lance"))
    collate = CollateArrow(columns, form)
    return LanceDataset(
        dataset,
        batch_size=batch_size,
        columns=columns.all(),
        to_tensor_fn=lambda batch, **_: collate.of(batch),
    )

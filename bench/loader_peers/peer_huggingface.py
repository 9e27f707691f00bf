"""Hugging Face datasets: Arrow files mapped into memory, columns selected, batches in format
"arrow"; collate by hand. With more than one core in the workers of torch's DataLoader.

Its format "torch" makes a tensor per row of lists, which is slower by orders of magnitude."""

import os

import datasets
import torch.utils.data

from batches import CollateArrow, Epochs


def write(table, folder):
    datasets.Dataset(table).save_to_disk(os.path.join(folder, "table"))


class Batches(torch.utils.data.Dataset):
    """Batches by their number, in order: a slice is a view of the file."""

    def __init__(self, dataset, size, made):
        self.dataset, self.size, self.made = dataset, size, made

    def __len__(self):
        return -(-self.dataset.num_rows // self.size)

    def __getitem__(self, i):
        return self.made(self.dataset[i * self.size : (i + 1) * self.size])


def loader(folder, columns, form, batch_size, threads):
    dataset = datasets.load_from_disk(os.path.join(folder, "table"))
    dataset = dataset.select_columns(columns.all()).with_format("arrow")
    collate = CollateArrow(columns, form)

    def made(table):
        return collate.of(table.combine_chunks().to_batches()[0])

    if threads == 1:
        return Epochs(lambda: map(made, dataset.iter(batch_size=batch_size)))
    return torch.utils.data.DataLoader(
        Batches(dataset, batch_size, made),
        batch_size=None,
        num_workers=os.cpu_count(),
        persistent_workers=True,
    )

"""Hugging Face datasets: Arrow files mapped into memory, columns selected, batches in format "arrow"; collate by hand.

Its format "torch" makes a tensor per row of lists, which is slower by orders of magnitude."""
import os

import datasets

from batches import CollateArrow, Epochs


def write(table, folder):
    datasets.Dataset(table).save_to_disk(os.path.join(folder, "table"))


def loader(folder, columns, form, batch_size):
    dataset = datasets.load_from_disk(os.path.join(folder, "table")).select_columns(columns.all()).with_format("arrow")
    collate = CollateArrow(columns, form)
    made = lambda table: collate.of(table.combine_chunks().to_batches()[0])
    return Epochs(lambda: map(made, dataset.iter(batch_size=batch_size)))

"""Parquet read by pyarrow's dataset scanner, which decodes row groups ahead, with threads unless
there is one core; collate by hand.

zstd, row groups of 65,536 rows; without dictionaries, which is faster to read on these tables."""

import os

import pyarrow.dataset as pads
import pyarrow.parquet as pq

from batches import CollateArrow, Epochs, rebatched


def write(table, folder):
    pq.write_table(
        table,
        os.path.join(folder, "table.parquet"),
        row_group_size=65536,
        compression="zstd",
        compression_level=3,
        use_dictionary=False,
    )


def loader(folder, columns, form, batch_size, threads):
    dataset, collate = (
        pads.dataset(os.path.join(folder, "table.parquet")),
        CollateArrow(columns, form),
    )

    def scan():
        return dataset.scanner(
            columns=columns.all(), batch_size=batch_size, use_threads=threads != 1
        ).to_batches()

    return Epochs(lambda: map(collate.of, rebatched(scan(), batch_size)))

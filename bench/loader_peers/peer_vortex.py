"""Vortex read as Arrow record batches; collate by hand."""

import os

import pyarrow as pa
import vortex

from batches import CollateArrow, Epochs, rebatched


def write(table, folder):
    vortex.io.write(vortex.array(table), os.path.join(folder, "table.vortex"))


def loader(folder, columns, form, batch_size, threads):  # As many as there are cores.
    file, collate = (
        vortex.open(os.path.join(folder, "table.vortex"), memory_map=True),
        CollateArrow(columns, form),
    )
    scan = lambda: map(plain, file.to_arrow(columns.all(), batch_size=batch_size))
    return Epochs(lambda: map(collate.of, rebatched(scan(), batch_size)))


def plain(batch):
    """Lists with offsets, whichever way they came."""
    if all(
        not pa.types.is_list_view(t) and not pa.types.is_large_list_view(t)
        for t in batch.schema.types
    ):
        return batch
    fields = [
        pa.field(f.name, pa.list_(f.type.value_type)) if "list_view" in str(f.type) else f
        for f in batch.schema
    ]
    return batch.cast(pa.schema(fields))

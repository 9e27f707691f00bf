"""What the tests of loaders share."""

import dataclasses

import dsi
import numpy

# torch's workers use it. An import there fails at times where garbage of torch's own is collected
# meanwhile (CPython 3.11: KeyError in importlib), so that it is made before they are forked.
import numpy.random

FEATURES = ["dense.*", "user.*", "item.cats", "label", dsi.Padded("context.page", width=4)]


def rows_of(batches):
    """Rows of each batch, in their order."""
    return [numpy.asarray(batch.rows()[1]).tolist() for batch in batches]


def bytes_of(view):
    """Of the arrays of what a batch gives; lists and the like as text."""
    parts = dataclasses.astuple(view) if dataclasses.is_dataclass(view) else [view]
    return [
        numpy.asarray(part).tobytes() if hasattr(part, "shape") else str(part) for part in parts
    ]


def content(batch):
    """All that a batch of FEATURES has."""
    views = [batch.dense, batch.dense_present(), batch.labels, *batch.rows()]
    views += [batch.kjt_parts(), batch.padded("context.page")]
    return [bytes_of(view) for view in views]


def contents(batches):
    return [content(batch) for batch in batches]


def all_of(lists):
    return sorted(row for rows in lists for row in rows)

#!/usr/bin/env python3
"""Files and their overlays as one table (spec/dataset.md DS-040 … DS-043), written from the specification alone.

    spec/reference/dataset_overlays.py BASE OVERLAY...

prints the rows as JSON Lines; overlays in the order in which they stand among the files.
"""

from __future__ import annotations

import json
import sys

from dsi_nodes import Damage, Unsupported
from dsi_records import feature_id, is_known
from dsi_reference import File


class DoesNotFit(Exception):
    """An overlay of other rows (DS-041)."""


def stripes_of_base(base, overlay):
    """F-088: which stripe of the base each stripe of the overlay has the rows of."""
    fingerprint, num_rows, ranges = overlay.overlay
    if (fingerprint, num_rows) != (base.rows_fingerprint(), base.footer.num_rows) or base.overlay:
        raise DoesNotFit(f"an overlay of {num_rows} rows, {fingerprint:016x}")
    firsts = {s.first_row: i for i, s in enumerate(base.footer.stripes)}
    stripes, sizes = [], iter(s.num_rows for s in overlay.footer.stripes)
    for row, end in ranges:
        while row < end:
            at, size = firsts.get(row), next(sizes)
            if at is None or base.footer.stripes[at].num_rows != size:
                raise DoesNotFit(f"a stripe of {size} rows at row {row}")
            stripes.append(at)
            row += size
    return stripes


def features_of(columns):
    """Columns of each feature, in order."""
    features = {}
    for c in columns:
        features.setdefault(c.feature_name, []).append(c)
    return list(features.values())


def columns_of(base, overlays):
    """DS-042: columns, each with the file that has it."""
    features = [(base, columns) for columns in features_of(base.columns)]
    for overlay in overlays:
        for columns in features_of(overlay.columns):
            def find(same):
                return next((i for i, (_, other) in enumerate(features) if same(other[0])), None)
            named = find(lambda c: c.feature_name == columns[0].feature_name)
            at = find(lambda c: feature_id(c) == feature_id(columns[0]))
            at = named if at is None else at
            if named not in (None, at):
                raise DoesNotFit(f"feature {columns[0].feature_name} has the id of another")
            features[len(features) if at is None else at:(at if at is not None else len(features)) + 1] = [(overlay, columns)]
    return [(file, c) for file, columns in features for c in columns if is_known(c)]


def rows(base, overlays):
    """Yields one dict per row that is not deleted: column name -> value, None where it is missing."""
    placed = [dict(zip(stripes_of_base(base, o), o.stripes)) for o in overlays]
    for i, stripe in enumerate(base.stripes):
        here = [o for o, at in zip(overlays, placed) if i in at]
        stripe_in = {id(base): stripe, **{id(o): at[i] for o, at in zip(overlays, placed) if i in at}}
        values = []
        for file, c in columns_of(base, here):
            own = stripe_in[id(file)]
            values.append((c.name, file._column(own, c, False), file.index(own, c.group)))
        deleted = base.is_deleted(stripe)
        for row in range(stripe.num_rows):
            if not deleted[row]:
                yield {name: unique[index[row]] for name, unique, index in values}


def main():
    files = []
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            files.append(File(f.read()))
    try:
        for row in rows(files[0], files[1:]):
            print(json.dumps({name: value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
                              for name, value in row.items() if value is not None}))
    except (DoesNotFit, Damage, Unsupported) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

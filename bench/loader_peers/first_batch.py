"""One process: how long a table of 20,000 features takes to open, and from there to the first batch, of some of them. The file is in the
page cache, the process is new."""
import json
import sys
import time

import dsi
import torch  # noqa: F401: its import is not part of what is timed.


def main(path, share, batch_size):
    start = time.perf_counter()
    dataset = dsi.open(path)
    opened = time.perf_counter()
    lists = [c.name for c in dataset.columns() if c.kind == "list" and "int" in c.type]
    named = time.perf_counter()
    asked = [dsi.Kjt(lists[::round(1 / share)]), "label"]
    batch = next(iter(dataset.loader(asked, batch_size=batch_size)))
    parts = batch.kjt_parts()
    made = time.perf_counter()
    print(json.dumps({"features": len(parts.keys), "of": len(lists), "open_ms": (opened - start) * 1e3, "columns_ms": (named - opened) * 1e3,
                      "first_batch_ms": (made - named) * 1e3}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))

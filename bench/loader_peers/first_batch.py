"""One process: how long a table of 20,000 features takes to open, and from there to the first batch of some of them, by name. The file is
in the page cache, the process is new; once more with another loader of the dataset."""
import json
import sys
import time

import dsi
import torch

NUMBER_OF_LISTS = 10_000  # Every other column of the table is one: list1, list3, ...


def first(dataset, asked, batch_size):
    start = time.perf_counter()
    with dataset.loader(asked, batch_size=batch_size) as batches:
        batch = next(iter(batches))
        parts = batch.kjt_parts()
        return (time.perf_counter() - start) * 1e3, parts


def main(path, share, batch_size):
    torch.zeros(1)
    start = time.perf_counter()
    dataset = dsi.open(path)
    opened = (time.perf_counter() - start) * 1e3
    asked = [dsi.Kjt([f"list{2 * i + 1}" for i in range(0, NUMBER_OF_LISTS, round(1 / share))]), "label"]
    once, parts = first(dataset, asked, batch_size)
    again, _ = first(dataset, asked, batch_size)
    print(json.dumps({"features": len(parts.keys), "of": NUMBER_OF_LISTS, "open_ms": opened, "first_batch_ms": once, "again_ms": again}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))

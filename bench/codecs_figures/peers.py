"""pyarrow (one column in Parquet's encoding of the same kind) and pcodec on the values of codecs_bench."""
import os
import statistics
import time

import numpy as np
import pcodec
import pyarrow as pa
import pyarrow.parquet as pq
from pcodec import standalone

# Parquet's encoding for each of ours; all others have none, and are held against pcodec alone.
PARQUET = {"raw": "PLAIN", "constant": "RLE_DICTIONARY", "packed": "DELTA_BINARY_PACKED", "delta": "DELTA_BINARY_PACKED",
           "delta-delta": "DELTA_BINARY_PACKED", "dictionary": "RLE_DICTIONARY", "shared": "RLE_DICTIONARY", "runs": "RLE_DICTIONARY",
           "sparse": "RLE_DICTIONARY"}
DTYPES = {"u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


def median_seconds(call, repeat):
    times = []
    for _ in range(max(repeat, 3)):
        start, n = time.perf_counter(), 0
        while time.perf_counter() - start < 0.03:
            call()
            n += 1
        times.append((time.perf_counter() - start) / n)
    return statistics.median(times)


def parquet(values, encoding, repeat):
    sink = pa.BufferOutputStream()
    dictionary = encoding == "RLE_DICTIONARY"
    pq.write_table(pa.table({"v": values}), sink, compression="none", use_dictionary=dictionary, write_statistics=False,
                   column_encoding=None if dictionary else {"v": encoding})
    data = sink.getvalue()
    return data.size, median_seconds(lambda: pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False), repeat)


def add(cases, folder, repeat):
    for name in sorted(os.listdir(folder)):
        case = name.replace("~", "/") + "/L2"
        kind, dtype = case.split("/")[:2]
        if case not in cases or dtype not in DTYPES:  # Neither takes single bytes.
            continue
        values = np.fromfile(os.path.join(folder, name), dtype=DTYPES[dtype])
        found = {}
        if kind in PARQUET and values.itemsize >= 4:
            signed = values.view({4: np.int32, 8: np.int64}[values.itemsize]) if dtype[0] == "u" else values
            found["pyarrow"] = parquet(signed, PARQUET[kind], repeat)
        packed = standalone.simple_compress(values, pcodec.ChunkConfig())
        target = np.empty_like(values)
        found["pcodec"] = (len(packed), median_seconds(lambda: standalone.simple_decompress_into(packed, target), repeat))
        for peer, (size, seconds) in found.items():
            cases[case][peer] = {"gb_s": values.nbytes / seconds / 1e9, "gv_s": values.size / seconds / 1e9, "stored": size / values.nbytes}

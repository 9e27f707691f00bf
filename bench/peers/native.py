"""The shared library of bench/peers as Python calls (ctypes): peers' loops and dsi's public API."""

import ctypes as c
import os

import pyarrow as pa


class ListColumn(c.Structure):
    _fields_ = [
        ("offsets", c.c_void_p),
        ("values", c.c_void_p),
        ("width", c.c_uint64),
        ("length", c.c_uint64),
        ("keep_first", c.c_uint64),
    ]


class ColumnChunk(c.Structure):
    _fields_ = [
        ("feature", c.c_uint64),
        ("validity", c.c_void_p),
        ("validity_offset", c.c_uint64),
        ("offsets32", c.c_void_p),
        ("values", c.c_void_p),
    ]


class ReadColumn(c.Structure):
    _fields_ = [("name", c.c_char_p), ("length", c.c_uint64), ("keep_first", c.c_uint64)]


class ReadOutcome(c.Structure):
    _fields_ = [("seconds", c.c_double)] + [
        (n, c.c_uint64)
        for n in (
            "rows",
            "bytes_read",
            "output_bytes",
            "values_decoded",
            "values_expanded",
            "batch_bytes",
        )
    ]


class WriteOutcome(c.Structure):
    _fields_ = (
        [("seconds", c.c_double)]
        + [
            (n, c.c_uint64)
            for n in ("file_bytes", "values_in", "values_stored", "index_bytes", "num_groups")
        ]
        + [("encode_seconds", c.c_double), ("choose_seconds", c.c_double)]
    )


def as_bytes(array):
    """A bool of Arrow is a bit, one of dsi a byte."""
    return array.cast(pa.uint8()) if pa.types.is_boolean(array.type) else array


class Native:
    def __init__(self, build):
        self.lib = c.CDLL(os.path.join(build, "lib", "libdsi_compare.so"))
        self.lib.PeerPad.restype = c.c_uint64
        self.lib.PeerIkjt.restype = c.c_uint64
        for name in ("DsiWriteBegin", "DsiWriteChunk", "DsiWriteEnd", "DsiRead", "DsiStoredBytes"):
            getattr(self.lib, name).restype = c.c_char_p

    def check(self, error):
        if error:
            raise RuntimeError(error.decode())

    # ---- peers
    def list_columns(self, batch, wanted):
        """ctypes view of the list columns of a record batch; keeps nothing alive but the batch."""
        columns = (ListColumn * len(wanted))()
        for i, w in enumerate(wanted):
            array = batch.column(w.index)
            _, offsets, *_ = array.buffers()
            values = array.values
            width = values.type.bit_width // 8
            columns[i] = ListColumn(
                offsets.address + 4 * array.offset,
                values.buffers()[1].address + width * values.offset if len(values) else 0,
                width,
                w.length,
                w.keep_first,
            )
        return columns

    def pad(self, columns, rows, batch_size, out, hashes=None):
        return self.lib.PeerPad(
            columns, c.c_uint64(len(columns)), c.c_uint64(rows), c.c_uint64(batch_size), out, hashes
        )

    def ikjt(self, columns, rows, batch_size, hashes=None):
        return self.lib.PeerIkjt(
            columns, c.c_uint64(len(columns)), c.c_uint64(rows), c.c_uint64(batch_size), hashes
        )

    def copy(self, to, source, size, times):
        self.lib.CopyMany(to, source, c.c_uint64(size), c.c_uint64(times))

    # ---- dsi
    def write(self, path, schema_json, table, threads, dedup=True):
        handle = c.c_void_p()
        self.check(
            self.lib.DsiWriteBegin(
                path.encode(),
                schema_json.encode(),
                c.c_uint64(threads),
                c.c_uint64(int(dedup)),
                c.byref(handle),
            )
        )
        for batch in table.to_batches():
            chunks = (ColumnChunk * batch.num_columns)()
            columns = [as_bytes(batch.column(f)) for f in range(batch.num_columns)]
            for f, array in enumerate(columns):
                validity = array.buffers()[0]
                chunk = ColumnChunk(
                    f,
                    validity.address if validity is not None and array.null_count else None,
                    array.offset,
                    None,
                    None,
                )
                if pa.types.is_list(array.type):
                    chunk.offsets32 = array.buffers()[1].address + 4 * array.offset
                    values = array.values
                    start = values.offset
                else:
                    values = array
                    start = array.offset
                data = values.buffers()[1]
                chunk.values = (
                    data.address + start * (values.type.bit_width // 8)
                    if data is not None and data.size
                    else handle.value
                )
                chunks[f] = chunk
            self.check(
                self.lib.DsiWriteChunk(
                    handle, c.c_uint64(batch.num_rows), chunks, c.c_uint64(batch.num_columns)
                )
            )
        outcome = WriteOutcome()
        self.check(self.lib.DsiWriteEnd(handle, c.byref(outcome)))
        return outcome

    def read(self, path, wanted, batch_size, ikjt, hashes=None):
        columns = (ReadColumn * len(wanted))(
            *[ReadColumn(w.name.encode(), w.length, w.keep_first) for w in wanted]
        )
        outcome = ReadOutcome()
        self.check(
            self.lib.DsiRead(
                path.encode(),
                columns,
                c.c_uint64(len(wanted)),
                c.c_uint64(batch_size),
                c.c_uint64(int(ikjt)),
                hashes,
                c.byref(outcome),
            )
        )
        return outcome

    def stored_bytes(self, path, column):
        size = c.c_uint64()
        self.check(self.lib.DsiStoredBytes(path.encode(), column.encode(), c.byref(size)))
        return size.value

"""Arrow's C interfaces of scans, batches and datasets: forms, lifetimes, hostile arrays."""

import ctypes
import gc
import threading

import dsi
import numpy
import pyarrow
import pyarrow.compute
import pytest
import random_tables

# -- Out.


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    schema, rows = random_tables.make(5, 600)
    path = tmp_path_factory.mktemp("arrow") / "a.dsi"
    dsi.write(map(random_tables.nested, rows), path, schema, stripe_rows=128)
    return path


def test_a_new_stream_per_call(file):
    data = dsi.open(file)
    first = pyarrow.table(data)
    assert first.equals(pyarrow.table(data))
    scan = data.arrow(["dense.*", "topics"], batch_size=100)
    assert pyarrow.table(scan).equals(pyarrow.table(scan))
    assert pyarrow.schema(scan).names == scan.column_names
    assert pyarrow.schema(data).equals(first.schema)
    assert scan.stats["rows"] == 600


def test_readers_and_batches(file):
    data = dsi.open(file)
    reader = data.to_batches(batch_size=100)
    batches = list(reader)
    assert [batch.num_rows for batch in batches] == [100] * 6
    table = pyarrow.Table.from_batches(batches)
    assert table.equals(data.to_arrow())
    assert b"dsi.schema" in table.schema.metadata


def test_what_columns_are(file):
    schema = dsi.open(file).to_arrow().schema
    for name, kind in random_tables.columns_of(random_tables.make(5, 1)[0]).items():
        found = schema.field(name).type
        if name.startswith("time_"):
            assert found == pyarrow.timestamp(name[5:])
        elif name.startswith("vector_"):
            assert found.list_size == 3
        elif kind == "bytes" or name == "text":
            assert found == pyarrow.large_string()
        elif name.startswith(("list.", "topics", "deep.", "user.")):
            assert found == pyarrow.large_list(pyarrow.type_for_alias(kind))
        else:
            assert found == pyarrow.type_for_alias(kind)
    assert schema.field("topics.ids").metadata[b"dsi.kind"] == b"weighted"


def test_dictionaries_share_what_is_equal(sessions):
    data = dsi.open(sessions)
    plain, shared = data.to_arrow(), data.to_arrow(dictionaries=True)
    assert shared.nbytes < plain.nbytes
    found = 0
    for name in plain.column_names:
        parts = []
        for chunk in shared[name].chunks:
            if pyarrow.types.is_dictionary(chunk.type):
                found += 1
                parts.append(chunk.dictionary.take(chunk.indices))
            else:
                parts.append(chunk)
        assert pyarrow.chunked_array(parts).combine_chunks().equals(plain[name].combine_chunks())
    assert found


def test_a_scan_and_its_batches(sessions):
    data = dsi.open(sessions)
    name = next(column.name for column in data.columns() if column.kind == "list")
    scan = data.scan([dsi.Jagged(name), dsi.Padded("label", width=1)], batch_size=256)
    first = pyarrow.record_batch(next(scan))
    rest = pyarrow.table(scan)
    table = pyarrow.concat_tables([pyarrow.Table.from_batches([first]), rest])
    assert table.equals(data.to_arrow([name, "label"]).select([name, "label"]))
    with pytest.raises(dsi.InvalidArgument, match="stream"):
        next(scan)
    with pytest.raises(dsi.InvalidArgument, match="stream"):
        pyarrow.table(scan)


def test_matrices_are_no_columns(sessions):
    scan = dsi.open(sessions).scan()
    with pytest.raises(dsi.InvalidArgument, match="no column of Arrow"):
        pyarrow.record_batch(next(scan))
    with pytest.raises(dsi.InvalidArgument, match="no column of Arrow"):
        pyarrow.table(scan)


def test_arrays_outlive_everything(file):
    expected = dsi.open(file).to_arrow().to_pydict()
    data = dsi.open(file)
    table = pyarrow.table(data.arrow(batch_size=50))
    batches = list(data.to_batches(batch_size=50))
    stream = data.__arrow_c_stream__()
    scan = data.scan([dsi.Jagged("topics.ids")], batch_size=50)
    native = [pyarrow.record_batch(batch) for batch in scan]
    del data, scan
    gc.collect()
    churn = [numpy.full(1 << 16, 255, "u1") for _ in range(200)]
    assert table.to_pydict() == expected
    assert pyarrow.Table.from_batches(batches).to_pydict() == expected
    assert pyarrow.Table.from_batches(native).to_pydict() == {"topics.ids": expected["topics.ids"]}
    del stream, table, batches, native, churn
    gc.collect()


def test_parts_of_arrays_outlive_their_batch(file):
    expected = dsi.open(file).to_arrow().to_pydict()["user.history.price"]
    parts = []
    for batch in dsi.open(file).to_batches(batch_size=70):
        parts.append(batch.column("user.history.price").flatten())
        del batch
        gc.collect()
    flat = [item for part in parts for item in part.to_pylist()]
    assert flat == [item for row in expected if row for item in row]


def test_arrays_are_released_on_other_threads(file):
    kept = [list(dsi.open(file).to_batches(batch_size=64)) for _ in range(4)]
    threads = [threading.Thread(target=kept.pop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not kept


def test_streams_on_several_threads(file):
    data = dsi.open(file)
    expected = data.to_arrow()
    found = []
    threads = [threading.Thread(target=lambda: found.append(pyarrow.table(data))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(pyarrow.table(table).equals(expected.replace_schema_metadata()) for table in found)


def test_bytes_that_are_no_text(tmp_path):
    schema = {"features": [{"name": "s", "kind": "string"}]}
    dsi.write([{"s": b"\xff"}, {"s": "ok"}], tmp_path / "a.dsi", schema)
    data = dsi.open(tmp_path / "a.dsi")
    with pytest.raises(dsi.OutOfRange, match="UTF-8"):
        data.to_arrow()
    table = data.to_arrow(binary=True)
    assert table["s"].to_pylist() == [b"\xff", b"ok"]
    dsi.write(table, tmp_path / "b.dsi")
    assert dsi.open(tmp_path / "b.dsi").to_arrow(binary=True).equals(table)


def test_a_damaged_file_fails_the_stream(file, tmp_path):
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 4] ^= 1
    (tmp_path / "a.dsi").write_bytes(damaged)
    data = dsi.open(tmp_path / "a.dsi")
    with pytest.raises(dsi.Corrupt):
        data.to_arrow()
    with pytest.raises(OSError, match="page"):
        pyarrow.table(data)


# -- In: arrays that lie.


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Hostile:
    """A table of one column of lists, made by hand, for `__arrow_c_array__`."""

    def __init__(self, offsets=(0, 2, 2, 3), values=(7, 8, 9), rows=3):
        self.released = []
        self.offsets = (ctypes.c_int64 * len(offsets))(*offsets)
        self.values = (ctypes.c_int64 * len(values))(*values)
        self.item_type = self._schema(b"l", b"item")
        self.list_type = self._schema(b"+L", b"clicks", self.item_type)
        self.table_type = self._schema(b"+s", b"", self.list_type)
        self.items = self._array(len(values), [None, self.values])
        self.lists = self._array(rows, [None, self.offsets], self.items)
        self.table = self._array(rows, [None], self.lists)

    def _schema(self, form, name, child=None):
        made = ArrowSchema(format=form, name=name, flags=2)
        if child is not None:
            made.n_children = 1
            made.children = (ctypes.POINTER(ArrowSchema) * 1)(ctypes.pointer(child))
        made.release = RELEASE_SCHEMA(lambda _: self.released.append("schema"))
        return made

    def _array(self, length, buffers, child=None):
        made = ArrowArray(length=length, n_buffers=len(buffers))
        made.buffers = (ctypes.c_void_p * len(buffers))(
            *(None if buffer is None else ctypes.addressof(buffer) for buffer in buffers)
        )
        if child is not None:
            made.n_children = 1
            made.children = (ctypes.POINTER(ArrowArray) * 1)(ctypes.pointer(child))
        made.release = RELEASE_ARRAY(lambda _: self.released.append("array"))
        return made

    def __arrow_c_array__(self, requested_schema=None):
        return (
            new_capsule(ctypes.addressof(self.table_type), b"arrow_schema", None),
            new_capsule(ctypes.addressof(self.table), b"arrow_array", None),
        )


def test_the_honest_one_is_taken_and_released(tmp_path):
    table = Hostile()
    dsi.write(table, tmp_path / "a.dsi")
    assert dsi.open(tmp_path / "a.dsi").to_arrow().to_pydict() == {"clicks": [[7, 8], [], [9]]}
    gc.collect()
    assert sorted(table.released) == ["array", "schema"]


def lies():
    def change(part, **fields):
        def apply(table):
            for field, value in fields.items():
                setattr(getattr(table, part), field, value)

        return apply

    yield "descending offsets", Hostile((0, 3, 2, 3)), None
    yield "offsets beyond the values", Hostile((0, 2, 2, 4)), None
    yield "huge offset", Hostile((0, 2, 2, 2**62)), None
    yield "negative offset", Hostile((-1, 2, 2, 3)), None
    yield "negative length", Hostile(), change("lists", length=-1)
    yield "child shorter than the table", Hostile(), change("lists", length=2)
    yield "table longer than its child", Hostile(), change("table", length=2**40)
    yield "negative array offset", Hostile(), change("lists", offset=-5)
    yield "offset beyond the array", Hostile(), change("items", offset=2**62)
    yield "no buffers", Hostile(), change("lists", n_buffers=0)
    yield "too many buffers", Hostile(), change("items", n_buffers=9)
    yield "negative number of buffers", Hostile(), change("items", n_buffers=-2)
    yield "null buffers", Hostile(), change("items", buffers=ctypes.POINTER(ctypes.c_void_p)())
    yield "no children", Hostile(), change("lists", n_children=0)
    yield "children less than the schema's", Hostile(), change("table", n_children=0)
    yield "null children", Hostile(), change("lists", children=None)
    yield "unknown format", Hostile(), change("item_type", format=b"?")
    yield "empty format", Hostile(), change("item_type", format=b"")
    yield "null format", Hostile(), change("list_type", format=None)
    yield "a list without an item", Hostile(), change("list_type", n_children=0)
    yield "negative number of types", Hostile(), change("table_type", n_children=-1)
    yield "null types", Hostile(), change("list_type", children=None)
    yield "released array", Hostile(), change("table", release=RELEASE_ARRAY())
    yield "released schema", Hostile(), change("table_type", release=RELEASE_SCHEMA())
    yield "released child", Hostile(), change("items", release=RELEASE_ARRAY())
    yield "null count beyond the length", Hostile(), change("items", null_count=2)
    yield "nulls in a list", Hostile(), change("items", null_count=3)


@pytest.mark.parametrize(("table", "lie"), [pytest.param(t, c, id=n) for n, t, c in lies()])
def test_arrays_that_lie_are_refused(tmp_path, table, lie):
    if lie is not None:
        lie(table)
    with dsi.Writer(
        tmp_path / "a.dsi", {"features": [{"name": "clicks", "kind": "list"}]}
    ) as writer:
        with pytest.raises(dsi.Error):
            writer.append(table)
        assert writer.num_rows == 0
        writer.append({"clicks": [[1], [2]]})
    assert dsi.open(tmp_path / "a.dsi").to_arrow().to_pydict() == {"clicks": [[1], [2]]}
    gc.collect()
    assert len(table.released) == len(set(table.released))


def test_capsules_of_another_kind_and_used_ones(tmp_path):
    class Wrong:
        def __init__(self, capsules):
            self.capsules = capsules

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    batch = pyarrow.record_batch({"a": [1]})
    schema, array = batch.__arrow_c_array__()
    with pytest.raises(ValueError, match="PyCapsule"):
        dsi.write(Wrong((array, schema)), tmp_path / "a.dsi")
    capsules = Wrong((schema, array))
    dsi.write(capsules, tmp_path / "a.dsi")
    with pytest.raises(dsi.InvalidArgument, match="used before"):
        dsi.write(capsules, tmp_path / "b.dsi")
    with pytest.raises(TypeError):
        dsi.write(Wrong((3, 4)), tmp_path / "b.dsi")


def test_a_stream_that_fails(tmp_path):
    schema = pyarrow.schema({"a": pyarrow.int64()})

    def batches():
        yield pyarrow.record_batch({"a": [1]}, schema)
        raise RuntimeError("the source is gone")

    with pytest.raises(dsi.Error, match="the source is gone"):
        dsi.write(pyarrow.RecordBatchReader.from_batches(schema, batches()), tmp_path / "a.dsi")
    assert list(tmp_path.iterdir()) == []


def test_what_a_pipeline_made_is_written_beside_what_is_stored(tmp_path):
    rows = [{"user_id": i // 3, "label": i % 2, "ids": [i], "w": {i: 0.5}} for i in range(60)]
    features = [
        {"name": "user_id", "kind": "key", "type": "int64"},
        {"name": "label", "kind": "label", "type": "float32"},
        {"name": "ids", "kind": "list", "type": "int64"},
        {"name": "w", "kind": "weighted", "type": "int64"},
    ]
    dsi.write(rows, tmp_path / "a.dsi", {"features": features}, cluster_by="user_id")
    pipeline = dsi.Pipeline().modulus("made", "ids", max=7)
    source = dsi.open(tmp_path / "a.dsi")
    dsi.write(source.arrow(["made"], transforms=pipeline), tmp_path / "made.dsi")
    assert [c.name for c in dsi.open(tmp_path / "made.dsi").columns()] == ["made"]
    names = ["user_id", "w.ids", "w.weights", "made", "label"]
    dsi.write(source.arrow(names, transforms=pipeline), tmp_path / "b.dsi", cluster_by="user_id")
    copy = dsi.open(tmp_path / "b.dsi")
    assert {c.name: c.kind for c in copy.columns()} == {
        "user_id": "key",
        "w.ids": "weighted",
        "w.weights": "weighted",
        "made": "list",
        "label": "label",
    }
    assert copy.to_arrow(["made"])["made"].to_pylist() == [[i % 7] for i in range(60)]


def test_an_output_with_the_name_of_a_feature_is_no_such_feature(tmp_path):
    schema = {"features": [{"name": "label", "kind": "label", "type": "float32"}]}
    schema["features"].append({"name": "ids", "kind": "list", "type": "int64"})
    dsi.write([{"label": 1, "ids": [i, i + 1]} for i in range(9)], tmp_path / "a.dsi", schema)
    pipeline = dsi.Pipeline().lastx("label", "ids", n=1)
    made = dsi.open(tmp_path / "a.dsi").arrow(["label"], transforms=pipeline)
    dsi.write(made, tmp_path / "b.dsi")
    (column,) = dsi.open(tmp_path / "b.dsi").columns()
    assert (column.name, column.kind, column.type) == ("label", "list", "int64")

"""Tensors: DLPack of both forms, the buffer protocol, memory that lives as long as it is used."""

import ctypes
import gc
import threading

import dsi
import numpy as np
import pytest
import torch


@pytest.fixture
def batch(sessions):
    return next(dsi.open(sessions).scan(framework="dsi", batch_size=1000))


def test_all_doors_lead_to_the_same_memory(batch):
    tensor = batch.dense
    array, legacy, torch_view = (
        np.asarray(tensor),
        np.from_dlpack(tensor),
        torch.from_dlpack(tensor),
    )
    assert array.shape == legacy.shape == tuple(torch_view.shape) == tensor.shape
    address = array.__array_interface__["data"][0]
    assert legacy.__array_interface__["data"][0] == address == torch_view.data_ptr()
    torch_view[0, 0] = 17.5
    assert array[0, 0] == 17.5 and legacy[0, 0] == 17.5
    assert memoryview(tensor).format == "f" and memoryview(tensor).nbytes == tensor.nbytes


def test_every_tensor_starts_at_a_multiple_of_64_bytes_of_the_slab(batch):
    slab = np.asarray(batch.slab).__array_interface__["data"][0]
    parts = batch.kjt_parts()
    for tensor in (batch.dense, batch.dense_present(), parts.values, parts.lengths, parts.offsets):
        address = np.asarray(tensor).__array_interface__["data"][0]
        assert address % 64 == 0 and address == slab + tensor.slab_offset


def test_capsules_are_legacy_unless_a_version_is_asked_for(batch):
    assert '"dltensor"' in repr(batch.dense.__dlpack__())
    assert '"dltensor"' in repr(batch.dense.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(batch.dense.__dlpack__(max_version=(1, 1), stream=None))
    assert batch.dense.__dlpack_device__() == (1, 0)


def test_a_copy_and_another_device_are_refused(batch):
    with pytest.raises(BufferError, match="copy"):
        batch.dense.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="CPU"):
        batch.dense.__dlpack__(dl_device=(2, 0))
    batch.dense.__dlpack__(dl_device=(1, 0), copy=False)


def test_bool_is_bool_where_the_consumer_knows_it(batch):
    present = batch.dense_present()
    assert np.asarray(present).dtype == np.bool_
    assert torch.from_dlpack(present).dtype in (torch.bool, torch.uint8)


def test_arrays_outlive_batch_scan_and_dataset(sessions):
    dataset = dsi.open(sessions)
    scan = dataset.scan(batch_size=1000)
    batch = next(scan)
    dense, expected = batch.dense, batch.dense.copy()
    lists = torch.from_dlpack(batch.native.kjt("")[1])
    sum_of_lists = int(lists.sum())
    del batch
    for later in scan:
        later.dense[:] = -1  # Another batch's memory, whatever was freed.
    del scan, dataset, later
    gc.collect()
    np.testing.assert_array_equal(dense, expected)
    assert int(lists.sum()) == sum_of_lists


def test_memory_is_used_again_once_nobody_holds_it(sessions):
    addresses = set()
    for batch in dsi.open(sessions).scan(batch_size=100):
        addresses.add(batch.slab.__array_interface__["data"][0])
    assert len(addresses) <= 4  # 30 batches.


def test_a_capsule_nobody_took_frees_what_it_holds(batch):
    for _ in range(100):
        batch.dense.__dlpack__()
        batch.dense.__dlpack__(max_version=(1, 0))
    gc.collect()


def test_a_deleter_runs_on_any_thread_without_the_interpreters_lock(sessions):
    batch = next(dsi.open(sessions).scan(framework="dsi", batch_size=1000))
    capsule = batch.dense.__dlpack__()
    ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
    ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    ctypes.pythonapi.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    managed = ctypes.pythonapi.PyCapsule_GetPointer(capsule, b"dltensor")
    ctypes.pythonapi.PyCapsule_SetName(capsule, b"used_dltensor")
    # DLManagedTensor: 48 bytes of DLTensor, manager_ctx, deleter.
    deleter = ctypes.c_void_p.from_address(managed + 56).value
    del batch
    gc.collect()
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)  # ctypes gives up the lock meanwhile.
    thread = threading.Thread(target=call, args=(managed,))
    thread.start()
    thread.join()


def test_zero_rows_are_arrays_of_no_elements(sessions):
    scan = dsi.open(sessions).scan(batch_size=1000, where=("label", ">", 5))
    batch = next(scan)
    assert batch.num_rows == 0 and batch.dense.shape[0] == 0
    assert torch.from_dlpack(batch.native.dense("")[0]).shape[0] == 0
    assert batch.kjt_parts().values.shape == (0,)


def test_dense_whole_numbers_are_keys_of_a_kjt_where_they_are_named_so(tmp_path):
    ids = np.array([2**53 + 1, 7, 2**53 + 1])
    dsi.write({"video": ids, "label": np.array([1, 0, 1])}, tmp_path / "ids.dsi")
    made = dsi.open(tmp_path / "ids.dsi")
    assert next(made.scan(["video"])).dense.dtype == np.float32
    parts = next(made.scan([dsi.Kjt(["video"])])).kjt_parts()
    assert parts.keys == ["video"]
    np.testing.assert_array_equal(parts.values, ids)


@pytest.mark.parametrize("form", [dsi.Padded, dsi.Jagged])
@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_numbers_of_any_type_that_is_asked_for(tmp_path, form, unique, dtype):
    rows = [{"n": 7, "f": 2.0, "ids": [1, 2], "prices": [4.0, 8.0]}]
    dsi.write(rows, tmp_path / "a.dsi")
    names = list(rows[0])
    asked = [form(name, dtype=dtype, unique=unique) for name in names]
    batch = next(iter(dsi.open(tmp_path / "a.dsi").scan(asked)))
    for name in names:
        one = batch.padded if form is dsi.Padded else batch.ikjt if unique else batch.jagged
        view = one(name)
        assert view.values.dtype == dtype
        expected = rows[0][name] if isinstance(rows[0][name], list) else [rows[0][name]]
        assert view.values.ravel().tolist() == expected


@pytest.mark.parametrize("form", [dsi.Padded, dsi.Jagged])
def test_large_hashes_keep_their_bits(tmp_path, form):
    schema = {"features": [{"name": "h", "kind": "key", "type": "uint64"}]}
    dsi.write([{"h": 2**64 - 2}], tmp_path / "a.dsi", schema=schema)
    scan = dsi.open(tmp_path / "a.dsi").scan([form("h", dtype="int64")])
    batch = next(iter(scan))
    view = batch.padded("h") if form is dsi.Padded else batch.jagged("h")
    assert view.values.ravel().tolist() == [-2]


def test_whole_numbers_that_became_fractions(tmp_path):
    """DS-023: float64 has all of them, or the row is told."""
    paths = [tmp_path / "a.dsi", tmp_path / "b.dsi"]
    for small in (3, 2**53 + 1):
        for value, path in zip((small, 0.5), paths, strict=True):
            row = {"x": value, "events": [{"price": value}]}
            dsi.write([row], path, overwrite=True)
        table = dsi.open(paths)
        assert [found.types for found in table.column_files()] == [["int64", "float64"]] * 2
        if small == 3:
            assert table.to_arrow()["x"].to_pylist() == [3.0, 0.5]
            assert table.to_arrow()["events.price"].to_pylist() == [[3.0], [0.5]]
        else:
            for name in ("x", "events.price"):
                with pytest.raises(
                    dsi.OutOfRange, match=rf"a\.dsi: row 0, column {name}: .* float64"
                ):
                    table.to_arrow([name])

"""Arrays of jax: values and memory, with numbers of 64 bits and without, which is jax's default.

jax has threads of its own, which processes that are forked later would lack: each test runs it in
an interpreter by itself.
"""

import os
import subprocess
import sys
import textwrap

import dsi
import pytest

pytest.importorskip("jax", reason="jax is not installed")

LARGE = 2**62 + 5
# Each row is of a session of its own; `share` and `when` need 64 bits.
ROWS = [
    {
        "session_id": 2**31 - 1 - i,
        "label": i % 2,
        "x": i / 2,
        "ids": [7, 2**31 - 1 - i][: i % 3],
        "prices": [0.5] * (i % 3),
        "when": LARGE + i,
        "share": 0.1 + i,
        "name": "ab",
    }
    for i in range(10)
]
KINDS = {
    "session_id": ("key", "int64"),
    "label": ("label", "float32"),
    "x": ("dense", "float32"),
    "ids": ("list", "int64"),
    "prices": ("list", "float32"),
    "when": ("key", "int64"),
    "share": ("dense", "float64"),
    "name": ("string", "bytes"),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("jax") / "a.dsi"
    features = [{"name": n, "kind": kind, "type": of} for n, (kind, of) in KINDS.items()]
    dsi.write(ROWS, path, {"features": features})
    return path


# What both tests do in their interpreter: `same` compares values, types and memory with numpy's.
BEGIN = """
    import sys
    import dsi
    import jax
    import numpy as np

    data = dsi.open(sys.argv[1])

    def batch(features, **keywords):
        return next(data.scan(features, framework="jax", **keywords))

    def same(made, tensor):
        expected = np.asarray(tensor)
        assert str(made.dtype) == tensor.dtype == str(expected.dtype), (made.dtype, tensor)
        np.testing.assert_array_equal(np.asarray(made), expected)
        assert expected.size == 0 or made.unsafe_buffer_pointer() == expected.ctypes.data

    def refused(read, *parts):
        try:
            made = read()
        except dsi.InvalidArgument as error:
            told = str(error)
            for part in (*parts, 'jax.config.update("jax_enable_x64", True)', 'dtype="int32"'):
                assert part in told, told
        else:
            raise AssertionError(made)
"""


def run(code, table):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BEGIN) + textwrap.dedent(code), table],
        capture_output=True,
        text=True,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )
    assert done.returncode == 0, done.stderr


def test_what_has_32_bits_is_shared_and_more_is_refused(table):
    code = """
        all_of_them = batch(None)
        same(all_of_them.dense, all_of_them.native.dense("")[0])
        same(all_of_them.dense_present(), all_of_them.native.dense("")[1])
        same(all_of_them.slab, all_of_them.native.slab)
        assert all_of_them.labels.tolist() == [0, 1] * 5
        refused(all_of_them.kjt_parts, "int64 [")
        refused(all_of_them.rows, "uint64 [10]")
        refused(lambda: all_of_them.jagged("name"), "'name'", "int64 [11]")
        wide = batch([dsi.Padded(["when", "share"]), dsi.Dense("share", "float64")])
        refused(lambda: wide.padded("when"), "'when'", "int64 [10, 1]")
        refused(lambda: wide.padded("share"), "'share'", "float64 [10, 1]")
        refused(lambda: wide.dense, "float64 [10, 1]")
        counts = data.value_counts("ids", framework="jax")["ids"]
        refused(lambda: counts.values, "int64 [")

        narrow = batch(
            [
                dsi.Padded(["ids", "session_id"], dtype=jax.numpy.int32),
                dsi.Padded("prices", dtype="float32", unique=True),
                dsi.Dense("share"),
            ]
        )
        for name in ("ids", "session_id", "prices"):
            view, native = narrow.padded(name), narrow.native
            tensors = (native.padded_ikjt if name == "prices" else native.padded)(name)
            parts = (view.values, view.lengths, view.present, view.inverse)
            for made, tensor in zip(parts, tensors):
                same(made, tensor)
        assert narrow.padded("ids").values.tolist()[:3] == [[0, 0], [7, 0], [7, 2**31 - 3]]
        assert (~narrow.padded("ids").present).tolist() == [False] * 10
        same(narrow.dense, narrow.native.dense("")[0])
        keys = batch(["session_id", "ids"], index_dtype="int32")
        parts, tensors = keys.kjt_parts(), keys.native.kjt("")
        same(parts.values, tensors[1])
        same(parts.lengths, tensors[2])
        same(parts.offsets, tensors[3])
        try:
            batch([dsi.Padded("when", dtype="int32")])
        except dsi.OutOfRange as error:
            assert "when" in str(error)
        else:
            raise AssertionError("a value of 64 bits was cut")
    """
    run(code, table)


def test_numbers_of_64_bits_are_whole_and_shared_where_jax_takes_them(table):
    code = """
        jax.config.update("jax_enable_x64", True)
        wide = batch(
            [dsi.Padded("when"), dsi.Dense("share", "float64"), dsi.Jagged("name"), "ids"]
        )
        assert wide.padded("when").values.ravel().tolist() == [2**62 + 5 + i for i in range(10)]
        same(wide.padded("when").values, wide.native.padded("when")[0])
        same(wide.dense, wide.native.dense("")[0])
        assert wide.dense.ravel().tolist() == [0.1 + i for i in range(10)]
        for made, tensor in zip(
            (wide.jagged("name").values, wide.jagged("name").offsets), wide.native.jagged("name")
        ):
            same(made, tensor)
        parts, tensors = wide.kjt_parts(), wide.native.kjt("")
        same(parts.values, tensors[1])
        same(parts.offsets, tensors[3])
        files, rows = wide.rows()
        assert (str(rows.dtype), rows.tolist()) == ("uint64", list(range(10)))
    """
    run(code, table)


def test_what_jax_takes_is_asked_for_each_batch(table):
    code = """
        asked = batch([dsi.Padded("when")])
        with jax.enable_x64(True):
            assert int(asked.padded("when").values[0, 0]) == 2**62 + 5
        refused(lambda: asked.padded("when"), "'when'")
    """
    run(code, table)

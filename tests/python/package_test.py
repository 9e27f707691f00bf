"""The package as a whole: what importing it brings along, what it shows, what it asks for."""

import itertools
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import dsi
import nanobind_backend
import pytest
from conftest import SOURCE

sys.path.insert(0, str(SOURCE / "tests" / "remote"))
from http_server import FaultServer

PACKAGE = Path(dsi.__file__).parent


def run(code, *arguments, options=(), environment=None):
    """Runs code in an interpreter of its own; what it printed."""
    done = subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **(environment or {})},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_version_is_the_librarys():
    header = (SOURCE / "base" / "version.h").read_text()
    assert f'DSI_VERSION "{dsi.__version__}"' in header


def test_the_module_is_for_the_stable_abi_and_shows_one_name():
    (module,) = PACKAGE.glob("_dsi*.so")
    assert module.name == "_dsi.abi3.so"
    shown = subprocess.run(
        ["nm", "-D", "--defined-only", module], check=True, capture_output=True, text=True
    )
    assert [line.split()[-1] for line in shown.stdout.splitlines()] == ["PyInit__dsi"]


def test_importing_and_reading_imports_no_framework(sessions):
    code = """
        import sys, dsi
        batch = next(dsi.open(sys.argv[1]).scan(framework="dsi", batch_size=100))
        memoryview(batch.dense), memoryview(batch.kjt_parts().values)
        for name in dir(dsi): getattr(dsi, name)
        print(*sys.modules)
    """
    loaded = {name.split(".")[0] for name in run(code, sessions).split()}
    assert "dsi" in loaded
    assert not loaded & {
        "numpy",
        "torch",
        "torchrec",
        "pyarrow",
        "pandas",
        "polars",
        "duckdb",
        "jax",
    }


@pytest.fixture
def bare(tmp_path):
    """How to run an interpreter that has nanobind's backend and no other package."""
    (tmp_path / "nanobind_backend").symlink_to(Path(nanobind_backend.__file__).parent)
    return {
        "options": ["-S"],
        "environment": {"PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), str(tmp_path)])},
    }


@pytest.mark.parametrize(
    ("call", "package"),
    [
        ("dataset.scan()", "numpy"),
        ("dataset.scan(framework='torch')", "torch"),
        ("dataset.scan(framework='jax')", "jax"),
        ("next(dataset.scan(framework='dsi')).kjt()", "torchrec"),
    ],
)
def test_what_is_missing_is_said_when_it_is_needed(sessions, bare, call, package):
    code = f"""
        import sys, dsi
        dataset = dsi.open(sys.argv[1])
        try:
            {call}
        except ImportError as error:
            print(error)
    """
    assert re.search(rf"pip install [\w -]*\b{package}\b", run(code, sessions, **bare))


def test_without_its_backend_the_import_says_what_to_install():
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import dsi"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    assert done.returncode == 1 and "nanobind-backend" in done.stderr


# What each does with libraries that the others bring too: zstd, lz4, curl and TLS, xxHash.
WORK = {
    "dsi": """
        import dsi
        def dsi_work():
            for place in sys.argv[1:3]:
                batch = next(dsi.open(place).scan(framework="dsi", batch_size=500))
                assert memoryview(batch.dense).nbytes > 0
    """,
    "pyarrow": """
        import io, pyarrow, pyarrow.parquet
        def pyarrow_work():
            table = pyarrow.table({"a": list(range(10000)), "b": ["x"] * 10000})
            for codec in ("zstd", "lz4", "snappy", "gzip", "brotli"):
                file = io.BytesIO()
                pyarrow.parquet.write_table(table, file, compression=codec)
                assert pyarrow.parquet.read_table(io.BytesIO(file.getvalue())).equals(table)
    """,
    "torch": """
        import io, torch
        def torch_work():
            file = io.BytesIO()
            weights = torch.nn.Linear(64, 64)
            weights(torch.ones(8, 64)).sum().backward()
            torch.save(weights.state_dict(), file)
            torch.load(io.BytesIO(file.getvalue()))
    """,
}


@pytest.mark.parametrize("order", list(itertools.permutations(WORK)), ids="-".join)
def test_libraries_of_dsi_torch_and_pyarrow_do_not_meet(sessions, order):
    server = FaultServer(sessions.read_bytes())
    parts = [textwrap.dedent(WORK[name]) for name in order]
    calls = [f"{name}_work()" for name in (*order, *reversed(order))]
    # pyarrow and torch in one process, without dsi, abort now and then while it exits.
    calls.append("os._exit(0)")
    try:
        run("\n".join(["import os, sys, ssl", *parts, *calls]), sessions, server.url)
    finally:
        server.close()
    assert server.requests


def test_an_interpreter_within_the_interpreter_is_refused_and_harms_nobody(sessions):
    code = """
        import sys
        try:
            import _interpreters as interpreters
            other = interpreters.create("legacy")
        except ImportError:
            import _xxsubinterpreters as interpreters
            other = interpreters.create(isolated=False)
        import dsi
        try:
            print(interpreters.run_string(other, "import dsi"))
        except Exception as error:
            print(error)
        interpreters.destroy(other)
        assert len(dsi.open(sys.argv[1])) == 3000
    """
    assert "main interpreter" in run(code, sessions)


def test_dsictl_is_the_program_of_the_package():
    code = "import sys; sys.argv = ['dsictl', '--version']; import dsi._dsictl; dsi._dsictl.main()"
    assert run(code).split() == ["dsictl", dsi.__version__]


def test_the_example_of_the_first_page_runs(sessions, tmp_path, monkeypatch):
    (program,) = re.findall(r"```python\n(.*?)```", (SOURCE / "README.md").read_text(), re.DOTALL)
    (tmp_path / "clicks.dsi").symlink_to(sessions)
    monkeypatch.chdir(tmp_path)
    run(
        program
        + "    assert batch.dense.shape == (512, 10) and batch.labels.shape == (512,)\n    break\n"
    )

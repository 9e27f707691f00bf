"""What an installed wheel must do by itself, in an environment that has nothing but it and what it
asks for. Run by the interpreter of that environment: python tests/python/installed.py
"""

import importlib.metadata
import importlib.util
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import dsi

DSICTL = Path(sysconfig.get_path("scripts")) / "dsictl"


def dsictl(*arguments):
    return subprocess.run(
        [DSICTL, *map(str, arguments)], check=True, capture_output=True, text=True
    ).stdout


def check_files():
    package = Path(dsi.__file__).parent
    assert Path(sysconfig.get_path("platlib")) in package.parents, package
    for name in ("_dsi.abi3.so", "_dsi.pyi", "py.typed", "bin/dsictl"):
        assert (package / name).is_file(), name
    assert dsi.__version__ == importlib.metadata.version("dsi")
    assert dsi.__version__ in dsictl("--version")


def check_batches(folder):
    rows, file = folder / "a.jsonl", folder / "a.dsi"
    dsictl("generate", rows, "--rows", 2000, "--seed", 3, "-q")
    dsictl("convert", rows, file, "-q")
    dsictl("verify", file)
    scan = dsi.open(file).scan(framework="dsi", batch_size=512)
    batches = list(scan)
    assert sum(map(len, batches)) == 2000 and len(batches) == len(scan) == 4
    assert "2,000" in repr(dsi.describe(file))
    numbers = memoryview(batches[0].dense)
    assert numbers.format == "f" and numbers.shape[0] == 512
    parts = batches[0].kjt_parts()
    assert memoryview(parts.values).nbytes == 8 * sum(parts.length_per_key)
    try:
        dsi.open(
            "http://127.0.0.1:1/no"
        )  # A server's refusal: the libraries of remote files are there.
    except dsi.IoError as error:
        assert "127.0.0.1" in str(error), error
    else:
        raise AssertionError("a server that is not there answered")


def check_what_is_missing(folder):
    dataset = dsi.open(folder / "a.dsi")
    for framework in ("numpy", "torch", "jax"):
        if importlib.util.find_spec(framework):
            continue
        try:
            dataset.scan(framework=framework)
        except ModuleNotFoundError as error:
            assert f"pip install {framework}" in str(error), error
        else:
            raise AssertionError(f"{framework} is not here and was not missed")


with tempfile.TemporaryDirectory() as name:
    check_files()
    check_batches(Path(name))
    check_what_is_missing(Path(name))
print(f"dsi {dsi.__version__} on Python {sys.version.split()[0]}: good")

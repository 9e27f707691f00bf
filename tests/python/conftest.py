"""What tests of the package share: the program `dsictl`, and small files of generated sessions."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("DSI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("DSI_BUILD_DIR", SOURCE / "build" / "release"))

# What Spark needs; its workers are of this Python.
HAS_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

# A shell that runs tests in the background has them ignore Ctrl-C, which some of them send.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def dsictl():
    """Runs `dsictl` with arguments; its output as text."""
    program = os.environ.get("DSICTL", str(BUILD / "bin" / "dsictl"))

    def run(*arguments):
        done = subprocess.run(
            [program, *map(str, arguments)], check=True, capture_output=True, text=True
        )
        return done.stdout

    return run


@pytest.fixture(scope="session")
def sessions(dsictl, tmp_path_factory):
    """3,000 rows of the table "clicks": dense numbers, lists, keys, a label, in 3 stripes."""
    folder = tmp_path_factory.mktemp("sessions")
    rows, schema, file = folder / "a.jsonl", folder / "a.json", folder / "a.dsi"
    dsictl("generate", rows, "--rows", 3000, "--seed", 7, "--write-schema", schema, "-q")
    dsictl("convert", rows, file, "--schema", schema, "--stripe-rows", 1024, "-q")
    return file

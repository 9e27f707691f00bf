"""What readers and type checkers see of the package: docstrings, types, stubs that match the module."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import dsi
import pytest
from conftest import SOURCE
from dsi import _dsi

PACKAGE = Path(dsi.__file__).parent


def run(*command, **environment):
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=SOURCE,
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent), **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def needs_stubs():
    if not (PACKAGE / "_dsi.pyi").exists():
        pytest.skip("a build with sanitizers has no stubs")


def test_types_are_checked_strictly():
    needs_stubs()
    run("mypy", "--cache-dir", PACKAGE.parent / "mypy", "-p", "dsi")


def test_stubs_are_what_the_module_has():
    needs_stubs()
    run("mypy.stubtest", "dsi._dsi", "--allowlist", SOURCE / "tests/python/stubtest_allowlist.txt")


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_code_is_as_ruff_wants_it(command):
    run("ruff", *command, "--no-cache", "python", "tests/python")


def documented(of):
    """Names and objects that a user calls or reads, with those of classes."""
    for name in sorted(of):
        value = of[name]
        if name.startswith("_"):
            continue
        yield name, value
        if inspect.isclass(value):
            for member, part in vars(value).items():
                if not member.startswith("_") and (callable(part) or hasattr(part, "__get__")):
                    yield f"{name}.{member}", getattr(value, member)


def test_every_public_name_has_a_docstring():
    names = {name: getattr(dsi, name) for name in dsi.__all__ if name != "__version__"}
    missing = [name for name, value in documented(names) if not inspect.getdoc(value)]
    assert not missing
    assert not [name for name, value in documented(vars(_dsi)) if inspect.isclass(value) and not value.__doc__]


def test_all_names_are_told_to_type_checkers_and_at_run_time():
    stated = (PACKAGE / "__init__.py").read_text()
    for name in dsi.__all__:
        assert f'"{name}",' in stated and hasattr(dsi, name)
    assert sorted(dir(dsi)) == sorted(dsi.__all__)

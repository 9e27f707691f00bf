"""What readers and type checkers see of the package: docstrings, types, stubs of the module."""

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


def run(*command):
    """Runs a module of this interpreter; its exit code and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=SOURCE,
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
    )
    return done.returncode, done.stdout + done.stderr


def needs_stubs():
    if not (PACKAGE / "_dsi.pyi").exists():
        pytest.skip("a build with sanitizers has no stubs")


def test_types_are_checked_strictly():
    needs_stubs()
    code, told = run("mypy", "--cache-dir", PACKAGE.parent / "mypy", "-p", "dsi")
    assert code == 0, told


# What nanobind makes is callable, and neither a function nor a class of Python's own making.
OF_NANOBIND = (
    "is not a function",
    "is a disjoint base at runtime",
    "metaclass differs",
    "stub is a staticmethod but runtime is not",
    'stub does not have *args parameter "args"',
)


def test_stubs_are_what_the_module_has():
    needs_stubs()
    code, told = run("mypy.stubtest", "dsi._dsi", "--concise")
    assert [line for line in told.splitlines() if not any(of in line for of in OF_NANOBIND)] == []
    assert code == 0 or told


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_code_is_as_ruff_wants_it(command):
    code, told = run("ruff", *command, "--no-cache", "python", "tests/python")
    assert code == 0, told


def documented(of):
    """Public names, with those of classes: what is called or computed. Plain attributes are told of
    by their class."""
    for name, value in sorted(of.items()):
        if name.startswith("_"):
            continue
        yield name, value
        if inspect.isclass(value):
            for member, part in vars(value).items():
                is_field = inspect.ismemberdescriptor(part)
                if not member.startswith("_") and not is_field and hasattr(part, "__get__"):
                    yield f"{name}.{member}", getattr(value, member)


def test_every_public_name_has_a_docstring():
    public = {name: getattr(dsi, name) for name in dsi.__all__ if name != "__version__"}
    of_python = {name: value for name, value in public.items() if value not in vars(_dsi).values()}
    assert [name for name, value in documented(of_python) if not inspect.getdoc(value)] == []
    native = {name: value for name, value in vars(_dsi).items() if callable(value)}
    assert [name for name, value in native.items() if not value.__doc__] == []


def test_all_names_are_told_to_type_checkers_and_at_run_time():
    stated = (PACKAGE / "__init__.py").read_text()
    for name in dsi.__all__:
        assert f'"{name}",' in stated and hasattr(dsi, name)
    assert sorted(dir(dsi)) == sorted(dsi.__all__)

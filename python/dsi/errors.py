"""What fails in dsi raises an `Error`, and beside it what Python code expects of its kind.

Each class carries `code`, the stable name that `dsictl --json` prints as well. Messages say where
it happened, what was found, what was expected, and where it helps what to do next.
"""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of the library."""

    code = "error"


class InvalidArgument(Error, ValueError):
    """Something impossible was asked for: an unknown option, a wrong type, a call out of order."""

    code = "invalid argument"


class NotFound(Error, FileNotFoundError, KeyError):
    """A file, a feature or a row that does not exist."""

    code = "not found"

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class AlreadyExists(Error, FileExistsError):
    """The output exists, and replacing it was not asked for."""

    code = "already exists"


class Corrupt(Error):
    """Stored bytes are damaged. The message names page, offset and features."""

    code = "corrupt"


class Unsupported(Error, NotImplementedError):
    """Sound, but made by a newer version than this one."""

    code = "unsupported"


class NotDsi(Error, ValueError):
    """The file is something else."""

    code = "not a dsi file"


class Truncated(Error, EOFError):
    """The file ends too early, or was still being written."""

    code = "truncated"


class IoError(Error, OSError):
    """The operating system or a server failed a call."""

    code = "i/o error"


class ResourceExhausted(Error, MemoryError):
    """A stated budget was exceeded, or memory ran out."""

    code = "resource exhausted"


class Cancelled(Error):
    """A callback asked to stop."""

    code = "cancelled"


class BadInput(Error, ValueError):
    """A row, a schema or a table that was handed in is malformed."""

    code = "bad input"


class OutOfRange(Error, OverflowError):
    """A value does not fit the type that was asked for."""

    code = "out of range"


_BY_CODE = {
    cls.code: cls
    for cls in (
        InvalidArgument,
        NotFound,
        AlreadyExists,
        Corrupt,
        Unsupported,
        NotDsi,
        Truncated,
        IoError,
        ResourceExhausted,
        Cancelled,
        BadInput,
        OutOfRange,
    )
}


def _from_code(code: str, message: str) -> Error:
    """The exception of a code of the library; called by the native module."""
    return _BY_CODE.get(code, Error)(message)

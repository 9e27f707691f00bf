"""Whether files are as they were written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from . import _dsi
from ._dsi import FileVerdict
from ._opening import RemoteKeywords, checked, opening
from .dataset import Dataset, Where, paths_of


def verify(
    where: Where | Dataset,
    *,
    threads: int = 0,
    memory_bytes: int = 0,
    progress: Callable[[str, int, int], object] | None = None,
    **remote: Unpack[RemoteKeywords],
) -> list[FileVerdict]:
    """Looks at every byte and every rule of files: `state` of each is 'sound', 'unsupported' (but
    for what only a newer version can judge it is sound), 'unreadable' (see `error`) or 'damaged'
    (see `damage`). One that is damaged or gone does not keep the others from being looked at.

        bad = [file for file in dsi.verify("s3://logs/clicks/") if file.state != "sound"]

    where: what `dsi.open` takes, or a `Dataset`, whose files are asked for as it asks for them. Of
    a table or a manifest each file must also be the one that it names. threads: files looked at at
    the same time, by default as many as there are cores; memory_bytes: for each of them (512 MiB).
    progress('files', done, all), of a single file progress('bytes', done, all), is told how far it
    is; False stops (Cancelled).

    NotFound, IoError, BadInput: of the names or a manifest; overlays that fit none of the files
    beside them.
    """
    if isinstance(where, Dataset):
        names, how = where._where, where._how
        asked: Any = {name: how[name] for name in RemoteKeywords.__annotations__}
        remote = {**asked, **remote}
    else:
        names = paths_of(where)
    return _dsi.verify(
        names,
        threads=threads,
        memory_bytes=memory_bytes,
        progress=progress,
        **opening(checked(remote)),
    )

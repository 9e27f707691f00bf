"""What a scan will read, before it does."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from . import _dsi

if TYPE_CHECKING:
    from .dataset import Dataset


@dataclass(frozen=True, slots=True)
class _Reads:
    rows: int
    stripes: int
    stripes_skipped: int
    reads: int
    bytes: int
    bytes_needed: int
    directory_reads: int
    directory_bytes: int


@dataclass(frozen=True, slots=True)
class FileReads(_Reads):
    """What is read of one file; of a whole dataset: `ReadPlan`.

    file: its place in `Dataset.files`. rows: those asked for, before a filter. stripes: with such
    rows; stripes_skipped: of these, by statistics. reads, bytes: of pages, with gaps that are read
    along; bytes_needed: pages alone. directory_reads, directory_bytes: of what tells where pages
    are. steps: reads that wait for one another up to the first batch of the file; 0: its source
    answers at once. is_skipped: no row passes by what a manifest tells, so that the file is not
    opened.
    """

    file: int
    steps: int
    is_skipped: bool


@dataclass(frozen=True, slots=True)
class ReadPlan(_Reads):
    """What `Dataset.plan` found: sums over the files that have rows asked for (`FileReads`).

    files: these, in their order. Another order reads the same pages, some of them several times,
    and in more reads.
    """

    files_skipped: int
    files: list[FileReads]

    def __repr__(self) -> str:
        sums = [f"{at.name}={getattr(self, at.name)}" for at in fields(self) if at.name != "files"]
        return f"dsi.ReadPlan({', '.join(sums)}, files=[{len(self.files)} files])"


def plan_of(dataset: Dataset, options: _dsi.ScanOptions) -> ReadPlan:
    """What a scan with these options reads."""
    told: dict[str, Any] = _dsi.dataset_plan(dataset.native, options)
    files = [FileReads(**file) for file in told.pop("files")]
    return ReadPlan(**told, files=files)

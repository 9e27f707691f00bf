"""What an order of rows does to the batches that are made of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShuffleReport:
    """What `Loader.shuffle_report` found: means over the batches looked at, in the loader's order,
    in that of the files, and of rows drawn at random.

    sessions_per_batch: different ones; 0: the files have no sessions. sessions_cut: of those in a
    batch the share whose rows lie in several batches. collisions: rows of a batch that are not the
    first of their session in it. label_drift: the standard deviation between batches of the mean
    of the first label over what chance would give: 1 is as good as random; 0: no label.
    dedup_factor: entries of all rows over those of the unique rows of a batch, of all lists.
    mixing_rows: rows mixed at a time; 0: none. seconds: of the scan alone.
    """

    batches: int
    rows: int
    mixing_rows: int
    sessions_per_batch: float
    sessions_in_file_order: float
    sessions_at_random: float
    sessions_cut: float
    collisions: float
    collisions_at_random: float
    label_drift: float
    label_drift_in_file_order: float
    dedup_factor: float
    dedup_factor_in_file_order: float
    bytes_read: int
    bytes_in_file_order: int
    seconds: float
    seconds_in_file_order: float

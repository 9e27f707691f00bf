"""Recommendation training data stored once per unique row, from disk to tensor.

    import dsi
    ds = dsi.open("day=*/part-*.dsi")
    features = ["dense.*", "user.*", "item.id", "label"]
    for batch in ds.loader(features, batch_size=4096, shuffle=True):
        logits = model(batch.dense, batch.kjt())

Importing dsi imports neither numpy nor torch; what a call needs is named when it is missing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._dsi import (
    Column,
    ColumnFiles,
    ComparedColumn,
    Comparison,
    Damage,
    File,
    FileVerdict,
    Tensor,
    id_of_text,
)
from ._dsi import version as __version__
from .errors import (
    AlreadyExists,
    BadInput,
    Cancelled,
    Corrupt,
    Error,
    InvalidArgument,
    IoError,
    NotDsi,
    NotFound,
    OutOfRange,
    ResourceExhausted,
    Truncated,
    Unsupported,
)

if TYPE_CHECKING:
    from .arrow import ArrowScan
    from .batch import Batch, IkjtTensors, JaggedTensors, KjtParts, PaddedTensors
    from .comparing import compare
    from .dataset import Dataset, Scan, open
    from .description import Description, describe
    from .files import from_parquet
    from .loader import Loader, join_states
    from .mixing import MixedLoader, mix
    from .options import AnyOf, Hash, Length
    from .overlays import (
        BaseOverlay,
        OverlayReport,
        OverlaysReport,
        write_overlay,
        write_overlays,
    )
    from .planning import FileReads, ReadPlan
    from .projections import Dense, Jagged, Kjt, Labels, Padded
    from .rewriting import (
        DeleteReport,
        LostRows,
        RecoverReport,
        Shard,
        delete_rows,
        recover,
        rewrite,
    )
    from .shuffling import ShuffleReport
    from .table_on_disk import Compaction, Deletion, Garbage, Snapshot, Staged, Table
    from .texts import BadRow, TextRows, from_text, schema_of_text
    from .transforms import Pipeline
    from .value_counts import ValueCounts
    from .verification import verify
    from .writer import Writer, WriteReport, write

# Where the other names live; each is imported when it is first used.
_LAZY = {
    "Batch": "batch",
    "IkjtTensors": "batch",
    "JaggedTensors": "batch",
    "KjtParts": "batch",
    "PaddedTensors": "batch",
    "compare": "comparing",
    "Dataset": "dataset",
    "Scan": "dataset",
    "open": "dataset",
    "Description": "description",
    "describe": "description",
    "ArrowScan": "arrow",
    "from_parquet": "files",
    "Loader": "loader",
    "join_states": "loader",
    "Writer": "writer",
    "WriteReport": "writer",
    "write": "writer",
    "Dense": "projections",
    "Kjt": "projections",
    "Jagged": "projections",
    "AnyOf": "options",
    "Hash": "options",
    "Length": "options",
    "Labels": "projections",
    "Padded": "projections",
    "BaseOverlay": "overlays",
    "OverlayReport": "overlays",
    "OverlaysReport": "overlays",
    "write_overlay": "overlays",
    "write_overlays": "overlays",
    "DeleteReport": "rewriting",
    "LostRows": "rewriting",
    "RecoverReport": "rewriting",
    "Shard": "rewriting",
    "delete_rows": "rewriting",
    "recover": "rewriting",
    "rewrite": "rewriting",
    "BadRow": "texts",
    "TextRows": "texts",
    "from_text": "texts",
    "schema_of_text": "texts",
    "Pipeline": "transforms",
    "Compaction": "table_on_disk",
    "Deletion": "table_on_disk",
    "Garbage": "table_on_disk",
    "Snapshot": "table_on_disk",
    "Staged": "table_on_disk",
    "Table": "table_on_disk",
    "MixedLoader": "mixing",
    "mix": "mixing",
    "FileReads": "planning",
    "ReadPlan": "planning",
    "ShuffleReport": "shuffling",
    "ValueCounts": "value_counts",
    "verify": "verification",
}

__all__ = [
    "AlreadyExists",
    "AnyOf",
    "ArrowScan",
    "BadInput",
    "BadRow",
    "BaseOverlay",
    "Batch",
    "Cancelled",
    "Column",
    "ColumnFiles",
    "Compaction",
    "ComparedColumn",
    "Comparison",
    "Corrupt",
    "Damage",
    "Dataset",
    "DeleteReport",
    "Deletion",
    "Dense",
    "Description",
    "Error",
    "File",
    "FileReads",
    "FileVerdict",
    "Garbage",
    "Hash",
    "IkjtTensors",
    "InvalidArgument",
    "IoError",
    "Jagged",
    "JaggedTensors",
    "Kjt",
    "KjtParts",
    "Labels",
    "Length",
    "Loader",
    "LostRows",
    "MixedLoader",
    "NotDsi",
    "NotFound",
    "OutOfRange",
    "OverlayReport",
    "OverlaysReport",
    "Padded",
    "PaddedTensors",
    "Pipeline",
    "ReadPlan",
    "RecoverReport",
    "ResourceExhausted",
    "Scan",
    "Shard",
    "ShuffleReport",
    "Snapshot",
    "Staged",
    "Table",
    "Tensor",
    "TextRows",
    "Truncated",
    "Unsupported",
    "ValueCounts",
    "WriteReport",
    "Writer",
    "__version__",
    "compare",
    "delete_rows",
    "describe",
    "from_parquet",
    "from_text",
    "id_of_text",
    "join_states",
    "mix",
    "open",
    "recover",
    "rewrite",
    "schema_of_text",
    "verify",
    "write",
    "write_overlay",
    "write_overlays",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'dsi' has no attribute '{name}'")
    value = getattr(importlib.import_module("." + _LAZY[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""From the parts of a batch to TorchRec's KeyedJaggedTensor, with all its metadata filled.

TorchRec computes what its constructor was not given when it is first asked for, and some of that is
a copy from the device that stops the GPU's queue: `length_per_key`, `offset_per_key`. A reader
knows these numbers, so `make_kjt` passes every one. It leaves out `jt_dict` alone: `to()` hands
that on unmoved, and a model on another device would be fed tensors of the host.

What TorchRec 1.8 does with the result:

- `sync()`, `to()`, `pin_memory()`, `to_dict()`, `kjt[key]` and the forward pass of an
  EmbeddingBagCollection read no value of a tensor. `split()` and `permute()` of a variable batch
  read the strides, which TorchRec keeps on the host.
- `split()` and `permute()` drop `inverse_indices`: take them from the whole.
- `record_stream()` passes over `inverse_indices`. `Batch.record_stream` records the slab, of which
  all tensors are views.
- EmbeddingCollection without sharding ignores `inverse_indices`: give it form 'expanded'.
- On a CPU the backward pass of an EmbeddingBagCollection over a variable batch adds up the
  gradients of pooled rows one by one (FBGEMM's group_index_select_dim0), which can take longer than
  all the rest of a step. `examples/train_dlrm.py` spreads them with index_select.
- Its train pipelines take a `Batch` as it is, and so do models of a `Batch` of its own, such as
  DLRMTrain.
"""

from __future__ import annotations

import sys
from array import array
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from .errors import InvalidArgument

if TYPE_CHECKING:
    from .batch import KjtParts


def make_kjt(parts: KjtParts) -> Any:
    """A `torchrec.KeyedJaggedTensor` over the tensors of `parts`, on their device, without a copy.

    Form 'expanded': key f has B rows. Form 'vbe': key f has `stride_per_key[f]` unique rows, and
    `inverse_indices` (keys, int64 [F, B]) tells which each row is.

    ImportError says what to install. InvalidArgument: arrays of another framework. Thread-safe.
    Costs 10 µs and 0.1 µs per key; the first call imports TorchRec, which takes seconds.
    """
    torch, cls = _imported()
    if not isinstance(parts.values, torch.Tensor):
        raise InvalidArgument("batch.kjt() needs tensors of torch: scan with framework='torch'")
    keys, strides = parts.keys, parts.stride_per_key
    strides_per_rank = inverse = None
    if strides is None:
        strides = [parts.rows] * len(keys)
    else:
        strides_per_rank = torch.frombuffer(array("i", strides), dtype=torch.int32).view(-1, 1)
        inverse = (keys, parts.inverse)
    return cls(
        keys=keys,
        values=parts.values,
        weights=parts.weights,
        lengths=parts.lengths,
        offsets=parts.offsets,
        stride=parts.rows,
        stride_per_key_per_rank=strides_per_rank,
        stride_per_key=strides,
        length_per_key=parts.length_per_key,
        lengths_offset_per_key=list(accumulate(strides, initial=0)),
        offset_per_key=parts.offset_per_key,
        index_per_key=dict(zip(keys, range(len(keys)), strict=True)),
        inverse_indices=inverse,
    )


def register_batch() -> None:
    """Tells TorchRec, if it has been imported, that a `Batch` can be moved and recorded.

    Its train pipelines take nothing else. Scans and loaders of torch call this when they begin.
    """
    streamable = sys.modules.get("torchrec.streamable")
    if streamable is not None:
        from .batch import Batch

        streamable.Pipelineable.register(Batch)


@cache
def _imported() -> tuple[Any, Any]:
    """torch and the class."""
    try:
        import torch
        from torchrec.sparse.jagged_tensor import KeyedJaggedTensor
    except ImportError as error:
        raise ImportError(
            f"batch.kjt() needs TorchRec ({error}); install the versions of it and of FBGEMM that"
            " belong to your torch: pip install --no-deps torchrec fbgemm-gpu-cpu (with CUDA:"
            " fbgemm-gpu). batch.kjt_parts() needs neither"
        ) from error
    return torch, KeyedJaggedTensor

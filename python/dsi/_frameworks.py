"""From a `Tensor` of the library to an array of the framework that was asked for, without a copy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ._dsi import Tensor
from .errors import InvalidArgument

Convert = Callable[[Tensor], Any]


def need(module: str, package: str, what: str) -> Any:
    """Imports `module`; where it is missing the error says what for and how to get it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise ModuleNotFoundError(
            f"{what} needs {package}, which is not installed: pip install {package}", name=module
        ) from None


def _numpy() -> Convert:
    return need("numpy", "numpy", "framework='numpy'").asarray


def _torch() -> Convert:
    from_dlpack = need("torch", "torch", "framework='torch'").from_dlpack
    # A capsule: torch would ask a tensor for its device and its versions first.
    return lambda tensor: from_dlpack(tensor.__dlpack__(max_version=(1, 0)))


def _jax() -> Convert:
    return need("jax.dlpack", "jax", "framework='jax'").from_dlpack


_FRAMEWORKS: dict[str, Callable[[], Convert]] = {
    "numpy": _numpy,
    "torch": _torch,
    "jax": _jax,
    "dsi": lambda: lambda tensor: tensor,
}


def converter(framework: str) -> Convert:
    """What makes arrays of 'numpy', 'torch' or 'jax' of tensors; 'dsi' leaves them."""
    if framework not in _FRAMEWORKS:
        raise InvalidArgument(
            f"framework is {framework!r}, expected one of {', '.join(map(repr, _FRAMEWORKS))}"
        )
    if framework == "torch":
        from .torchrec import register_batch

        register_batch()
    return _FRAMEWORKS[framework]()


class TorchSlab:
    """Tensors as views of a torch tensor that holds the whole slab, wherever that lies.

    What torch must track by its own storage (pinned memory, a device) goes this way.
    """

    def __init__(self, slab: Any):
        self.slab = slab
        self._torch = importlib.import_module("torch")

    def __call__(self, tensor: Tensor) -> Any:
        if tensor.slab_offset < 0:
            return self._torch.from_dlpack(tensor)
        part = self.slab.narrow(0, tensor.slab_offset, tensor.nbytes)
        return part.view(getattr(self._torch, tensor.dtype)).view(tensor.shape)

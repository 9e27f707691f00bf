"""From a `Tensor` of the library to an array of the framework asked for, without a copy."""

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
    convert: Convert = need("numpy", "numpy", "framework='numpy'").asarray
    return convert


def _torch() -> Convert:
    from_dlpack = need("torch", "torch", "framework='torch'").from_dlpack
    # A capsule: torch would ask a tensor for its device and its versions first.
    return lambda tensor: from_dlpack(tensor.__dlpack__(max_version=(1, 0)))


_OF_64_BITS = ("int64", "uint64", "float64")


def _jax() -> Convert:
    jax = need("jax", "jax", "framework='jax'")
    from_dlpack = need("jax.dlpack", "jax", "framework='jax'").from_dlpack
    asarray = need("numpy", "numpy", "framework='jax'").asarray

    def convert(tensor: Tensor) -> Any:
        if tensor.dtype in _OF_64_BITS and not jax.config.jax_enable_x64:
            raise InvalidArgument(
                f"an array of {tensor.dtype} {list(tensor.shape)} would be cut to 32 bits by jax:"
                ' call jax.config.update("jax_enable_x64", True) first; or read 32 bits, as'
                ' dsi.Padded(names, dtype="int32") or "float32" and keys with index_dtype="int32"'
                ' do; or use framework="numpy"'
            )
        if tensor.dtype == "bool":  # Which the capsules that jax takes lack.
            return jax.device_put(asarray(tensor), jax.local_devices(backend="cpu")[0])
        return from_dlpack(tensor)

    return convert


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


class SlabViews:
    """Tensors as views of an array that is the whole slab; memoryviews as arrays of their own."""

    def __init__(self, slab: Any):
        self.slab = slab


class TorchSlab(SlabViews):
    """Of a torch tensor, wherever that lies.

    What torch must track by its own storage (pinned memory, a device) goes this way.
    """

    def __init__(self, slab: Any):
        super().__init__(slab)
        self._torch = importlib.import_module("torch")

    def __call__(self, tensor: Any) -> Any:
        if isinstance(tensor, memoryview):
            dtype = getattr(self._torch, _NAMES[tensor.format])
            if not tensor:  # Of no bytes torch makes none.
                return self._torch.empty(0, dtype=dtype)
            return self._torch.frombuffer(tensor, dtype=dtype)
        if tensor.slab_offset < 0:
            return self._torch.from_dlpack(tensor)
        part = self.slab.narrow(0, tensor.slab_offset, tensor.nbytes)
        return part.view(getattr(self._torch, tensor.dtype)).view(tensor.shape)


class NumpySlab(SlabViews):
    """Of a numpy array."""

    def __call__(self, tensor: Any) -> Any:
        if isinstance(tensor, memoryview):
            return importlib.import_module("numpy").asarray(tensor)
        part = self.slab[tensor.slab_offset : tensor.slab_offset + tensor.nbytes]
        return part.view(tensor.dtype).reshape(tensor.shape)


_NAMES = {"I": "uint32", "Q": "uint64"}

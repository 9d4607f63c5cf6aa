"""What the machine can do, asked once."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch

Precision = Literal["fp32", "bf16", "auto"]

# Relative error of a product that counts as one in single precision.
EXACT = 1e-6
FALLBACK_CACHE = 1 << 20
_LEVEL_2 = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")
_UNITS = {"K": 1 << 10, "M": 1 << 20}

# Words of glibc's mallopt, and the largest request that it lets stay in the heap.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_KEPT = 32 << 20
_NEVER = (1 << 31) - 1


@cache
def core_cache_bytes() -> int:
    """Return the size of a core's own (second level) cache."""
    try:
        text = _LEVEL_2.read_text(encoding="ascii").strip()
        return int(text[:-1]) * _UNITS[text[-1]]
    except (OSError, ValueError, KeyError, IndexError):
        return FALLBACK_CACHE


@cache
def multiplies_bf16(device: torch.device) -> bool:
    """Tell whether the device multiplies bfloat16 matrices in hardware."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    if device.type == "cpu":
        return _cpu_multiplies_bf16()
    return False


def _cpu_multiplies_bf16() -> bool:
    """Read the processor's flags; machines that do not tell them count as without."""
    return bool({"amx_bf16", "avx512_bf16"} & _processor_words())


@cache
def _processor_words() -> frozenset[str]:
    """Return maker and abilities of the processor, where the system tells them."""
    try:
        return frozenset(Path("/proc/cpuinfo").read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return frozenset()


@cache
def onednn_is_exact() -> bool:
    """Tell whether single precision products should go to oneDNN, which keeps them so.

    MKL runs at half speed on processors of AMD, and PyTorch prefers it unless told that
    bfloat16 would do. Without a matrix unit (AMX) oneDNN then computes in full single
    precision nevertheless, twice as fast. That is measured here, not assumed.
    """
    words = _processor_words()
    if not {"AuthenticAMD", "avx512_bf16"} <= words or "amx_bf16" in words:
        return False
    a = torch.randn(256, 256, generator=torch.Generator().manual_seed(0))
    exact = a.double() @ a.double()
    backend: Any = torch.backends.mkldnn
    switch = backend.matmul
    before = switch.fp32_precision
    switch.fp32_precision = "bf16"
    found = (a @ a).double()
    switch.fp32_precision = before
    return bool((found - exact).norm() < EXACT * exact.norm())


def product_dtype(precision: Precision, like: torch.Tensor) -> torch.dtype:
    """Return the type in which large products of ``like`` are computed.

    ``auto`` takes bfloat16 where the device multiplies it in hardware. Double precision
    is never lowered unasked.
    """
    if precision == "bf16":
        return torch.bfloat16
    if precision == "auto" and like.dtype == torch.float32:
        return torch.bfloat16 if multiplies_bf16(like.device) else torch.float32
    return like.dtype


_lowered: ContextVar[bool] = ContextVar("lowered", default=False)


def ambient_dtype(like: torch.Tensor) -> torch.dtype:
    """Return the type of products of ``like`` inside :func:`products_in`."""
    lowered = _lowered.get() and like.dtype == torch.float32
    return torch.bfloat16 if lowered else like.dtype


@contextmanager
def products_in(precision: Precision, device: torch.device) -> Iterator[None]:
    """Let products of single precision matrices be computed in a lower one meanwhile.

    The factors are rounded to bfloat16 (on CUDA to TF32), and the sums stay in single
    precision. ``auto`` does it where the hardware is fast. ``fp32`` rounds nothing, and
    only takes the library that is fastest.
    """
    wanted = precision == "bf16" or (precision == "auto" and multiplies_bf16(device))
    rerouted = device.type == "cpu" and onednn_is_exact()
    if not (wanted or rerouted) or device.type not in {"cpu", "cuda"}:
        yield
        return
    on_cpu = device.type == "cpu"
    backend: Any = torch.backends.mkldnn if on_cpu else torch.backends.cuda
    switch = backend.matmul
    before = switch.fp32_precision
    switch.fp32_precision = "bf16" if on_cpu else "tf32"
    token = _lowered.set(wanted)
    try:
        yield
    finally:
        _lowered.reset(token)
        switch.fp32_precision = before


def keep_freed_memory() -> None:
    """Let this process reuse freed memory and not give each piece back to the system.

    A training step frees and asks for the same few dozen tensors; fetching fresh pages
    for them takes a tenth of the time of a small step. For the command alone: it owns
    its process. Does nothing where the C library is not glibc.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL("libc.so.6")
        library.mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
        library.mallopt(_TRIM_THRESHOLD, _NEVER)

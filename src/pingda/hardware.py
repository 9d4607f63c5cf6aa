"""What the machine can do, asked once."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch

Precision = Literal["fp32", "bf16", "auto"]

FALLBACK_CACHE = 1 << 20
_LEVEL_2 = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")
_UNITS = {"K": 1 << 10, "M": 1 << 20}


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
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return False
    return "amx_bf16" in flags or "avx512_bf16" in flags


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


@contextmanager
def products_in(precision: Precision, device: torch.device) -> Iterator[None]:
    """Let products of single precision matrices be computed in a lower one meanwhile.

    The factors are rounded to bfloat16 (on CUDA to TF32), and the sums stay in single
    precision. ``fp32`` changes nothing; ``auto`` does it where the hardware is fast.
    """
    wanted = precision == "bf16" or (precision == "auto" and multiplies_bf16(device))
    if not wanted or device.type not in {"cpu", "cuda"}:
        yield
        return
    on_cpu = device.type == "cpu"
    backend: Any = torch.backends.mkldnn if on_cpu else torch.backends.cuda
    switch = backend.matmul
    before = switch.fp32_precision
    switch.fp32_precision = "bf16" if on_cpu else "tf32"
    try:
        yield
    finally:
        switch.fp32_precision = before

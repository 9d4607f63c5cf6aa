"""What a run was computed with."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import torch

PACKAGES = ("pingda", "torch", "torch-geometric", "numpy", "scipy", "scikit-learn")


def describe_environment(device: torch.device) -> dict[str, Any]:
    """Return machine, versions and threads; equal ones give equal bits."""
    accelerator = None
    if device.type == "cuda":
        accelerator = torch.cuda.get_device_name(device)
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": str(device),
        "accelerator": accelerator,
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None

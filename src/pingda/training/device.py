"""Where the numbers are computed."""

import torch

from pingda.errors import PingdaError


def choose_device(name: str) -> torch.device:
    """Return the device of that name; ``auto`` takes the first accelerator.

    Raises:
        PingdaError: There is no such device.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise PingdaError(
            f"device {name!r} cannot be used ({reason}); use --set device=cpu"
        ) from error
    return device

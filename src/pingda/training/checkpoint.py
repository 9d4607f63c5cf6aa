"""The state of a training run on the disk, without a pickle."""

import time
from collections.abc import Callable
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor, nn

from pingda.errors import PingdaError
from pingda.files import write_bytes
from pingda.training.state import TrainingState, pack

# A checkpoint may cost at most this share of the time.
SHARE_OF_TIME = 0.02


def write_state(path: Path, state: TrainingState) -> None:
    """Write the whole state in one step."""
    write_bytes(path, save_tensors(pack(state)))


def write_weights(path: Path, module: nn.Module) -> None:
    """Write the parameters of a module in one step."""
    tensors = {k: v.detach().contiguous() for k, v in module.state_dict().items()}
    write_bytes(path, save_tensors(tensors))


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read named tensors.

    Raises:
        PingdaError: The file is missing or damaged.
    """
    try:
        return load_tensors(path.read_bytes())
    except OSError as error:
        raise PingdaError(f"cannot read {path}: {error.strerror}") from error
    except SafetensorError as error:
        raise PingdaError(f"{path} is damaged: {error}") from error


class Checkpointer:
    """Writes the state now and then, so rarely that it costs next to nothing.

    Args:
        write: Writes a state, and whatever belongs to it, to the disk.
        at_least: Seconds between two checkpoints.
    """

    def __init__(
        self, write: Callable[[TrainingState], None], at_least: float = 0.5
    ) -> None:
        self.write = write
        self.wait = self.at_least = at_least
        self.last = time.monotonic()

    def __call__(self, state: TrainingState, _metrics: dict[str, float]) -> None:
        """Write if the last checkpoint is old enough."""
        if time.monotonic() - self.last < self.wait:
            return
        begin = time.monotonic()
        self.write(state)
        self.last = time.monotonic()
        self.wait = max(self.at_least, (self.last - begin) / SHARE_OF_TIME)

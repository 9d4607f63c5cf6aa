"""The whole state of a training run as named tensors, without a pickle."""

import time
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor, nn

from pingda.errors import PingdaError
from pingda.files import write_bytes
from pingda.training.loop import TrainingState

# A checkpoint may cost at most this share of the time.
SHARE_OF_TIME = 0.02


def pack(state: TrainingState) -> dict[str, Tensor]:
    """Return parameters, optimisers, random numbers and the epoch by name."""
    tensors = {f"method/{k}": v for k, v in state.method.state_dict().items()}
    for name, learner in state.learners.items():
        for index, entries in learner.state_dict()["state"].items():
            for key, value in entries.items():
                tensors[f"learner/{name}/{index}/{key}"] = torch.as_tensor(value)
    tensors |= {f"stream/{k}": v for k, v in state.streams.state().items()}
    tensors["epoch"] = torch.tensor(state.epoch)
    return {key: tensor.detach().contiguous() for key, tensor in tensors.items()}


def unpack(tensors: dict[str, Tensor], state: TrainingState) -> None:
    """Bring a freshly made state to where :func:`pack` was called."""
    groups: dict[str, dict[str, Tensor]] = {"method": {}, "learner": {}, "stream": {}}
    for key, tensor in tensors.items():
        group, _, rest = key.partition("/")
        if rest:
            groups[group][rest] = tensor
    state.method.load_state_dict(groups["method"])
    for name, learner in state.learners.items():
        moments: dict[int, dict[str, Tensor]] = {}
        for key, tensor in groups["learner"].items():
            owner, index, entry = key.split("/")
            if owner == name:
                moments.setdefault(int(index), {})[entry] = tensor
        learner.load_state_dict(
            {"state": moments, "param_groups": learner.state_dict()["param_groups"]}
        )
    state.streams.restore(groups["stream"])
    state.epoch = int(tensors["epoch"])


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

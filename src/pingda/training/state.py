"""All that changes while a method is trained, and how it is packed and unpacked."""

from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.optim import Optimizer

from pingda.hardware import Precision
from pingda.methods.base import Method
from pingda.seeding import Streams


@dataclass
class TrainingState:
    """All that changes while a method is trained.

    Args:
        method: The method with its parameters.
        streams: The random numbers.
        epochs: Epochs to train in all.
        epoch: Finished epochs.
        precision: Type of the products.
        meter: Epochs between measurements for the log; the last one is measured too.
            0: none.
    """

    method: Method
    streams: Streams
    epochs: int
    epoch: int = 0
    precision: Precision = "fp32"
    meter: int = 0
    learners: dict[str, Optimizer] = field(init=False)

    def __post_init__(self) -> None:
        self.learners = self.method.learners()

    @property
    def device(self) -> torch.device:
        """Where the method is."""
        return self.streams.device


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

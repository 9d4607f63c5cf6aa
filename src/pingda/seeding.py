"""Random numbers: one generator a purpose, all drawn from one seed."""

import hashlib
import math

import torch
from torch import Generator, Tensor, nn

PURPOSES = ("init", "noise", "batches", "meter")
ON_CPU = ("sampling",)
"""Purposes whose numbers are drawn on the CPU whatever the device."""


class Streams:
    """Independent generators, one a purpose, so that none disturbs another.

    Args:
        seed: The run's seed.
        device: Where the numbers are drawn.
    """

    def __init__(self, seed: int, device: torch.device) -> None:
        self.device = device
        places = dict.fromkeys(PURPOSES, device)
        places |= dict.fromkeys(ON_CPU, torch.device("cpu"))
        self._generators = {
            name: Generator(place).manual_seed(derive(seed, name))
            for name, place in places.items()
        }

    def __getitem__(self, purpose: str) -> Generator:
        return self._generators[purpose]

    def state(self) -> dict[str, Tensor]:
        """Return what :meth:`restore` needs to go on from here."""
        return {name: g.get_state() for name, g in self._generators.items()}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from a stored state."""
        for name, generator in self._generators.items():
            generator.set_state(state[name])


def derive(seed: int, purpose: str) -> int:
    """Return a 63-bit seed that depends on the run's seed and the purpose alone."""
    digest = hashlib.sha256(f"{seed}/{purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def initialise(module: nn.Module, generator: Generator) -> None:
    """Draw every parameter of ``module`` afresh from ``generator``.

    A part with a method ``initialise(generator)`` draws its own parameters; an
    ``nn.Linear`` follows PyTorch's rule, uniform within ±1/√fan_in.
    """
    for part in module.modules():
        own = getattr(part, "initialise", None)
        if own is not None:
            own(generator)
        elif isinstance(part, nn.Linear):
            bound = 1 / math.sqrt(part.in_features)
            nn.init.uniform_(part.weight, -bound, bound, generator=generator)
            if part.bias is not None:
                nn.init.uniform_(part.bias, -bound, bound, generator=generator)

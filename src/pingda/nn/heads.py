"""Heads between embeddings and losses; they are thrown away after training."""

from typing import Literal

import torch
from torch import Tensor, nn

HeadActivation = Literal["relu", "elu"]


class Projector(nn.Module):
    """Linear → φ → Linear, on which the contrastive loss is computed.

    Args:
        channels: Width of the embedding and of the projection.
        hidden: Width between them; None means ``channels``.
        activation: φ.
    """

    def __init__(
        self,
        channels: int,
        hidden: int | None = None,
        activation: HeadActivation = "relu",
    ) -> None:
        super().__init__()
        self.activate = torch.relu_ if activation == "relu" else nn.functional.elu_
        self.inner = nn.Linear(channels, hidden or channels)
        self.outer = nn.Linear(hidden or channels, channels)

    def forward(self, h: Tensor) -> Tensor:
        """Map [n, channels] to [n, channels]."""
        projection: Tensor = self.outer(self.activate(self.inner(h)))
        return projection

"""Heads between embeddings and losses; they are thrown away after training."""

from torch import Tensor, nn


class Projector(nn.Module):
    """Linear → ReLU → Linear, on which the contrastive loss is computed.

    Args:
        channels: Width of the embedding and of the projection.
        hidden: Width between them; None means ``channels``.
    """

    def __init__(self, channels: int, hidden: int | None = None) -> None:
        super().__init__()
        self.inner = nn.Linear(channels, hidden or channels)
        self.outer = nn.Linear(hidden or channels, channels)

    def forward(self, h: Tensor) -> Tensor:
        """Map [n, channels] to [n, channels]."""
        projection: Tensor = self.outer(self.inner(h).relu_())
        return projection

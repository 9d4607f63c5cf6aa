"""The graph convolutional encoder of the paper and its relatives."""

import math
from typing import Literal

import torch
from torch import Generator, Tensor, nn

from pingda.graph.sparse import Features
from pingda.graph.view import GraphView
from pingda.nn.activation import SharedPReLU
from pingda.nn.propagation import Propagation

Activation = Literal["prelu", "relu"]


class Convolution(nn.Module):
    """H ↦ Â (H W) + b, with Glorot weights and a zero bias.

    Args:
        in_channels: Width of H, or the number of features.
        out_channels: Width of the result.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.initialise()

    def initialise(self, generator: Generator | None = None) -> None:
        """Draw the weights uniformly within ±√(6 / (in + out))."""
        bound = math.sqrt(6 / sum(self.weight.shape))
        nn.init.uniform_(self.weight, -bound, bound, generator=generator)
        nn.init.zeros_(self.bias)

    def forward(self, h: Features, propagate: Propagation) -> Tensor:
        """Map [n, in], dense or sparse, to [n, out]."""
        return propagate(h @ self.weight) + self.bias


class GCN(nn.Module):
    r"""Two graph convolutions, each followed by one shared activation.

    From "Semi-Supervised Classification with Graph Convolutional Networks" (ICLR
    2017), as contrastive methods use it:

    .. math::
        H = \phi(\hat A\, \phi(\hat A X W_1 + b_1)\, W_2 + b_2)

    Args:
        in_channels: Number of node features f.
        hidden: Width of the first layer.
        out_channels: Width of the embedding.
        activation: φ; the slope of ``prelu`` is one learned number for both layers.

    Shapes:
        view with x [n, f] → [n, out_channels].
    """

    supports_edge_weight = True

    def __init__(
        self,
        in_channels: int,
        hidden: int,
        out_channels: int,
        activation: Activation = "prelu",
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.first = Convolution(in_channels, hidden)
        self.second = Convolution(hidden, out_channels)
        self.activation = SharedPReLU() if activation == "prelu" else nn.ReLU()

    def forward(self, view: GraphView) -> Tensor:
        """Embed every node of a view."""
        propagate = Propagation(view)
        h = self.activation(self.first(view.x, propagate))
        embedding: Tensor = self.activation(self.second(h, propagate))
        return embedding

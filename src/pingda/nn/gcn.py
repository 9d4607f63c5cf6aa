"""The graph convolutional encoder of the paper and its relatives."""

import math
from typing import Literal

import torch
from torch import Generator, Tensor, nn

from pingda.graph.propagation import Propagation
from pingda.graph.sparse import Features, dense
from pingda.graph.view import GraphView
from pingda.nn.activation import SharedPReLU

Activation = Literal["prelu", "relu"]

# Without gradients, a result of more entries is made by blocks of columns, so that the
# embedding of a large graph needs hardly more memory than its largest layer.
AT_ONCE = 1 << 25
COLUMNS = 64
# Features this many times narrower than the layer are propagated first.
NARROW = 2


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

    def forward(
        self, h: Features, propagate: Propagation, rows: int | None = None
    ) -> Tensor:
        """Map [n, in], of any kind, to [n, out], or to its first rows.

        Narrow features are propagated before they are widened: Â (H W) = (Â H) W.
        """
        if NARROW * self.weight.shape[0] <= self.weight.shape[1]:
            near = propagate(dense(h), rows=rows)
            return torch.addmm(self.bias, near, self.weight)
        if torch.is_grad_enabled() or h.shape[0] * self.weight.shape[1] <= AT_ONCE:
            return propagate(h @ self.weight, self.bias, rows)
        result = self.weight.new_empty(rows or h.shape[0], self.weight.shape[1])
        for room, weight, bias in zip(
            result.split(COLUMNS, dim=1),
            self.weight.split(COLUMNS, dim=1),
            self.bias.split(COLUMNS),
            strict=True,
        ):
            room.copy_(propagate(h @ weight, bias, rows))
        return result


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

    def __init__(
        self,
        in_channels: int,
        hidden: int,
        out_channels: int,
        activation: Activation = "prelu",
    ) -> None:
        super().__init__()
        self.first = Convolution(in_channels, hidden)
        self.second = Convolution(hidden, out_channels)
        # What is activated is nobody else's, so it may be overwritten.
        kind = SharedPReLU if activation == "prelu" else nn.ReLU
        self.activation = kind(inplace=True)

    def forward(self, view: GraphView) -> Tensor:
        """Embed every node of a view, or the seeds of a batch."""
        propagate = Propagation(view)
        h = self.activation(self.first(view.x, propagate, view.within(1)))
        embedding: Tensor = self.activation(self.second(h, propagate, view.within(0)))
        return embedding

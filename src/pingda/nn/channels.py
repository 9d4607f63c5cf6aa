"""An encoder that keeps a node's own features apart from its neighbours'."""

from collections.abc import Iterator

import torch
from torch import Generator, Tensor, nn

from pingda.graph.diffusion import diffuse
from pingda.graph.propagation import Propagation
from pingda.graph.view import GraphView
from pingda.nn.activation import SharedPReLU


class Channels(nn.Module):
    r"""Three one-layer encoders side by side: ego, neighbours, and far around.

    .. math::
        H = \big[\, \nu\phi(X W_0 + b_0) \;\Vert\; \nu\phi(\hat A X W_1 + b_1)
            \;\Vert\; \nu\phi(\mathrm{PPR}(X W_2) + b_2) \,\big]

    where ν scales rows to unit length. A graph convolution can but average a node with
    its neighbours; where those are of another kind, that erases what it was.

    Args:
        in_channels: Number of node features f.
        out_channels: Width of H, divided among the three.

    Shapes:
        view with x [n, f] → [n, out_channels].
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        share, rest = divmod(out_channels, 3)
        self.widths = [share + (place < rest) for place in range(3)]
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.activations = nn.ModuleList(SharedPReLU() for _ in self.widths)
        self.initialise()

    def initialise(self, generator: Generator | None = None) -> None:
        """Draw the weights of each channel by Glorot's rule."""
        for block in self.weight.data.split(self.widths, dim=1):
            block.copy_(
                nn.init.xavier_uniform_(torch.empty_like(block), generator=generator)
            )
        nn.init.zeros_(self.bias)

    def forward(self, view: GraphView) -> Tensor:
        """Embed every node of a view, or the seeds of a batch."""
        seeds, mixed = view.within(0), self._mixed(view)
        rows = zip(mixed, self.bias.split(self.widths), self.activations, strict=True)
        encoded = [activate(h[:seeds] + bias) for h, bias, activate in rows]
        return torch.cat([nn.functional.normalize(h, dim=1) for h in encoded], dim=1)

    def _mixed(self, view: GraphView) -> Iterator[Tensor]:
        """Yield X W₀, Â X W₁ and PPR(X W₂)."""
        propagate = Propagation(view)
        ego, near, start = (view.x @ self.weight).split(self.widths, dim=1)
        yield ego
        yield propagate(near.contiguous())
        yield diffuse(propagate, start.contiguous())

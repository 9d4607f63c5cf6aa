"""What is handed out as the embedding, beside what the encoder says."""

from typing import Literal

import torch
from torch import Tensor, nn

from pingda.graph.diffusion import diffuse, main_directions
from pingda.graph.propagation import Propagation
from pingda.graph.sparse import Features, dense
from pingda.graph.view import GraphView

Parts = Literal["encoder", "encoder+ego", "encoder+near", "encoder+ego+near"]


class Readout(nn.Module):
    r"""The encoder's embedding side by side with what needs no training.

    Contrastive training through an encoder that smooths loses some of what the
    features had. Here they stand beside it, each part of unit length:

    .. math::
        z_u = \Big[\, \frac{h_u}{\lVert h_u \rVert} \,\Big\Vert\,
            \frac{x_u V}{\lVert x_u V \rVert} \,\Big\Vert\,
            \frac{r_u}{\lVert r_u \rVert} \,\Big], \qquad R = \mathrm{PPR}(X V)

    with V the leading directions of the features that were trained on (``ego``), and
    their personalised PageRank (``near``). The encoder alone is left as it is.

    Args:
        in_channels: Number of node features f.
        width: Most columns of V.
        parts: Which of them.

    Shapes:
        h [n, d] and view with x [n, f] → [n, d + (number of further parts) · width].
    """

    directions: Tensor | None

    def __init__(self, in_channels: int, width: int, parts: Parts) -> None:
        super().__init__()
        self.parts = parts.split("+")[1:]
        cuts = bool(self.parts) and in_channels > width
        room = torch.zeros(in_channels, width) if cuts else None
        self.register_buffer("directions", room)

    @torch.no_grad()
    def fit(self, x: Features) -> None:
        """Find V; fewer nodes than columns leave the last columns empty."""
        if self.directions is None:
            return
        found = main_directions(x, self.directions.shape[1])
        assert found is not None  # noqa: S101 - there is a buffer only if it cuts
        self.directions.zero_()
        self.directions[:, : found.shape[1]] = found

    def forward(self, h: Tensor, view: GraphView) -> Tensor:
        """Join the parts."""
        if not self.parts:
            return h
        x = dense(view.x) if self.directions is None else view.x @ self.directions
        others = [
            x if part == "ego" else diffuse(Propagation(view), x) for part in self.parts
        ]
        return torch.cat([nn.functional.normalize(z, dim=1) for z in (h, *others)], 1)

"""Who decides on an edge: a score from the features of its two ends."""

import torch
from torch import Tensor, nn

from pingda.graph.sparse import Features, linear


class PairScorer(nn.Module):
    r"""A two-layer perceptron on the concatenated features of two nodes.

    .. math::
        g(u, v) = m^\top \mathrm{ReLU}(W [x_u \Vert x_v] + c) + m_0
                = m^\top \mathrm{ReLU}(W_a x_u + W_b x_v + c) + m_0

    The first layer is split in two halves that are applied once a node and gathered
    for each edge, so the concatenation [e, 2f] never exists.

    Args:
        in_channels: Number of features f.
        hidden: Width of the hidden layer.
        embed: Widths (hidden, out) of a perceptron on each node before the pair is
            formed, as in the released code; None scores the features themselves.
    """

    def __init__(
        self, in_channels: int, hidden: int = 128, embed: tuple[int, int] | None = None
    ) -> None:
        super().__init__()
        self.first: nn.Linear | None = None
        self.second: nn.Linear | None = None
        if embed is not None:
            self.first = nn.Linear(in_channels, embed[0])
            self.second = nn.Linear(*embed)
        pair_channels = in_channels if embed is None else embed[1]
        self.ends = nn.Linear(2 * pair_channels, hidden)
        self.score = nn.Linear(hidden, 1)

    def halves(self, x: Features) -> tuple[Tensor, Tensor]:
        """Return W_a x + c and W_b x for every node, each [n, hidden]."""
        if self.first is not None and self.second is not None:
            x = self.second(torch.relu(linear(x, self.first)))
        source, target = self.ends.weight.chunk(2, dim=1)
        a, b = x @ source.t(), x @ target.t()
        return a + self.ends.bias, b

    def forward(self, x: Features, ends: Tensor, symmetric: bool) -> Tensor:
        """Score pairs of nodes.

        Args:
            x: Node features [n, f].
            ends: The two nodes of each pair, long [2, p].
            symmetric: Average g(u, v) and g(v, u).

        Returns:
            One logit a pair, [p].
        """
        a, b = self.halves(x)
        u, v = ends
        logits = self._score(a, b, u, v)
        if symmetric:
            logits = (logits + self._score(a, b, v, u)) / 2
        return logits

    def _score(self, a: Tensor, b: Tensor, u: Tensor, v: Tensor) -> Tensor:
        # index_select and not a[u]: its gradient is summed in a fixed order, so that
        # equal seeds give equal bits, and many times faster.
        hidden = torch.relu(a.index_select(0, u) + b.index_select(0, v))
        scores: Tensor = self.score(hidden).squeeze(1)
        return scores

"""Who decides on an edge: a score from the features of its two ends."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from pingda.graph.sparse import Features, linear

# Pairs that are gathered at once; what they need is made again backwards.
CHUNK = 8192


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
            x = self.second(linear(x, self.first).relu_())
        source, target = self.ends.weight.chunk(2, dim=1)
        a, b = x @ source.t(), x @ target.t()
        return a.add_(self.ends.bias), b

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
        scores = _scores(a, b, self.score.weight.squeeze(0), ends, symmetric)
        return scores + self.score.bias


class _PairScores(torch.autograd.Function):
    """mᵀ ReLU(a_u + b_v) for each pair, averaged with mᵀ ReLU(a_v + b_u) if symmetric.

    Nothing of size [p, hidden] is kept: memory is O(n hidden + p).
    """

    @staticmethod
    def forward(
        ctx: Any, a: Tensor, b: Tensor, m: Tensor, ends: Tensor, symmetric: bool
    ) -> Tensor:
        ctx.save_for_backward(a, b, m, ends)
        ctx.symmetric = symmetric
        scores = a.new_zeros(ends.shape[1])
        for chunk, u, v in _chunks(ends, symmetric):
            scores[chunk] += _hidden(a, b, u, v) @ m
        return scores.div_(2) if symmetric else scores

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, gradient: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, None, None]:
        a, b, m, ends = ctx.saved_tensors
        by_a, by_b, by_m = (torch.zeros_like(tensor) for tensor in (a, b, m))
        if ctx.symmetric:
            gradient = gradient / 2
        for chunk, u, v in _chunks(ends, ctx.symmetric):
            hidden = _hidden(a, b, u, v)
            by_m.addmv_(hidden.t(), gradient[chunk])
            by_hidden = torch.outer(gradient[chunk], m).mul_(hidden > 0)
            by_a.index_add_(0, u, by_hidden)
            by_b.index_add_(0, v, by_hidden)
        return by_a, by_b, by_m, None, None


_scores: Callable[[Tensor, Tensor, Tensor, Tensor, bool], Tensor] = _PairScores.apply


def _hidden(a: Tensor, b: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return a.index_select(0, u).add_(b.index_select(0, v)).relu_()


def _chunks(ends: Tensor, symmetric: bool) -> Iterator[tuple[slice, Tensor, Tensor]]:
    """Yield chunks of pairs, each in one direction or in both."""
    for start in range(0, ends.shape[1], CHUNK):
        chunk = slice(start, start + CHUNK)
        u, v = ends[:, chunk]
        yield chunk, u, v
        if symmetric:
            yield chunk, v, u

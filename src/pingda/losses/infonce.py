"""The contrastive loss of GRACE and PiNGDA, exact and without an N×N matrix."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import torch
from torch import Generator, Tensor, nn
from torch.autograd.function import once_differentiable

# Rows of a tile of similarities: 512² floats (1 MiB) stay in a core's cache.
TILE = 512

Negatives = Literal["full", "minibatch"]
MINIBATCH = 256  # of the released code


def info_nce(p: Tensor, q: Tensor, tau: float, symmetric: bool = True) -> Tensor:
    r"""Contrast two views of the same nodes; every other node is a negative.

    With s^{ab}_{ij} = cos(a_i, b_j)/τ, one direction is (paper, loss L_π)

    .. math::
        \ell^{p \to q}_i = -s^{pq}_{ii} + \log\Big[\sum_j e^{s^{pq}_{ij}}
            + \sum_{j \ne i} e^{s^{pp}_{ij}}\Big]

    and the loss is the mean of ℓ^{p→q} over nodes, or of both directions.

    Each tile of the similarity matrix is computed, used and forgotten, once forward
    and once backward; the gradient is analytic. Memory: O(n·d + tile²).

    Args:
        p: Projected anchor view, [n, d].
        q: Projected other view, [n, d].
        tau: Temperature τ > 0.
        symmetric: Average both directions.

    Returns:
        The loss, a scalar.
    """
    unit_p, unit_q = (nn.functional.normalize(side, dim=1) for side in (p, q))
    return _tiled(torch.cat([unit_p, unit_q]), tau, symmetric)


def _tiles(nodes: int, symmetric: bool) -> Iterator[tuple[slice, slice, bool]]:
    """List tiles of the 2n×2n similarity matrix S that the loss needs.

    S is symmetric, so a tile above the diagonal serves its mirror image too. One-sided,
    rows of q are no anchors and the tiles among them are left out.

    Yields:
        Rows, columns, and whether the tile lies on the diagonal.
    """
    starts = [
        (start, min(start + TILE, end))
        for begin, end in ((0, nodes), (nodes, 2 * nodes))
        for start in range(begin, end, TILE)
    ]
    for place, (top, bottom) in enumerate(starts):
        if not symmetric and top >= nodes:
            return
        for left, right in starts[place:]:
            yield slice(top, bottom), slice(left, right), left == top


class _TiledInfoNCE(torch.autograd.Function):
    """Loss over unit rows Z = [p; q], [2n, d].

    Similarities are at most 1/τ, so e^{s − 1/τ} never overflows. With D_r the sum of
    e^{s_rc − 1/τ} over c ≠ r, and a_r = 1 for anchors and 0 for others,

        ∂L/∂s_rc = (a_r / |a|) (e^{s_rc − 1/τ}/D_r − [c is r's positive]).
    """

    @staticmethod
    def forward(ctx: Any, z: Tensor, tau: float, symmetric: bool) -> Tensor:
        nodes = z.shape[0] // 2
        sums = z.new_zeros(2 * nodes)
        for rows, columns, diagonal in _tiles(nodes, symmetric):
            tile = _exponentials(z, rows, columns, tau, diagonal)
            sums[rows] += tile.sum(dim=1)
            if not diagonal:
                sums[columns] += tile.sum(dim=0)
        anchors = 2 * nodes if symmetric else nodes
        positives = (z[:nodes] * z[nodes:]).sum(dim=1) / tau
        logs = sums[:anchors].log() + 1 / tau
        loss = logs.mean() - positives.mean()
        ctx.save_for_backward(z, sums)
        ctx.tau, ctx.symmetric = tau, symmetric
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        z, sums = ctx.saved_tensors
        nodes, tau, symmetric = z.shape[0] // 2, ctx.tau, ctx.symmetric
        anchors = 2 * nodes if symmetric else nodes
        share = torch.zeros_like(sums)
        share[:anchors] = 1 / (sums[:anchors] * anchors)
        result = torch.zeros_like(z)
        for rows, columns, diagonal in _tiles(nodes, symmetric):
            tile = _exponentials(z, rows, columns, tau, diagonal)
            tile *= share[rows, None] + share[None, columns]
            result[rows] += tile @ z[columns]
            if not diagonal:
                result[columns] += tile.t() @ z[rows]
        result[:nodes] -= z[nodes:] / nodes
        result[nodes:] -= z[:nodes] / nodes
        return result * (gradient / tau), None, None


_tiled: Callable[[Tensor, float, bool], Tensor] = _TiledInfoNCE.apply


def _exponentials(
    z: Tensor, rows: slice, columns: slice, tau: float, diagonal: bool
) -> Tensor:
    """Return e^{s − 1/τ} of one tile, with 0 where a row meets itself."""
    tile = z[rows] @ z[columns].t()
    tile.sub_(1).div_(tau).exp_()
    if diagonal:
        tile.fill_diagonal_(0)
    return tile


class InfoNCE(nn.Module):
    """The loss with its settings; see :func:`info_nce`.

    Args:
        tau: Temperature.
        symmetric: Average both directions.
        negatives: ``full``: all other nodes; ``minibatch``: the others of a random
            block of 256 nodes, redrawn at each call, as in the released code.
    """

    def __init__(
        self, tau: float, symmetric: bool = True, negatives: Negatives = "full"
    ) -> None:
        super().__init__()
        self.tau, self.symmetric, self.negatives = tau, symmetric, negatives

    def forward(
        self, p: Tensor, q: Tensor, generator: Generator | None = None
    ) -> Tensor:
        """Return the loss of projections p and q, [n, d] each."""
        if self.negatives == "full":
            return info_nce(p, q, self.tau, self.symmetric)
        order = torch.randperm(p.shape[0], generator=generator, device=p.device)
        # index_select and not p[order]: its gradient is summed in a fixed order.
        sides = (side.index_select(0, order).split(MINIBATCH) for side in (p, q))
        blocks = [
            info_nce(p_block, q_block, self.tau, self.symmetric) * len(p_block)
            for p_block, q_block in zip(*sides, strict=True)
        ]
        return torch.stack(blocks).sum() / p.shape[0]

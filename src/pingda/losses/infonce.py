"""The contrastive loss of GRACE and PiNGDA, exact and without an N×N matrix."""

from typing import Literal

import torch
from torch import Generator, Tensor, nn

from pingda.graph.sparse import SparsePattern
from pingda.hardware import Precision
from pingda.losses.rows import agreement, unit_rows
from pingda.losses.similarity import Masks, log_sums

Negatives = Literal["full", "sampled", "minibatch"]
MINIBATCH = 256  # of the released code


def info_nce(
    p: Tensor,
    q: Tensor,
    tau: float,
    symmetric: bool = True,
    groups: Tensor | None = None,
    positives: SparsePattern | None = None,
    precision: Precision = "fp32",
) -> Tensor:
    r"""Contrast two views of the same nodes; every other node is a negative.

    With s^{ab}_{ij} = cos(a_i, b_j)/τ, one direction is (paper, loss L_π)

    .. math::
        \ell^{p \to q}_i = -s^{pq}_{ii} + \log\Big[\sum_j e^{s^{pq}_{ij}}
            + \sum_{j \ne i} e^{s^{pp}_{ij}}\Big]

    and the loss is the mean of ℓ^{p→q} over nodes, or of both directions.

    Args:
        p: Projected anchor view, [n, d].
        q: Projected other view, [n, d].
        tau: Temperature τ ≥ 0.025.
        symmetric: Average both directions.
        groups: Graph of each node, long [n]; only nodes of the same graph are
            negatives. None: one graph.
        positives: Further positives: the mean of s^{pq} over the row's entries and the
            node itself takes the place of s_{ii}. An [n, n] pattern.
        precision: Type of the products, see :func:`log_sums`.

    Returns:
        The loss, a scalar.
    """
    both = unit_rows(p, q)
    attraction = _attraction(both, tau, symmetric, positives)
    if symmetric:
        twice = None if groups is None else torch.cat([groups, groups])
        masks = Masks(row_groups=twice, column_groups=twice)
        sums, _ = log_sums(both, None, tau, masks, precision)
        return sums.mean() - attraction
    own = torch.arange(len(p), device=p.device)
    masks = Masks(
        row_ids=own,
        column_ids=torch.cat([own, own + len(p)]),
        row_groups=groups,
        column_groups=None if groups is None else torch.cat([groups, groups]),
    )
    sums, _ = log_sums(both[: len(p)], both, tau, masks, precision)
    return sums.mean() - attraction


def _attraction(
    both: Tensor, tau: float, symmetric: bool, positives: SparsePattern | None
) -> Tensor:
    """Return the mean similarity of unit rows [2n, d] to their positives over τ."""
    own = agreement(both)
    if positives is None:
        return own.mean() / tau
    p, q = both.chunk(2)
    rows, columns = positives.rows, positives.columns
    count = positives.pointers.diff() + 1
    total = torch.zeros_like(own)
    for anchor, other in ((p, q), (q, p))[: 2 if symmetric else 1]:
        pairs = anchor.index_select(0, rows) * other.index_select(0, columns)
        total = total + (own.index_add(0, rows, pairs.sum(dim=1))) / count
    return total.mean() / (tau * (2 if symmetric else 1))


def sampled_info_nce(
    p: Tensor,
    q: Tensor,
    tau: float,
    count: int,
    symmetric: bool = True,
    precision: Precision = "fp32",
    generator: Generator | None = None,
) -> Tensor:
    r"""Estimate :func:`info_nce` from ``count`` nodes that all anchors share.

    The nodes M are drawn without replacement. For an anchor i, the negatives' sum is

    .. math::
        \frac{n - 1}{|M \setminus \{i\}|} \sum_{j \in M \setminus \{i\}}
            \big(e^{s^{pq}_{ij}} + e^{s^{pp}_{ij}}\big)

    whose expectation is the full sum. Time and memory are O(n |M| d) and O(n d).

    Args:
        p: Projected anchor view, [n, d].
        q: Projected other view, [n, d].
        tau: Temperature.
        count: |M|, at least 2; from n on, the loss is the full one.
        symmetric: Average both directions.
        precision: Type of the products.
        generator: Draws M.
    """
    nodes = len(p)
    if count >= nodes:
        return info_nce(p, q, tau, symmetric, precision=precision)
    both = unit_rows(p, q)
    chosen = torch.randperm(nodes, generator=generator, device=p.device)[:count]
    own = torch.arange(nodes, device=p.device)
    columns = both.index_select(0, torch.cat([chosen, chosen + nodes]))
    rows, row_ids = (both, own.repeat(2)) if symmetric else (both[:nodes], own)
    masks = Masks(row_ids=row_ids, column_ids=chosen.repeat(2))
    sums, _ = log_sums(rows, columns, tau, masks, precision)
    others = torch.full((nodes,), float(count), dtype=p.dtype, device=p.device)
    others[chosen] -= 1
    scale = torch.log((nodes - 1) / others).repeat(2 if symmetric else 1)
    positive = agreement(both) / tau
    anchored = positive.repeat(2 if symmetric else 1)
    return torch.logaddexp(anchored, sums + scale).mean() - positive.mean()


class InfoNCE(nn.Module):
    """The loss with its settings; see :func:`info_nce`.

    Args:
        tau: Temperature.
        symmetric: Average both directions.
        negatives: ``full``: all other nodes. ``sampled``: an unbiased estimate of
            their sum from ``samples`` shared nodes. ``minibatch``: the others of a
            random block of 256 nodes, as in the released code.
        samples: Number of shared nodes.
        precision: Type of the products.
    """

    def __init__(
        self,
        tau: float,
        symmetric: bool = True,
        negatives: Negatives = "full",
        samples: int = 1024,
        precision: Precision = "fp32",
    ) -> None:
        super().__init__()
        self.tau, self.symmetric, self.negatives = tau, symmetric, negatives
        self.samples, self.precision = samples, precision

    def forward(
        self, p: Tensor, q: Tensor, generator: Generator | None = None
    ) -> Tensor:
        """Return the loss of projections p and q, [n, d] each."""
        if self.negatives == "full":
            return self._among_all(p, q)
        if self.negatives == "sampled":
            return sampled_info_nce(
                p,
                q,
                self.tau,
                self.samples,
                self.symmetric,
                self.precision,
                generator,
            )
        order = torch.randperm(len(p), generator=generator, device=p.device)
        # index_select and not p[order]: its gradient is summed in a fixed order.
        sides = (side.index_select(0, order).split(MINIBATCH) for side in (p, q))
        blocks = [
            self._among_all(p_block, q_block) * len(p_block)
            for p_block, q_block in zip(*sides, strict=True)
        ]
        return torch.stack(blocks).sum() / len(p)

    def _among_all(self, p: Tensor, q: Tensor) -> Tensor:
        return info_nce(p, q, self.tau, self.symmetric, precision=self.precision)

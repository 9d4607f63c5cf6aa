"""One step of message passing with weights that gradients reach."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pingda.graph.sparse import (
    SparsePattern,
    product,
    sampled_product,
    transposed_product,
)
from pingda.graph.view import GraphView


class Propagation:
    r"""The symmetrically normalised adjacency of a view, self-loops included.

    .. math::
        \hat A_{vu} = \frac{w_{uv}}{\sqrt{d_v d_u}}, \quad
        \hat A_{vv} = \frac{1}{d_v}, \quad d_v = 1 + \sum_u w_{uv}

    The self-loop has weight 1 and is added here, after all noise, so no noise can
    touch it and no degree can be 0. Gradients flow through the degrees as well. It is
    computed once a view and serves all layers.

    Args:
        view: Edges and weights; ``degree_weight`` replaces the weights in d.
    """

    def __init__(self, view: GraphView) -> None:
        structure = view.structure
        self.pattern = structure.pattern
        weights = structure.sort(view.weights())
        for_degrees = weights
        if view.degree_weight is not None:
            for_degrees = structure.sort(view.degree_weight)
        rows, columns = self.pattern.rows, self.pattern.columns
        degrees = torch.ones(view.nodes, dtype=weights.dtype, device=weights.device)
        scale = degrees.index_add(0, rows, for_degrees).rsqrt()
        ends = scale.index_select(0, rows), scale.index_select(0, columns)
        self.values = ends[0] * weights * ends[1]
        self.loops = scale.square()

    def __call__(
        self, h: Tensor, bias: Tensor | None = None, rows: int | None = None
    ) -> Tensor:
        """Return Â H + 1 bᵀ for H [n, d] and b [d], [n, d].

        Args:
            h: H. If only the first rows are wanted, those that they need will do.
            bias: b.
            rows: How many of the first rows are wanted; None: all.
        """
        rows = len(h) if rows is None else rows
        pattern = self.pattern.head(rows, len(h))
        values = self.values[: pattern.columns.numel()]
        return _propagate(values, self.loops[:rows], h, bias, pattern)


class _Propagate(torch.autograd.Function):
    """Y = S H + diag(l) H + 1 bᵀ, with one tensor [n, d] for all of it.

    ∂H = Sᵀ ∂Y + diag(l) ∂Y, ∂s_rc = ⟨∂Y_r, H_c⟩, ∂l_r = ⟨∂Y_r, H_r⟩, ∂b = Σ_r ∂Y_r.
    """

    @staticmethod
    def forward(
        ctx: Any,
        values: Tensor,
        loops: Tensor,
        h: Tensor,
        bias: Tensor | None,
        pattern: SparsePattern,
    ) -> Tensor:
        learned = ctx.needs_input_grad[0] or ctx.needs_input_grad[1]
        ctx.save_for_backward(values, loops, h if learned else None)
        ctx.pattern = pattern
        result = product(pattern, values, h).addcmul_(h[: len(loops)], loops[:, None])
        return result if bias is None else result.add_(bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        values, loops, h = ctx.saved_tensors
        pattern: SparsePattern = ctx.pattern
        by_values, by_loops, by_h, by_bias = None, None, None, None
        if ctx.needs_input_grad[0]:
            by_values = sampled_product(pattern, gradient, h)
        if ctx.needs_input_grad[1]:
            by_loops = torch.linalg.vecdot(gradient, h[: len(loops)])
        if ctx.needs_input_grad[2]:
            by_h = transposed_product(pattern, values, gradient)
            by_h[: len(loops)].addcmul_(gradient, loops[:, None])
        if ctx.needs_input_grad[3]:
            by_bias = gradient.sum(dim=0)
        return by_values, by_loops, by_h, by_bias, None


_propagate: Callable[[Tensor, Tensor, Tensor, Tensor | None, SparsePattern], Tensor] = (
    _Propagate.apply
)

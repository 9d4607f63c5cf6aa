"""One step of message passing with weights that gradients reach."""

import torch
from torch import Tensor

from pingda.graph.sparse import multiply
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
        self.loops = scale.square()[:, None]

    def __call__(self, h: Tensor) -> Tensor:
        """Return Â H for H [n, d], [n, d]."""
        return multiply(self.pattern, self.values, h) + self.loops * h

"""Normalised propagation with dense matrices."""

import torch
from torch import Tensor


def normalised_adjacency(
    edge_index: Tensor, weight: Tensor, nodes: int, degree_weight: Tensor | None = None
) -> Tensor:
    """Return Â [n, n]; row v sums over the edges that end in v."""
    adjacency = _dense(edge_index, weight, nodes)
    counted = _dense(
        edge_index, weight if degree_weight is None else degree_weight, nodes
    )
    degree = 1 + counted.sum(dim=1)
    scale = torch.diag(degree**-0.5)
    return scale @ (adjacency + torch.eye(nodes, dtype=weight.dtype)) @ scale


def _dense(edge_index: Tensor, weight: Tensor, nodes: int) -> Tensor:
    adjacency = torch.zeros(nodes, nodes, dtype=weight.dtype)
    for edge in range(edge_index.shape[1]):
        u, v = edge_index[:, edge].tolist()
        adjacency = adjacency.clone()
        adjacency[v, u] = adjacency[v, u] + weight[edge]
    return adjacency

"""Which edges a method learns from: the given ones, and edges between similar nodes.

Given edges need not join nodes of a kind: on web pages of a university, most do not.
Edges between nearest neighbours are further ground for noise to choose from.
"""

from typing import Literal

import torch
from torch import Tensor

from pingda.errors import PingdaError
from pingda.graph.diffusion import diffuse, reduced
from pingda.graph.propagation import Propagation
from pingda.graph.view import GraphView

Topology = Literal["given", "both", "similar"]
Similarity = Literal["features", "propagated"]

# All pairs are compared, so time grows with the square of the number of nodes.
LARGEST = 200_000
WIDTH = 256
# Similarities that are held at once.
TILE = 1 << 24


def extended(
    view: GraphView, topology: Topology, similarity: Similarity, neighbours: int
) -> GraphView:
    """Return the view with the edges that were asked for.

    Args:
        view: The graph as it is given.
        topology: ``given`` edges, edges to ``similar`` nodes, or ``both``.
        similarity: Compare nodes by the cosine of their ``features`` or of their
            features ``propagated`` over the given edges.
        neighbours: Most similar nodes that each node is joined to.

    Raises:
        PingdaError: The graph is too large to compare all pairs of nodes.
    """
    if topology == "given":
        return view
    if view.nodes > LARGEST:
        raise PingdaError(
            f"topology={topology} compares all pairs of nodes, which is meant for up "
            f"to {LARGEST} of them, and the graph has {view.nodes}; use topology=given"
        )
    z = reduced(view.x, WIDTH)
    if similarity == "propagated":
        z = diffuse(Propagation(view), z)
    added = joined(nearest(z, neighbours), view.nodes)
    if topology == "similar":
        return GraphView(view.x, added)
    return _united(view, added)


def nearest(z: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the nodes of largest cosine to each node, itself left out.

    Args:
        z: One row a node, [n, d]. Nodes with an empty row are nobody's neighbours.
        count: How many, at most.

    Returns:
        A node, and one that is similar to it, of each pair: long [p] and [p].
    """
    count = min(count, len(z) - 1)
    unit = torch.nn.functional.normalize(z, dim=1)
    every = torch.arange(len(z), device=z.device)
    found = []
    for rows in every.split(max(1, TILE // len(z))):
        cosines = unit[rows] @ unit.t()
        cosines[torch.arange(len(rows), device=z.device), rows] = -1
        best = cosines.topk(count, dim=1)
        row, column = (best.values > 0).nonzero(as_tuple=True)
        found.append(torch.stack([rows[row], best.indices[row, column]]))
    node, similar = torch.cat(found, dim=1)
    return node, similar


def joined(pairs: tuple[Tensor, Tensor], nodes: int) -> Tensor:
    """Return edges in both directions between pairs of nodes, each once, [2, e]."""
    a, b = pairs
    keys = torch.unique(torch.cat([b * nodes + a, a * nodes + b]))
    return torch.stack([keys % nodes, keys // nodes])


def _united(view: GraphView, added: Tensor) -> GraphView:
    """Return the view with further edges of weight 1, where there were none."""
    source, target = view.edge_index
    there = target * view.nodes + source
    new = added[:, ~torch.isin(added[1] * view.nodes + added[0], there)]
    edges = torch.cat([view.edge_index, new], dim=1)
    if view.edge_weight is None:
        return GraphView(view.x, edges)
    ones = view.edge_weight.new_ones(new.shape[1])
    return GraphView(view.x, edges, torch.cat([view.edge_weight, ones]))

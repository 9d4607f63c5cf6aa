"""The fixed shape of a graph: its edges in the orders that the kernels need."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pingda.graph.sparse import SparsePattern


@dataclass(frozen=True, eq=False)
class EdgeStructure:
    """Edges ⟨u→v⟩ sorted by target, and their undirected pairs.

    Weights of edges change at every step and the structure never does, so all sorting
    is done once.

    Args:
        edge_index: Source and target of each edge, long [2, e].
        nodes: Number of nodes n.
    """

    edge_index: Tensor
    nodes: int

    @cached_property
    def order(self) -> Tensor | None:
        """Edge at each place of the sorted pattern; None if they are sorted."""
        source, target = self.edge_index
        order = torch.argsort(target * self.nodes + source, stable=True)
        identity = torch.arange(order.numel(), device=order.device)
        return None if torch.equal(order, identity) else order

    @cached_property
    def pattern(self) -> SparsePattern:
        """The matrix [n, n] whose row v holds the edges that end in v.

        Its product with H [n, d] sums the messages of v's neighbours.
        """
        source, target = (self.sort(end) for end in self.edge_index)
        return SparsePattern.of_entries(target, source, (self.nodes, self.nodes))

    @cached_property
    def pairing(self) -> tuple[Tensor, Tensor]:
        """Undirected pairs {u, v}, long [2, p], and the pair of each edge, long [e].

        Both directions of an edge, and repeated edges, share one pair.
        """
        low, high = self.edge_index.min(dim=0).values, self.edge_index.max(dim=0).values
        keys, pair_of_edge = torch.unique(low * self.nodes + high, return_inverse=True)
        return torch.stack([keys // self.nodes, keys % self.nodes]), pair_of_edge

    @cached_property
    def keys(self) -> Tensor:
        """A number for each place of the pattern, ascending: target · n + source."""
        return self.pattern.rows * self.nodes + self.pattern.columns

    def sort(self, per_edge: Tensor) -> Tensor:
        """Bring values of edges [e] from the caller's order into the pattern's."""
        return per_edge if self.order is None else per_edge.index_select(0, self.order)

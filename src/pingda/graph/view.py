"""What noise returns and encoders read: one view of a graph."""

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import torch
from torch import Tensor

from pingda.errors import PingdaError
from pingda.graph.sparse import Features, SparseFeatures, dense, select_rows
from pingda.graph.structure import EdgeStructure


class GraphLike(Protocol):
    """Anything with features and edges, such as PyG's ``Data``."""

    x: Any
    edge_index: Any


@dataclass(frozen=True, eq=False)
class GraphView:
    """One view of a graph, clean or noisy. Labels have no place in it.

    Args:
        x: Node features [n, f], dense or sparse.
        edge_index: Source and target of each edge, long [2, e].
        edge_weight: Weight of each edge [e]; None means 1.
        batch: Graph of each node, long [n]; None means one graph.
        degree_weight: Weights from which degrees are computed; None means
            ``edge_weight`` itself.
        hops: Of a batch: how many of the first nodes are within 0, 1, … hops of those
            that count in a loss; None: every node counts.
        origin: Node of the whole graph that each node is, long [n]; None: the same.
        shared: The sorted edges, made once and handed on to derived views.
    """

    x: Features
    edge_index: Tensor
    edge_weight: Tensor | None = None
    batch: Tensor | None = None
    degree_weight: Tensor | None = None
    hops: tuple[int, ...] | None = None
    origin: Tensor | None = None
    shared: EdgeStructure | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.shared is None:
            object.__setattr__(
                self, "shared", EdgeStructure(self.edge_index, self.nodes)
            )

    @property
    def structure(self) -> EdgeStructure:
        """The sorted edges, the same object for all views of one graph."""
        assert self.shared is not None  # noqa: S101 - set in __post_init__
        return self.shared

    @property
    def nodes(self) -> int:
        """Number of nodes n."""
        return int(self.x.shape[0])

    @classmethod
    def of(cls, graph: "GraphLike | GraphView") -> "GraphView":
        """Return a view of anything that has features and edges.

        Args:
            graph: A view (returned as it is) or, for example, a PyG ``Data``.
        """
        if isinstance(graph, GraphView):
            return graph
        if graph.x is None or graph.edge_index is None:
            raise PingdaError("a view needs x and edge_index; the graph has None there")
        return cls(
            x=graph.x,
            edge_index=graph.edge_index,
            edge_weight=getattr(graph, "edge_weight", None),
            batch=getattr(graph, "batch", None),
        )

    def within(self, hops: int) -> int:
        """Return how many of the first nodes are within so many hops of the seeds."""
        if self.hops is None:
            return self.nodes
        return self.hops[min(hops, len(self.hops) - 1)]

    def part(self, nodes: Tensor, edges: Tensor, edge_index: Tensor) -> "GraphView":
        """Return a view of some nodes and edges.

        Args:
            nodes: The nodes, long [m].
            edges: The edges, long [k].
            edge_index: The same edges among the chosen nodes, 0 … m−1, long [2, k].
        """
        weight = self.edge_weight
        return GraphView(
            x=select_rows(self.x, nodes),
            edge_index=edge_index,
            edge_weight=None if weight is None else weight.index_select(0, edges),
            origin=nodes,
        )

    def with_features(self, x: Features) -> "GraphView":
        """Return the view with other features of the same nodes."""
        return replace(self, x=x)

    def with_edge_weight(
        self, edge_weight: Tensor, degree_weight: Tensor | None = None
    ) -> "GraphView":
        """Return the view with other weights on the same edges."""
        return replace(self, edge_weight=edge_weight, degree_weight=degree_weight)

    def weights(self) -> Tensor:
        """Return the weight of each edge [e], ones where none are given."""
        if self.edge_weight is not None:
            return self.edge_weight
        dtype = self.x.dtype
        return torch.ones(
            self.edge_index.shape[1], dtype=dtype, device=self.edge_index.device
        )

    def to(self, device: torch.device) -> "GraphView":
        """Return the view on another device; it is the same one if it is there."""
        if self.edge_index.device == device:
            return self

        def move(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor.to(device)

        x = self.x if isinstance(self.x, SparseFeatures) else dense(self.x)
        return GraphView(
            x=x.to(device),
            edge_index=self.edge_index.to(device),
            edge_weight=move(self.edge_weight),
            batch=move(self.batch),
            degree_weight=move(self.degree_weight),
            hops=self.hops,
            origin=move(self.origin),
        )

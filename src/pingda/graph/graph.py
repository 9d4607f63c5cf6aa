"""A graph as it comes from its source, with everything that is known of it."""

import hashlib
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pingda.graph.sparse import SparseFeatures, StoredFeatures
from pingda.graph.view import GraphView

UNLABELLED = -1


@dataclass(frozen=True, eq=False)
class Graph:
    """One graph: features, edges, and labels where somebody gave them.

    Args:
        name: What the user calls it.
        x: Node features [n, f], dense or sparse.
        edge_index: Source and target of each edge, long [2, e]; an undirected edge
            stands there in both directions.
        y: Class of each node, long [n], −1 where unknown; None without labels.
        edge_weight: Weight of each edge [e]; None means 1.
        ids: The user's identifiers [n]; None means 0 … n−1.
        transforms: What was done to the source's data, in order.
        benchmark: Whether it is a published benchmark, to be evaluated as it is.
    """

    name: str
    x: StoredFeatures
    edge_index: Tensor
    y: Tensor | None = None
    edge_weight: Tensor | None = None
    ids: np.ndarray | None = None
    transforms: tuple[str, ...] = ()
    benchmark: bool = False

    @property
    def nodes(self) -> int:
        """Number of nodes n."""
        return int(self.x.shape[0])

    @property
    def features(self) -> int:
        """Number of feature columns f."""
        return int(self.x.shape[1])

    @property
    def edges(self) -> int:
        """Number of undirected edges: pairs {u, v} joined in either direction."""
        low, high = self.edge_index.min(dim=0).values, self.edge_index.max(dim=0).values
        return int(torch.unique(low * self.nodes + high).numel())

    @property
    def classes(self) -> int:
        """Number of classes that occur; 0 without labels."""
        if self.y is None:
            return 0
        return int(torch.unique(self.y[self.y != UNLABELLED]).numel())

    def identifiers(self) -> np.ndarray:
        """Return the user's identifiers, or 0 … n−1."""
        return np.arange(self.nodes) if self.ids is None else self.ids

    def view(self) -> GraphView:
        """Return what encoders may see: everything but the labels."""
        return GraphView(self.x, self.edge_index, self.edge_weight)

    def fingerprint(self) -> str:
        """Return a short hash of the features and edges, equal for equal graphs."""
        digest = hashlib.sha256(str(tuple(self.x.shape)).encode())
        parts: list[Tensor | None] = [self.edge_index, self.edge_weight]
        if isinstance(self.x, SparseFeatures):
            parts += [self.x.pattern.pointers, self.x.pattern.columns, self.x.values]
        else:
            parts.append(self.x)
        for part in parts:
            if part is not None:
                digest.update(np.ascontiguousarray(part.cpu().numpy()).tobytes())
        return digest.hexdigest()[:16]

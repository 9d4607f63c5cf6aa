"""The graphs that are measured: real ones, and generated ones of any size."""

from dataclasses import dataclass

import torch
from torch import Tensor

from pingda.graph import Graph
from pingda.graph.source import load_source

FEATURES = 128  # of a generated graph, as in ogbn-arxiv
EDGES_PER_NODE = 6.9  # undirected, as in ogbn-arxiv
REAL = {"digits": 1797, "cora": 2708, "pubmed": 19717, "physics": 34493}
SOURCES = {name: name for name in REAL} | {"physics": "coauthor-physics"}


@dataclass(frozen=True)
class Case:
    """A graph to be measured on, by name.

    A real one, ``generated-NODES``, or ``generated-NODESxEDGES_PER_NODE``.
    """

    name: str

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        if self.name in REAL:
            return REAL[self.name]
        return int(self._generated[0])

    def load(self) -> Graph:
        """Load or generate the graph."""
        if self.name in SOURCES:
            return load_source(SOURCES[self.name])
        return generate(self.nodes, round(self._generated[1] * self.nodes))

    @property
    def _generated(self) -> tuple[float, float]:
        """Nodes, and edges a node, of a generated graph."""
        nodes, _, edges = self.name.removeprefix("generated-").partition("x")
        return float(nodes), float(edges or EDGES_PER_NODE)


def generate(nodes: int, edges: int, seed: int = 0) -> Graph:
    """Return a random graph with skewed degrees and dense features.

    Args:
        nodes: Number of nodes n.
        edges: Undirected edges that are drawn; repeated ones and self-loops drop out.
        seed: Seed of the draws.
    """
    generator = torch.Generator().manual_seed(seed)
    u = torch.randint(nodes, (edges,), generator=generator)
    # Squaring a uniform number makes low-numbered nodes the popular ones.
    v = (torch.rand(edges, generator=generator).square() * nodes).long()
    low, high = torch.minimum(u, v), torch.maximum(u, v)
    keys = torch.unique((low * nodes + high)[low != high])
    edge_index = symmetric(keys // nodes, keys % nodes, nodes)
    x = torch.randn(nodes, FEATURES, generator=generator)
    return Graph(f"generated-{nodes}", x, edge_index)


def symmetric(low: Tensor, high: Tensor, nodes: int) -> Tensor:
    """Return both directions of each pair, sorted by target, then source."""
    source, target = torch.cat([low, high]), torch.cat([high, low])
    order = torch.argsort(target * nodes + source)
    return torch.stack([source[order], target[order]])

"""Batches that are parts of the graph with few edges between them (METIS)."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Generator, Tensor

from pingda.errors import PingdaError
from pingda.graph.structure import EdgeStructure
from pingda.graph.view import GraphView


def partition(view: GraphView, parts: int) -> Tensor:
    """Return the part of each node, long [n].

    Raises:
        PingdaError: pymetis is not installed.
    """
    try:
        import pymetis  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise PingdaError(
            "parts of a graph need pymetis: pip install 'pingda[parts]', or use "
            "--set batch=1024 for neighbour batches"
        ) from error
    pairs, _ = view.structure.pairing
    both = torch.cat([pairs, pairs.flip(0)], dim=1)
    pattern = EdgeStructure(both, view.nodes).pattern
    adjacency = pymetis.CSRAdjacency(pattern.pointers.numpy(), pattern.columns.numpy())
    _, membership = pymetis.part_graph(parts, adjacency)
    return torch.as_tensor(np.asarray(membership), dtype=torch.long)


class PartitionBatches:
    """The parts of a graph in random order, each with all edges inside it.

    Args:
        view: The whole graph, on the CPU.
        parts: Number of parts.
        generator: Source of the order, on the CPU.
        device: Where the batches go.
    """

    def __init__(
        self, view: GraphView, parts: int, generator: Generator, device: torch.device
    ) -> None:
        self.view, self.generator, self.device = view, generator, device
        member = partition(view, parts)
        source, target = view.edge_index
        inside = (member[source] == member[target]).nonzero().squeeze(1)
        nodes = _grouped(member, parts)
        edges = [inside[e] for e in _grouped(member[source[inside]], parts)]
        # A part of one node has no negatives.
        self.parts = [(n, e) for n, e in zip(nodes, edges, strict=True) if len(n) > 1]

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[GraphView]:
        place = torch.empty(self.view.nodes, dtype=torch.long)
        for part in torch.randperm(len(self.parts), generator=self.generator).tolist():
            nodes, edges = self.parts[part]
            place[nodes] = torch.arange(len(nodes))
            edge_index = place[self.view.edge_index[:, edges]]
            yield self.view.part(nodes, edges, edge_index).to(self.device)


def _grouped(groups: Tensor, count: int) -> tuple[Tensor, ...]:
    """Return the places [·] of each of ``count`` groups, ascending."""
    sizes = groups.bincount(minlength=count).tolist()
    groups_of: tuple[Tensor, ...] = torch.argsort(groups, stable=True).split(sizes)
    return groups_of

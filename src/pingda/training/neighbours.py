"""Batches of nodes with some of their neighbours, for graphs that do not fit at once.

PyG's own sampler needs a compiled extension. This one is plain tensor arithmetic on
compressed rows behind the same interface, so PyG's loader works with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import torch
from torch import Generator, Tensor
from torch_geometric.data.data import Data
from torch_geometric.loader.node_loader import NodeLoader
from torch_geometric.sampler.base import BaseSampler, NodeSamplerInput, SamplerOutput
from torch_geometric.sampler.neighbor_sampler import NeighborSampler
from torch_geometric.typing import WITH_PYG_LIB

from pingda import processes
from pingda.graph.structure import EdgeStructure
from pingda.graph.view import GraphView


def compiled_sampler(
    structure: EdgeStructure, fanout: Sequence[int]
) -> BaseSampler | None:
    """Return PyG's own sampler where its compiled extension (pyg-lib) is installed."""
    if not WITH_PYG_LIB:
        return None
    pattern = structure.pattern
    edges = torch.stack([pattern.columns, pattern.rows])
    data = Data(edge_index=edges, num_nodes=structure.nodes)
    return NeighborSampler(data, list(fanout), is_sorted=True)


TINY = 1e-12


class NeighbourSampler(BaseSampler):
    """Samples incoming edges of the seeds, then of the nodes found, and so on.

    A node with no more than k neighbours gives all of them; otherwise k draws with
    replacement are made and repeated ones count once. The outermost nodes, which nobody
    samples for, get the reverse of the edges that led to them: their degrees, noise
    included, are estimated from those.

    Args:
        structure: The edges.
        fanout: k of each hop.
        generator: Source of the draws, on the CPU.
    """

    def __init__(
        self, structure: EdgeStructure, fanout: Sequence[int], generator: Generator
    ) -> None:
        self.structure = structure
        self.fanout = fanout
        self.generator = generator
        self.compiled = compiled_sampler(structure, fanout)
        self.place = torch.full((structure.nodes,), -1)

    def sample_from_nodes(
        self, index: NodeSamplerInput, **_options: Any
    ) -> SamplerOutput:
        """Return the nodes, hop by hop, and the edges among them.

        ``edge`` counts in the order of the sorted pattern.
        """
        node, edge, found = self.walk(index)
        pattern, place = self.structure.pattern, self.place
        place[node] = torch.arange(len(node))
        outwards = edge[place[pattern.columns[edge]] >= len(node) - found[-1]]
        edge = torch.unique(torch.cat([edge, self.reverse(outwards)]))
        row, col = place[pattern.columns[edge]], place[pattern.rows[edge]]
        place[node] = -1
        return SamplerOutput(
            node,
            row,
            col,
            edge,
            num_sampled_nodes=found,
            metadata=(index.input_id, None),
        )

    def sample_from_edges(self, *_words: Any, **_options: Any) -> SamplerOutput:
        """Refuse: no method here learns from edges."""
        raise TypeError("only nodes can be sampled")

    def walk(self, index: NodeSamplerInput) -> tuple[Tensor, Tensor, list[int]]:
        """Return the nodes, the edges that led there, and the new nodes of each hop."""
        if self.compiled is not None:
            drawn = int(torch.randint(2**62, (), generator=self.generator))
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(drawn)  # the extension knows the global source alone
                found: Any = self.compiled.sample_from_nodes(index)
            return found.node, found.edge, found.num_sampled_nodes
        place, frontier = self.place, index.node
        nodes, edges = [frontier], []
        place[frontier] = 0
        for count in self.fanout:
            edges.append(self.incoming(frontier, count))
            sources = self.structure.pattern.columns[edges[-1]]
            frontier = torch.unique(sources[place[sources] < 0])
            place[frontier] = 0
            nodes.append(frontier)
        node = torch.cat(nodes)
        place[node] = -1
        return node, torch.cat(edges), [len(new) for new in nodes]

    def incoming(self, nodes: Tensor, count: int) -> Tensor:
        """Return the places of at most ``count`` incoming edges of each node."""
        pointers = self.structure.pattern.pointers
        begin = pointers[nodes]
        degree = pointers[nodes + 1] - begin
        draws = torch.rand(len(nodes), count, generator=self.generator)
        every = torch.arange(count).expand(len(nodes), count)
        offset = torch.where(
            degree[:, None] > count, (draws * degree[:, None]).long(), every
        )
        return (begin[:, None] + offset)[offset < degree[:, None]]

    def reverse(self, edges: Tensor) -> Tensor:
        """Return the places of the reverse edges, where the graph has them."""
        pattern, keys = self.structure.pattern, self.structure.keys
        wanted = pattern.columns[edges] * self.structure.nodes + pattern.rows[edges]
        found = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
        return found[keys[found] == wanted]


class NeighbourBatches:
    """All nodes in random order, in batches of seeds with sampled neighbours.

    Several processes take the same order, and each a share of every batch's seeds with
    neighbours of its own; up to so many seeds are left out of the last batch.

    Args:
        view: The whole graph, on the CPU.
        size: Seeds in a batch, of all processes together.
        fanout: Sampled neighbours of each hop.
        generator: Source of order and draws, on the CPU.
        device: Where the batches go.
    """

    def __init__(
        self,
        view: GraphView,
        size: int,
        fanout: Sequence[int],
        generator: Generator,
        device: torch.device,
    ) -> None:
        self.view, self.size, self.device = view, size, device
        self.generator = generator
        self.sampler = NeighbourSampler(view.structure, fanout, Generator())
        weights = view.weights()
        self.entering = weights.new_zeros(view.nodes)
        self.entering.index_add_(0, view.edge_index[1], weights)
        self.data = Data(edge_index=view.edge_index, num_nodes=view.nodes)

    def __len__(self) -> int:
        whole, rest = divmod(self.view.nodes, self.size)
        return whole * self.counts(self.size) + self.counts(rest)

    def counts(self, seeds: int) -> bool:
        """Tell whether so many seeds make a batch: one alone has no negatives."""
        return seeds // processes.count() * processes.count() > 1

    def shares(self, order: Tensor) -> list[list[int]]:
        """Return this process's seeds of each batch; every process has as many."""
        count, mine = processes.count(), processes.rank()
        whole = (
            batch[: len(batch) // count * count] for batch in order.split(self.size)
        )
        return [batch[mine::count].tolist() for batch in whole if len(batch) > 1]

    def __iter__(self) -> Iterator[GraphView]:
        order = torch.randperm(self.view.nodes, generator=self.generator)
        drawn = int(torch.randint(2**62, (), generator=self.generator))
        self.sampler.generator.manual_seed(drawn + processes.rank())
        loader = NodeLoader(
            self.data,
            self.sampler,
            batch_sampler=self.shares(order),
            generator=self.sampler.generator,
        )
        places = self.view.structure.order
        for batch in loader:
            edges = batch.e_id if places is None else places[batch.e_id]
            part = self.view.part(batch.n_id, edges, batch.edge_index)
            part = part.with_edge_weight(self.upscaled(part, batch.n_id))
            hops = tuple(accumulate(batch.num_sampled_nodes))
            yield replace(part, hops=hops).to(self.device)

    def upscaled(self, part: GraphView, nodes: Tensor) -> Tensor:
        """Weigh sampled edges so that they stand for all edges of their target.

        The weight that enters a node in the whole graph over the sampled one is the
        factor, so propagation and its degrees estimate those of the whole graph.
        """
        weights, target = part.weights(), part.edge_index[1]
        sampled = weights.new_zeros(part.nodes).index_add_(0, target, weights)
        factor = self.entering.index_select(0, nodes) / sampled.clamp(min=TINY)
        return weights * factor.index_select(0, target)

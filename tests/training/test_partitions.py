import sys

import pytest
import torch
from torch import Generator

from conftest import make_toy
from pingda.errors import PingdaError
from pingda.graph import Graph, GraphView
from pingda.training.partitions import PartitionBatches, partition

CPU = torch.device("cpu")


def test_parts_are_balanced_and_cut_few_edges(cora: Graph) -> None:
    member = partition(cora.view(), 8)
    sizes = member.bincount(minlength=8)
    assert int(sizes.min()) > 0.8 * 2708 / 8
    assert int(sizes.max()) < 1.2 * 2708 / 8
    source, target = cora.edge_index
    cut = float((member[source] != member[target]).float().mean())
    assert cut < 0.2  # a random division cuts 7 of 8


def test_an_epoch_has_every_node_and_every_inner_edge_once() -> None:
    view = make_toy().view()
    weighted = view.with_edge_weight(torch.arange(view.edge_index.shape[1]) + 1.0)
    member = partition(weighted, 3)
    batches = PartitionBatches(weighted, 3, Generator().manual_seed(0), CPU)
    nodes, edges = [], []
    for batch in batches:
        assert batch.origin is not None
        assert batch.hops is None  # every node counts in the loss
        nodes += batch.origin.tolist()
        there = batch.origin[batch.edge_index]
        edges += (batch.weights().long() - 1).tolist()
        assert torch.equal(there, view.edge_index[:, batch.weights().long() - 1])
    assert sorted(nodes) == list(range(60))
    source, target = view.edge_index
    inner = (member[source] == member[target]).nonzero().squeeze(1)
    assert sorted(edges) == inner.tolist()
    assert len(batches) == 3


def test_edges_of_one_direction_can_be_divided() -> None:
    ring = torch.stack([torch.arange(20), (torch.arange(20) + 1) % 20])
    member = partition(GraphView(torch.ones(20, 1), ring), 2)
    assert sorted(member.bincount().tolist()) == [10, 10]


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(PingdaError, match=r"pip install 'pingda\[parts\]'"):
        partition(make_toy().view(), 2)

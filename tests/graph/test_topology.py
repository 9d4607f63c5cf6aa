from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pingda.errors import PingdaError
from pingda.graph import Graph, GraphView
from pingda.graph import topology as module
from pingda.graph.diffusion import diffuse
from pingda.graph.propagation import Propagation
from pingda.graph.source import load_source
from pingda.graph.topology import extended, joined, nearest


def pairs_of(edge_index: torch.Tensor) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for a, b in edge_index.t()}


def plain_neighbours(z: np.ndarray, count: int) -> set[tuple[int, int]]:
    """Compare node by node."""
    unit = z / np.linalg.norm(z, axis=1, keepdims=True).clip(1e-12)
    found = set()
    for node, row in enumerate(unit):
        others = [(float(row @ unit[o]), o) for o in range(len(z)) if o != node]
        found |= {(node, o) for c, o in sorted(others, reverse=True)[:count] if c > 0}
    return found | {(b, a) for a, b in found}


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 12))
def test_neighbours_by_comparing_all_pairs(seed: int, count: int, nodes: int) -> None:
    z = torch.randn(nodes, 3, generator=torch.Generator().manual_seed(seed))
    found = joined(nearest(z, count), nodes)
    assert pairs_of(found) == plain_neighbours(z.numpy(), count)
    assert found.shape[1] == len(pairs_of(found))


def test_tiles_do_not_show(toy: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    z = torch.randn(60, 5)
    whole = joined(nearest(z, 4), 60)
    monkeypatch.setattr(module, "TILE", 60 * 7)
    assert torch.equal(joined(nearest(z, 4), 60), whole)


def test_a_node_without_features_is_nobodys_neighbour() -> None:
    z = torch.ones(4, 2)
    z[2] = 0
    assert 2 not in joined(nearest(z, 3), 4)


def test_the_given_edges_are_kept_with_their_weights(toy: Graph) -> None:
    weights = torch.rand(toy.edge_index.shape[1])
    view = toy.view().with_edge_weight(weights)
    both = extended(view, "both", "features", 3)
    given, alone = pairs_of(view.edge_index), extended(view, "similar", "features", 3)
    assert pairs_of(both.edge_index) == given | pairs_of(alone.edge_index)
    assert both.edge_index.shape[1] == len(pairs_of(both.edge_index))
    assert torch.equal(both.weights()[: len(weights)], weights)
    assert bool((both.weights()[len(weights) :] == 1).all())
    assert extended(view, "given", "features", 3) is view


def test_propagated_features_are_compared_over_the_given_edges(toy: Graph) -> None:
    view = toy.view()
    assert isinstance(view.x, torch.Tensor)
    expected = joined(nearest(diffuse(Propagation(view), view.x), 3), view.nodes)
    found = extended(view, "similar", "propagated", 3).edge_index
    assert torch.equal(found, expected)


def test_too_large_a_graph_is_refused_before_anything_is_computed() -> None:
    view = GraphView(torch.ones(200_001, 1), torch.zeros(2, 1, dtype=torch.long))
    with pytest.raises(PingdaError, match="topology=both.*200001; use topology=given"):
        extended(view, "both", "features", 10)


@pytest.mark.usefixtures("mirror")
def test_similar_pages_are_of_a_kind_where_linked_ones_are_not() -> None:
    """The issue that this solves: 6 of 100 links on Texas join pages of one class."""
    graph = load_source("texas")
    assert graph.y is not None

    def homophily(edges: torch.Tensor) -> float:
        assert graph.y is not None
        return float((graph.y[edges[0]] == graph.y[edges[1]]).float().mean())

    assert homophily(graph.edge_index) < 0.15
    similar = extended(graph.view(), "similar", "features", 10)
    assert homophily(similar.edge_index) > 0.5
    blind = replace(graph, y=None)
    assert torch.equal(
        extended(blind.view(), "similar", "features", 10).edge_index, similar.edge_index
    )

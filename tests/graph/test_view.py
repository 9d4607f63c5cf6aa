from types import SimpleNamespace

import pytest
import torch
from torch_geometric.data import Data

from pingda.errors import PingdaError
from pingda.graph import Graph, GraphView


def test_a_view_of_pyg_data() -> None:
    data = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]))
    view = GraphView.of(data)
    assert view.nodes == 3
    assert torch.equal(view.weights(), torch.ones(2))
    assert view.batch is None
    assert GraphView.of(view) is view


def test_a_view_needs_features_and_edges() -> None:
    with pytest.raises(PingdaError, match="needs x and edge_index"):
        GraphView.of(SimpleNamespace(x=None, edge_index=torch.zeros(2, 0)))


def test_derived_views_share_the_sorted_edges(toy: Graph) -> None:
    view = toy.view()
    weighted = view.with_edge_weight(torch.rand(toy.edge_index.shape[1]))
    assert weighted.structure is view.structure
    assert weighted.with_features(view.x).structure is view.structure
    assert view.edge_weight is None


def test_labels_have_no_place_in_a_view(toy: Graph) -> None:
    assert not hasattr(toy.view(), "y")


def test_a_view_moves_between_devices(toy: Graph) -> None:
    moved = toy.view().to(torch.device("meta"))
    assert moved.edge_index.device.type == "meta"

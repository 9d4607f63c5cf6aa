from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from conftest import save_npz
from pingda.errors import PingdaError
from pingda.graph import Graph
from pingda.graph.source import load_source, normalised_by_default
from pingda.graph.sparse import dense


def test_names_files_and_objects_lead_to_graphs(toy: Graph, toy_file: Path) -> None:
    for source in (str(toy_file), toy_file, toy):
        assert load_source(source).fingerprint() == toy.fingerprint()
    data = Data(x=toy.x, edge_index=toy.edge_index)
    assert load_source(data).fingerprint() == toy.fingerprint()
    assert load_source("digits").nodes == 1797


def test_normalisation_follows_the_pin_or_the_user(toy: Graph) -> None:
    assert normalised_by_default("texas")
    assert not normalised_by_default("cora")
    assert not normalised_by_default(toy)
    sums = dense(load_source("digits", normalise=True).x).sum(dim=1)
    torch.testing.assert_close(sums, torch.ones(1797))
    assert "feature rows divided by their sum" not in load_source("digits").transforms


def test_self_loops_are_dropped_with_their_weights(toy: Graph, tmp_path: Path) -> None:
    edges = np.array([[0, 0, 1, 59], [0, 1, 0, 59]])
    weight = np.array([9.0, 1.0, 2.0, 9.0])
    path = save_npz(tmp_path / "g.npz", toy, edge_index=edges, edge_weight=weight)
    graph = load_source(path)
    assert graph.edge_index.tolist() == [[0, 1], [1, 0]]
    assert graph.edge_weight is not None
    assert graph.edge_weight.tolist() == [1.0, 2.0]
    assert graph.transforms == ("2 self-loops removed",)


def test_features_can_be_replaced(toy: Graph) -> None:
    data = Data(edge_index=toy.edge_index)
    with pytest.raises(PingdaError, match="no node features"):
        load_source(data)
    assert load_source(data, features="degree").features == 2
    assert load_source("digits", features="ones").features == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("corra", "unknown source 'corra' .did you mean 'cora'"),
        ("missing.npz", "there is no file missing.npz"),
        (".", "no .npz file"),
        ("nofamily:Cora", "unknown source"),
    ],
)
def test_unknown_sources(source: str, message: str) -> None:
    with pytest.raises(PingdaError, match=message):
        load_source(source)

from dataclasses import replace

import torch

from pingda.graph import Graph
from pingda.graph.portrait import portrait


def test_a_graph_in_numbers() -> None:
    graph = Graph(
        "g",
        torch.tensor([[1.0, 0.0], [0.0, -2.0], [0.0, 0.0], [0.0, 0.0]]),
        torch.tensor([[0, 1, 1], [1, 0, 2]]),
        torch.tensor([0, 0, 1, -1]),
    )
    facts = portrait(graph)
    assert facts["nodes"] == 4
    assert facts["edges"] == 2
    assert facts["undirected"] is False
    assert facts["isolated_nodes"] == 1
    assert facts["components"] == 2
    assert facts["features_not_zero"] == 0.25
    assert (facts["feature_min"], facts["feature_max"]) == (-2.0, 1.0)
    assert abs(facts["homophily"] - 2 / 3) < 1e-6
    assert facts["evaluation"].startswith("not possible: g has a class with one node")


def test_graphs_without_labels(toy: Graph) -> None:
    assert portrait(replace(toy, y=None))["evaluation"] == "not possible: no labels"
    assert portrait(toy)["evaluation"] == "possible"


def test_cora_is_known_to_be_homophilous(cora: Graph) -> None:
    facts = portrait(cora)
    assert facts["components"] == 78
    assert abs(facts["homophily"] - 0.81) < 0.001

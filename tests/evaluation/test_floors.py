import numpy as np
import pytest
import torch

from oracles.gcn import normalised_adjacency
from pingda.evaluation.floors import ppr_features, raw_features
from pingda.evaluation.strict import floors
from pingda.graph import Graph
from pingda.graph.source import load_source
from pingda.graph.splits import draw_all_parts


def test_pagerank_by_dense_matrices(toy: Graph) -> None:
    ones = torch.ones(toy.edge_index.shape[1], dtype=torch.float64)
    a = normalised_adjacency(toy.edge_index, ones, 60).numpy()
    assert isinstance(toy.x, torch.Tensor)
    x = toy.x.numpy().astype(np.float64)
    h = x
    for _ in range(8):
        h = 0.85 * a @ h + 0.15 * x
    assert np.allclose(ppr_features(toy, 99), h, atol=1e-4)
    assert np.allclose(raw_features(toy, 99), x)


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(
    ("source", "raw", "ppr"),
    [("cora", 0.64, 0.8375), ("citeseer", 0.64, 0.721), ("texas", 0.604, 0.553)],
)
def test_the_known_heights_of_the_floors(source: str, raw: float, ppr: float) -> None:
    """Measured before by other code on other splits; sd of a mean of 10: ≤ 0.027."""
    graph = load_source(source)
    assert graph.y is not None
    found = floors(graph, 256, draw_all_parts(graph.y, 10))
    spread = 0.05 if source == "texas" else 0.02
    assert abs(np.mean(found[0]) - raw) < spread
    assert abs(np.mean(found[1]) - ppr) < spread

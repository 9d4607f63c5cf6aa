import numpy as np
import pytest
import torch

from oracles.gcn import normalised_adjacency as plain_adjacency
from pingda.evaluation.floors import (
    normalised_adjacency,
    ppr_features,
    raw_features,
    reduce_width,
)
from pingda.evaluation.strict import floors
from pingda.graph import Graph
from pingda.graph.source import load_source
from pingda.graph.splits import draw_all_parts


def test_pagerank_by_dense_matrices(toy: Graph) -> None:
    ones = torch.ones(toy.edge_index.shape[1], dtype=torch.float64)
    a = plain_adjacency(toy.edge_index, ones, 60).numpy()
    assert np.allclose(normalised_adjacency(toy).toarray(), a, atol=1e-6)
    assert isinstance(toy.x, torch.Tensor)
    x = toy.x.numpy().astype(np.float64)
    h = x
    for _ in range(8):
        h = 0.85 * a @ h + 0.15 * x
    assert np.allclose(ppr_features(toy, 99), h, atol=1e-4)
    assert np.allclose(raw_features(toy, 99), x)


def test_wide_features_are_cut_to_their_leading_directions(cora: Graph) -> None:
    cut = raw_features(cora, 256)
    assert cut.shape == (2708, 256)
    full = np.linalg.svd(raw_features(cora, 10**6), compute_uv=False)
    kept = np.linalg.svd(cut, compute_uv=False)
    assert np.allclose(kept[:50], full[:50], rtol=1e-3)


def test_narrow_features_are_left_alone() -> None:
    x = np.random.default_rng(0).normal(size=(20, 4))
    assert np.array_equal(reduce_width(x, 4), x)


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

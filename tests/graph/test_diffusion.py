import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix

from oracles.gcn import normalised_adjacency
from pingda.graph import Graph
from pingda.graph.diffusion import as_matrix, diffuse, main_directions, reduced
from pingda.graph.propagation import Propagation
from pingda.graph.sparse import SparseFeatures


def test_diffusion_by_dense_matrices_and_weights(toy: Graph) -> None:
    view = toy.view()
    weights = torch.rand(view.edge_index.shape[1], dtype=torch.float64)
    a = normalised_adjacency(view.edge_index, weights, 60).double()
    x = torch.randn(60, 3, dtype=torch.float64)
    # The limit is α (I − (1 − α) Â)⁻¹ X; 8 steps leave at most 0.85⁸ of the way.
    h = x
    for _ in range(8):
        h = 0.85 * a @ h + 0.15 * x
    assert torch.allclose(diffuse(Propagation(view.with_edge_weight(weights)), x), h)


def test_wide_features_are_cut_to_their_leading_directions(cora: Graph) -> None:
    cut = reduced(cora.x, 256).numpy()
    assert cut.shape == (2708, 256)
    full = np.linalg.svd(as_matrix(cora.x).toarray(), compute_uv=False)
    kept = np.linalg.svd(cut, compute_uv=False)
    assert np.allclose(kept[:50], full[:50], rtol=1e-3)


@pytest.mark.parametrize("sparse", [False, True])
def test_few_nodes_lose_nothing(sparse: bool) -> None:
    x = torch.randn(6, 40, dtype=torch.float32)
    stored = SparseFeatures.from_scipy(csr_matrix(x.numpy())) if sparse else x
    cut = reduced(stored, 16)
    assert cut.shape == (6, 6)
    assert torch.allclose(cut @ cut.t(), x @ x.t(), atol=1e-4)


def test_narrow_features_are_left_alone() -> None:
    x = torch.randn(20, 4)
    assert main_directions(x, 4) is None
    assert reduced(x, 4) is x

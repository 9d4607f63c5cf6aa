import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from pingda.errors import PingdaError
from pingda.graph.sparse import SparseFeatures, dense
from pingda.graph.transforms import (
    normalise_rows,
    pack_features,
    structural_features,
    tidy_edges,
)

edge_lists = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30
)


@given(edge_lists, st.booleans())
def test_tidy_edges_against_sets(edges: list[tuple[int, int]], symmetric: bool) -> None:
    expected = {(u, v) for u, v in edges if u != v}
    if symmetric:
        expected |= {(v, u) for u, v in expected}
    array = np.array(edges, dtype=np.int64).T
    found = [tuple(edge) for edge in tidy_edges(array, 7, symmetric).T.tolist()]
    assert found == sorted(expected, key=lambda edge: (edge[1], edge[0]))


def test_thin_features_stay_sparse_and_thick_ones_do_not() -> None:
    thin = sp.random(20, 20, density=0.05, format="csr", random_state=0)
    thick = sp.random(20, 20, density=0.5, format="csr", random_state=0)
    assert isinstance(pack_features(thin), SparseFeatures)
    assert isinstance(pack_features(thick), torch.Tensor)


@pytest.mark.parametrize("density", [0.1, 1.0])
def test_rows_sum_to_one_and_empty_rows_stay_empty(density: float) -> None:
    matrix = sp.random(30, 20, density=density, format="lil", random_state=0)
    matrix[3] = 0
    x = dense(normalise_rows(pack_features(sp.csr_matrix(matrix))))
    sums = x.sum(dim=1)
    assert float(sums[3]) == 0
    filled = torch.from_numpy(np.asarray(matrix.sum(axis=1)).ravel() > 0)
    torch.testing.assert_close(sums[filled], torch.ones(int(filled.sum())))


def test_signed_rows_keep_their_signs() -> None:
    x = normalise_rows(torch.tensor([[1.0, -3.0]]))
    assert dense(x).tolist() == [[0.25, -0.75]]


def test_structural_features() -> None:
    edges = torch.tensor([[0, 1, 2], [1, 0, 1]])
    assert dense(structural_features("ones", edges, 3)).tolist() == [[1], [1], [1]]
    degree = dense(structural_features("degree", edges, 3))
    assert torch.expm1(degree[:, 0]).round().tolist() == [1, 2, 0]
    with pytest.raises(PingdaError, match="unknown features"):
        structural_features("other", edges, 3)

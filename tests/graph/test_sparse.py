import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from pingda.graph.sparse import (
    SparseFeatures,
    SparsePattern,
    dense,
    linear,
    multiply,
    row_norms,
)


def random_pattern(rows: int, columns: int, seed: int) -> tuple[SparsePattern, Tensor]:
    matrix = sp.random(rows, columns, density=0.3, format="csr", random_state=seed)
    pattern = SparsePattern(
        torch.from_numpy(matrix.indptr.astype(np.int64)),
        torch.from_numpy(matrix.indices.astype(np.int64)),
        (rows, columns),
    )
    return pattern, torch.from_numpy(matrix.data)


def as_dense(pattern: SparsePattern, values: Tensor) -> Tensor:
    matrix = torch.zeros(pattern.shape, dtype=values.dtype)
    return matrix.index_put((pattern.rows, pattern.columns), values, accumulate=True)


sizes = st.integers(1, 12)


@given(sizes, sizes, sizes, st.integers(0, 10**6))
def test_products_and_both_gradients_agree_with_dense_ones(
    rows: int, columns: int, width: int, seed: int
) -> None:
    pattern, values = random_pattern(rows, columns, seed)
    h = torch.randn(columns, width, dtype=torch.float64)
    weight = torch.randn(rows, width, dtype=torch.float64)
    results = []
    for product in (
        lambda v, d: multiply(pattern, v, d),
        lambda v, d: as_dense(pattern, v) @ d,
    ):
        v, d = values.clone().requires_grad_(), h.clone().requires_grad_()
        y = product(v, d)
        (y * weight).sum().backward()
        assert v.grad is not None
        assert d.grad is not None
        results.append((y.detach(), v.grad, d.grad))
    for ours, plain in zip(*results, strict=True):
        torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-10)


def test_repeated_entries_add_up() -> None:
    pattern = SparsePattern.of_entries(
        torch.tensor([0, 0, 1]), torch.tensor([1, 1, 0]), (2, 2)
    )
    values = torch.tensor([1.0, 2.0, 5.0], dtype=torch.float64, requires_grad=True)
    h = torch.tensor([[1.0], [10.0]], dtype=torch.float64)
    y = multiply(pattern, values, h)
    assert y.flatten().tolist() == [30.0, 5.0]
    y.sum().backward()
    assert values.grad is not None
    assert values.grad.tolist() == [10.0, 10.0, 1.0]


@given(sizes, sizes, st.integers(0, 10**6))
def test_the_transposed_pattern_is_the_transpose(
    rows: int, columns: int, seed: int
) -> None:
    pattern, values = random_pattern(rows, columns, seed)
    turned = as_dense(pattern.transposed, values[pattern.transposed_order])
    assert torch.equal(turned, as_dense(pattern, values).t())


@pytest.fixture
def matrix() -> sp.csr_matrix:
    return sp.random(
        20, 30, density=0.1, format="csr", random_state=1, dtype=np.float32
    )


def test_scipy_matrices_come_back(matrix: sp.csr_matrix) -> None:
    x = SparseFeatures.from_scipy(matrix)
    assert x.shape == (20, 30)
    assert (x.to_scipy() != matrix).nnz == 0
    assert np.array_equal(x.to_dense().numpy(), matrix.toarray())
    assert torch.equal(dense(x), x.to_dense())


@pytest.mark.parametrize("bias", [True, False])
def test_layers_read_sparse_rows_as_dense_ones(
    matrix: sp.csr_matrix, bias: bool
) -> None:
    layer = nn.Linear(30, 4, bias=bias)
    x = SparseFeatures.from_scipy(matrix)
    torch.testing.assert_close(linear(x, layer), linear(x.to_dense(), layer))


def test_row_norms_are_the_same_sparse_and_dense(matrix: sp.csr_matrix) -> None:
    x = SparseFeatures.from_scipy(matrix)
    torch.testing.assert_close(row_norms(x), row_norms(x.to_dense()))


def test_the_representation_is_short(matrix: sp.csr_matrix) -> None:
    text = repr(SparseFeatures.from_scipy(matrix))
    assert text == "SparseFeatures([20, 30], entries=60)"

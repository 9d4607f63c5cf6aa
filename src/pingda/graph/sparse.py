"""Sparse matrices in compressed rows, and their products with dense ones.

PyTorch's compressed-row product is the fastest one at hand on the CPU (MKL) and runs on
CUDA by the same code. Its own gradient transposes the matrix anew at each step and
cannot reach the values; here the transpose is sorted once and kept, and the gradient of
the values is a sampled product, without a copy of rows for each entry.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn


@cache
def _say_once_that_csr_is_beta() -> None:
    """Spend PyTorch's one-time notice on compressed rows where nobody reads it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1))


@dataclass(frozen=True, eq=False)
class SparsePattern:
    """Where the entries of a sparse matrix [n, m] stand.

    Args:
        pointers: First entry of each row, long [n + 1].
        columns: Column of each entry, long [nnz], ascending in each row.
        shape: ``(n, m)``.
    """

    pointers: Tensor
    columns: Tensor
    shape: tuple[int, int]

    @classmethod
    def of_entries(
        cls, rows: Tensor, columns: Tensor, shape: tuple[int, int]
    ) -> "SparsePattern":
        """Make the pattern of entries that are sorted by row, then column."""
        counts = torch.bincount(rows, minlength=shape[0])
        pointers = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        return cls(pointers, columns.contiguous(), shape)

    @cached_property
    def rows(self) -> Tensor:
        """Row of each entry, long [nnz]."""
        every = torch.arange(self.shape[0], device=self.pointers.device)
        return torch.repeat_interleave(every, self.pointers.diff())

    @cached_property
    def transposed_order(self) -> Tensor:
        """Entry of this pattern at each place of the transposed one, long [nnz]."""
        return torch.argsort(self.columns * self.shape[0] + self.rows, stable=True)

    @cached_property
    def transposed(self) -> "SparsePattern":
        """The pattern of the transpose."""
        order = self.transposed_order
        shape = (self.shape[1], self.shape[0])
        return SparsePattern.of_entries(self.columns[order], self.rows[order], shape)

    @cached_property
    def _heads(self) -> "dict[tuple[int, int], SparsePattern]":
        return {}

    def head(self, rows: int, columns: int) -> "SparsePattern":
        """Return the first rows, whose entries all stand in the first columns."""
        if (rows, columns) == self.shape:
            return self
        if (rows, columns) not in self._heads:
            pointers = self.pointers[: rows + 1]
            entries = self.columns[: int(pointers[-1])]
            self._heads[rows, columns] = SparsePattern(
                pointers, entries, (rows, columns)
            )
        return self._heads[rows, columns]

    def filled(self, values: Tensor) -> Tensor:
        """Return PyTorch's compressed-row tensor over the given values."""
        _say_once_that_csr_is_beta()
        return torch.sparse_csr_tensor(
            self.pointers, self.columns, values, self.shape, check_invariants=False
        )

    def to(self, device: torch.device) -> "SparsePattern":
        """Return the pattern on another device."""
        pointers, columns = self.pointers.to(device), self.columns.to(device)
        return SparsePattern(pointers, columns, self.shape)


def product(pattern: SparsePattern, values: Tensor, dense: Tensor) -> Tensor:
    """Return S H, [n, d], without a gradient."""
    return pattern.filled(values) @ dense


def transposed_product(pattern: SparsePattern, values: Tensor, dense: Tensor) -> Tensor:
    """Return Sᵀ H, [m, d], without a gradient."""
    ordered = values.index_select(0, pattern.transposed_order)
    return pattern.transposed.filled(ordered) @ dense


def sampled_product(pattern: SparsePattern, left: Tensor, right: Tensor) -> Tensor:
    """Return ⟨left_r, right_c⟩ at the entries (r, c), [nnz], without a gradient."""
    empty = pattern.filled(left.new_zeros(pattern.columns.numel()))
    sampled = torch.sparse.sampled_addmm(empty, left, right.t(), beta=0.0)
    values: Tensor = sampled.values()
    return values


class _Multiply(torch.autograd.Function):
    """Y = S H; ∂H = Sᵀ ∂Y and ∂s_rc = ⟨∂Y_r, H_c⟩ at the entries alone."""

    @staticmethod
    def forward(
        ctx: Any, values: Tensor, dense: Tensor, pattern: SparsePattern
    ) -> Tensor:
        by_values = ctx.needs_input_grad[0]
        ctx.save_for_backward(values, dense if by_values else None)
        ctx.pattern = pattern
        return product(pattern, values, dense)

    @staticmethod
    def backward(
        ctx: Any, gradient: Tensor
    ) -> tuple[Tensor | None, Tensor | None, None]:
        values, dense = ctx.saved_tensors
        pattern: SparsePattern = ctx.pattern
        by_values, by_dense = None, None
        if ctx.needs_input_grad[0]:
            by_values = sampled_product(pattern, gradient, dense)
        if ctx.needs_input_grad[1]:
            by_dense = transposed_product(pattern, values, gradient)
        return by_values, by_dense, None


_multiply: Callable[[Tensor, Tensor, SparsePattern], Tensor] = _Multiply.apply


def multiply(pattern: SparsePattern, values: Tensor, dense: Tensor) -> Tensor:
    """Return S H for the sparse S [n, m] and the dense H [m, d], [n, d].

    Differentiable (once) in the values of S and in H.
    """
    return _multiply(values, dense, pattern)


class FeatureMatrix(ABC):
    """A feature matrix X [n, f] that need not stand in memory as a dense one.

    Encoders and scorers only multiply it by their weights.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """``(n, f)``."""

    @property
    @abstractmethod
    def dtype(self) -> torch.dtype:
        """Type of the entries."""

    @abstractmethod
    def __matmul__(self, weight: Tensor) -> Tensor:
        """Return X W for W [f, h], [n, h]."""

    @abstractmethod
    def scale_columns(self, scale: Tensor) -> "FeatureMatrix":
        """Return X with each column multiplied by its entry of ``scale`` [f]."""

    @abstractmethod
    def to_dense(self) -> Tensor:
        """Return X as a dense tensor [n, f]."""


class SparseFeatures(FeatureMatrix):
    """A sparse feature matrix X [n, f].

    Args:
        pattern: Where the entries stand.
        values: Value of each entry, float [nnz].
    """

    def __init__(self, pattern: SparsePattern, values: Tensor) -> None:
        self.pattern, self.values = pattern, values

    @classmethod
    def from_scipy(cls, matrix: sp.csr_matrix) -> "SparseFeatures":
        """Take over a scipy matrix in single precision."""
        matrix = sp.csr_matrix(matrix, dtype=np.float32)
        matrix.sum_duplicates()
        pattern = SparsePattern(
            torch.from_numpy(matrix.indptr.astype(np.int64)),
            torch.from_numpy(matrix.indices.astype(np.int64)),
            (int(matrix.shape[0]), int(matrix.shape[1])),
        )
        return cls(pattern, torch.from_numpy(matrix.data))

    def to_scipy(self) -> sp.csr_matrix:
        """Return the same matrix for scipy."""
        parts = (self.values, self.pattern.columns, self.pattern.pointers)
        data, columns, pointers = (part.cpu().numpy() for part in parts)
        return sp.csr_matrix((data, columns, pointers), shape=self.shape)

    def __repr__(self) -> str:
        return f"SparseFeatures({list(self.shape)}, entries={self.values.numel()})"

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, f)``."""
        return self.pattern.shape

    @property
    def dtype(self) -> torch.dtype:
        """Type of the entries."""
        return self.values.dtype

    def with_values(self, values: Tensor) -> "SparseFeatures":
        """Return a matrix of the same pattern with other values."""
        return SparseFeatures(self.pattern, values)

    def to(self, device: torch.device) -> "SparseFeatures":
        """Return the matrix on another device."""
        return SparseFeatures(self.pattern.to(device), self.values.to(device))

    def scale_columns(self, scale: Tensor) -> "SparseFeatures":
        """Return X with each column multiplied by its entry of ``scale`` [f]."""
        return self.with_values(self.values * scale.index_select(0, self.columns))

    @property
    def columns(self) -> Tensor:
        """Column of each entry, long [nnz]."""
        return self.pattern.columns

    def to_dense(self) -> Tensor:
        """Return X as a dense tensor [n, f]."""
        return self.pattern.filled(self.values).to_dense()

    def __matmul__(self, weight: Tensor) -> Tensor:
        return multiply(self.pattern, self.values, weight)


StoredFeatures: TypeAlias = Tensor | SparseFeatures
"""Features of a graph as it is."""

Features: TypeAlias = Tensor | FeatureMatrix
"""Features of a view, which may be a recipe for noisy ones."""


def linear(x: Features, layer: nn.Linear) -> Tensor:
    """Apply ``layer`` to rows of any kind: X Wᵀ + b, [n, out]."""
    if isinstance(x, FeatureMatrix):
        product = x @ layer.weight.t()
        return product if layer.bias is None else product.add_(layer.bias)
    return nn.functional.linear(x, layer.weight, layer.bias)


def dense(x: Features) -> Tensor:
    """Return the rows as a dense tensor."""
    return x.to_dense() if isinstance(x, FeatureMatrix) else x


def scaled(x: Features, columns: Tensor) -> Features:
    """Return X with each column multiplied by its entry of ``columns`` [f]."""
    return x.scale_columns(columns) if isinstance(x, FeatureMatrix) else x * columns


def select_rows(x: Features, rows: Tensor) -> Features:
    """Return some rows of X, [m, f]."""
    if not isinstance(x, SparseFeatures):
        return dense(x).index_select(0, rows)
    begin = x.pattern.pointers.index_select(0, rows)
    counts = x.pattern.pointers.index_select(0, rows + 1) - begin
    pointers = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    # Entry e of row r stands at begin[r] + (e − pointers[r]).
    shift = torch.repeat_interleave(begin - pointers[:-1], counts)
    entries = shift + torch.arange(len(shift), device=shift.device)
    columns = x.pattern.columns.index_select(0, entries)
    pattern = SparsePattern(pointers, columns, (len(rows), x.shape[1]))
    return SparseFeatures(pattern, x.values.index_select(0, entries))


def magnitude(x: Features) -> Tensor:
    """Return ‖X‖, the root of the sum of squares of all entries."""
    norm: Tensor = (x.values if isinstance(x, SparseFeatures) else dense(x)).norm()
    return norm


def row_norms(x: StoredFeatures) -> Tensor:
    """Return the Euclidean length of each row, [n]."""
    if isinstance(x, SparseFeatures):
        squares = x.values.new_zeros(x.shape[0])
        return squares.index_add_(0, x.pattern.rows, x.values.square()).sqrt()
    norms: Tensor = torch.linalg.vector_norm(x, dim=1)
    return norms

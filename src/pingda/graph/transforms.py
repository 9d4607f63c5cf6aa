"""Steps between raw files and a graph. Each is small, named, and pinned a benchmark."""

import numpy as np
import scipy.sparse as sp
import torch

from pingda.errors import PingdaError
from pingda.graph.sparse import SparseFeatures, StoredFeatures, row_norms

# Sparse rows multiply faster than dense ones below about this share of entries.
SPARSE_BELOW = 0.15


def tidy_edges(edge_index: np.ndarray, nodes: int, symmetric: bool) -> np.ndarray:
    """Drop self-loops and repeated edges and sort by target, then source.

    Args:
        edge_index: Edges, int64 [2, e].
        nodes: Number of nodes.
        symmetric: Also add the reverse of every edge.
    """
    source, target = edge_index[:, edge_index[0] != edge_index[1]]
    keys = target * nodes + source
    if symmetric:
        keys = np.concatenate([keys, source * nodes + target])
    keys = np.unique(keys)
    return np.stack([keys % nodes, keys // nodes])


def pack_features(x: sp.csr_matrix | np.ndarray) -> StoredFeatures:
    """Choose sparse or dense rows, by the share of entries that are not zero."""
    if sp.issparse(x):
        share = x.nnz / max(1, x.shape[0] * x.shape[1])
        if share < SPARSE_BELOW:
            return SparseFeatures.from_scipy(x)
        x = x.toarray()
    return torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32))


def normalise_rows(x: StoredFeatures) -> StoredFeatures:
    """Divide each row by the sum of its magnitudes; empty rows stay empty.

    PyG subtracts the smallest value first, which turns signed dense features into
    nearly equal rows; the magnitudes agree with it wherever nothing is negative.
    """
    if isinstance(x, SparseFeatures):
        sums = torch.zeros(x.shape[0]).index_add_(0, x.pattern.rows, x.values.abs())
        return x.with_values(x.values / sums.clamp(min=1e-12)[x.pattern.rows])
    return x / x.abs().sum(dim=1, keepdim=True).clamp(min=1e-12)


def unit_rows(x: StoredFeatures) -> StoredFeatures:
    """Divide each row by its Euclidean length; empty rows stay empty."""
    lengths = row_norms(x).clamp(min=1e-12)
    if isinstance(x, SparseFeatures):
        return x.with_values(x.values / lengths[x.pattern.rows])
    return x / lengths[:, None]


def structural_features(
    kind: str, edge_index: torch.Tensor, nodes: int
) -> StoredFeatures:
    """Return features that need no data: a one for each node, or its degree.

    Args:
        kind: ``ones`` gives [n, 1]; ``degree`` gives log(1 + degree) beside a one,
            [n, 2], so that nodes without neighbours are no zero rows.
        edge_index: Edges, long [2, e].
        nodes: Number of nodes.
    """
    ones = torch.ones(nodes, 1)
    if kind == "ones":
        return ones
    if kind == "degree":
        degree = torch.bincount(edge_index[1], minlength=nodes).float()
        return torch.cat([torch.log1p(degree)[:, None], ones], dim=1)
    raise PingdaError(f"unknown features {kind!r}; choose ones or degree")

"""What features say without any training: their main directions, spread over edges."""

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from pingda.graph.propagation import Propagation
from pingda.graph.sparse import Features, SparseFeatures, dense

TELEPORT = 0.15
STEPS = 8


def diffuse(propagate: Propagation, x: Tensor) -> Tensor:
    r"""Return values of nodes under personalised PageRank, [n, d].

    .. math::
        H_0 = X, \quad H_{t+1} = (1 - \alpha) \hat A H_t + \alpha X,
        \quad \alpha = 0.15, \; 8 \text{ steps}

    with the symmetrically normalised adjacency Â, self-loops included.

    Args:
        propagate: Â of a view.
        x: X [n, d].
    """
    h = x
    for _ in range(STEPS):
        h = propagate(h).mul_(1 - TELEPORT).add_(x, alpha=TELEPORT)
    return h


def main_directions(x: Features, width: int) -> Tensor | None:
    """Return the leading right singular vectors of X [n, f], [f, min(width, n, f)].

    None where X is no wider than ``width``: it needs no cut.
    """
    nodes, columns = x.shape
    if columns <= width:
        return None
    matrix = as_matrix(x)
    if nodes <= width:
        whole = matrix.toarray() if sp.issparse(matrix) else matrix
        rows = np.linalg.svd(whole, full_matrices=False)[2]
    else:
        from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415 - slow to import

        rows = TruncatedSVD(width, random_state=0).fit(matrix).components_
    like = x.values if isinstance(x, SparseFeatures) else dense(x)
    return torch.as_tensor(rows.T.copy()).to(like)


def reduced(x: Features, width: int) -> Tensor:
    """Return the rows of X on its leading directions, [n, min(width, n, f)]."""
    directions = main_directions(x, width)
    return dense(x) if directions is None else x @ directions


def as_matrix(x: Features) -> np.ndarray | sp.csr_matrix:
    """Return features for numpy and scipy."""
    return x.to_scipy() if isinstance(x, SparseFeatures) else dense(x).cpu().numpy()

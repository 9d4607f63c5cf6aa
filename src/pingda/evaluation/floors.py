"""What nobody had to train: the features themselves, and the features propagated.

Every table shows them, because logistic regression on propagated features alone stands
near most published numbers; a method is worth its training only above them.
"""

import numpy as np
import scipy.sparse as sp

from pingda.graph.graph import Graph
from pingda.graph.sparse import SparseFeatures

TELEPORT = 0.15
STEPS = 8


def raw_features(graph: Graph, width: int) -> np.ndarray:
    """Return the features as every method sees them, cut to ``width`` by SVD.

    Args:
        graph: The graph.
        width: Width of the embedding that they are compared with.
    """
    return reduce_width(_features(graph), width)


def ppr_features(graph: Graph, width: int) -> np.ndarray:
    r"""Return the features under personalised PageRank, cut to ``width`` by SVD.

    .. math::
        H_0 = X, \quad H_{t+1} = (1 - \alpha) \hat A H_t + \alpha X,
        \quad \alpha = 0.15, \; 8 \text{ steps}

    with the symmetrically normalised adjacency Â, self-loops included. Features wider
    than the embedding are cut before they are propagated, which is the same thing: Â
    acts on rows and the projection on columns.
    """
    x = reduce_width(_features(graph), width)
    adjacency = normalised_adjacency(graph)
    h = x
    for _ in range(STEPS):
        h = (1 - TELEPORT) * (adjacency @ h) + TELEPORT * x
    return h.astype(np.float32)


def normalised_adjacency(graph: Graph) -> sp.csr_matrix:
    """Return Â = D^{-1/2} (A + I) D^{-1/2} of a graph for scipy, [n, n]."""
    source, target = graph.edge_index.numpy()
    weight = graph.edge_weight
    values = np.ones(source.size) if weight is None else weight.numpy().astype(float)
    shape = (graph.nodes, graph.nodes)
    adjacency = sp.csr_matrix((values, (target, source)), shape=shape) + sp.eye(
        graph.nodes, format="csr"
    )
    scale = sp.diags(1 / np.sqrt(np.asarray(adjacency.sum(axis=1)).ravel()))
    return sp.csr_matrix(scale @ adjacency @ scale, dtype=np.float32)


def reduce_width(x: np.ndarray | sp.csr_matrix, width: int) -> np.ndarray:
    """Project rows on their leading ``width`` singular directions, if wider."""
    if x.shape[1] <= width or min(x.shape) <= width:
        return x.toarray() if sp.issparse(x) else np.asarray(x)
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415 - slow to import

    svd = TruncatedSVD(n_components=width, random_state=0)
    reduced: np.ndarray = svd.fit_transform(x).astype(np.float32)
    return reduced


def _features(graph: Graph) -> np.ndarray | sp.csr_matrix:
    x = graph.x
    return x.to_scipy() if isinstance(x, SparseFeatures) else x.cpu().numpy()

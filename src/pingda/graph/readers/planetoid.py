"""Cora, CiteSeer and PubMed (Yang, Cohen and Salakhutdinov, 2016)."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from pingda.graph.readers.raw import RawGraph
from pingda.graph.unpickle import load_arrays


def files(name: str) -> tuple[str, ...]:
    """Return the raw files that :func:`read` needs."""
    parts = ("tx", "allx", "ty", "ally", "graph", "test.index")
    return tuple(f"ind.{name.lower()}.{part}" for part in parts)


def read(folder: Path, name: str) -> RawGraph:
    """Read ``ind.NAME.*``.

    Rows of ``allx`` are nodes 0 … m−1; row i of ``tx`` is the node that line i of
    ``test.index`` names. CiteSeer lists 15 nodes in neither: they have no features, no
    edges and no label. As in PyG, on which all published numbers rest, they stay in
    the graph, and the arg-max of their empty label row calls them class 0.
    """
    tx, allx, ty, ally, graph = (
        load_arrays(folder / file) for file in files(name)[:-1]
    )
    test = np.loadtxt(folder / files(name)[-1], dtype=np.int64, ndmin=1)
    nodes = max(int(test.max()) + 1, allx.shape[0])
    x = sp.lil_matrix((nodes, allx.shape[1]), dtype=np.float32)
    one_hot = np.zeros((nodes, ally.shape[1]))
    x[: allx.shape[0]], x[test] = allx, tx
    one_hot[: ally.shape[0]], one_hot[test] = ally, ty
    edges = np.array(
        [(u, v) for u, neighbours in graph.items() for v in neighbours], dtype=np.int64
    )
    return RawGraph(sp.csr_matrix(x), edges.T, one_hot.argmax(axis=1))

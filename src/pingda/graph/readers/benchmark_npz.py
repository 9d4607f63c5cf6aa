"""Amazon and Coauthor graphs (Shchur et al., 2018): one ``.npz`` a graph."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from pingda.graph.readers.raw import RawGraph


def read(path: Path) -> RawGraph:
    """Read adjacency, attributes and labels; attributes become 0 or 1, as in PyG."""
    with np.load(path, allow_pickle=False) as arrays:
        adjacency = _matrix(arrays, "adj").tocoo()
        x = _matrix(arrays, "attr")
        y = arrays["labels"].astype(np.int64)
    x.data = (x.data > 0).astype(np.float32)
    x.eliminate_zeros()
    edges = np.stack([adjacency.row, adjacency.col]).astype(np.int64)
    return RawGraph(x, edges, y)


def _matrix(arrays: np.lib.npyio.NpzFile, name: str) -> sp.csr_matrix:
    parts = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return sp.csr_matrix(tuple(parts), shape=tuple(arrays[f"{name}_shape"]))

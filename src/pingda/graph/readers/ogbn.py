"""ogbn-arxiv (Hu et al., 2020) from its raw tables, without the ``ogb`` package.

That package loads its cache in a way that PyTorch has refused since 2.6.
"""

from pathlib import Path

import numpy as np

from pingda.graph.readers.raw import RawGraph

FILES = ("edge.csv.gz", "node-feat.csv.gz", "node-label.csv.gz")


def read(folder: Path) -> RawGraph:
    """Read citing–cited pairs, feature rows and labels; the tables have no header."""
    edges, x, y = (
        np.loadtxt(folder / file, dtype=dtype, delimiter=",", ndmin=2)
        for file, dtype in zip(FILES, (np.int64, np.float32, np.int64), strict=True)
    )
    return RawGraph(x, edges.T, y.reshape(-1))

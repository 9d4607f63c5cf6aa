"""Texas, Cornell and Wisconsin in the text files of Geom-GCN (Pei et al., 2020)."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from pingda.graph.readers.raw import RawGraph

FILES = ("out1_node_feature_label.txt", "out1_graph_edges.txt")


def read(folder: Path) -> RawGraph:
    """Read ``id TAB 0,1,… TAB label`` and ``source TAB target``, below a header."""
    lines = (folder / FILES[0]).read_text(encoding="utf-8").splitlines()[1:]
    fields = [line.split("\t") for line in lines]
    order = np.argsort([int(number) for number, _, _ in fields])
    x = np.array([row.split(",") for _, row, _ in fields], dtype=np.float32)
    y = np.array([int(label) for _, _, label in fields], dtype=np.int64)
    edges = np.loadtxt(
        folder / FILES[1], dtype=np.int64, delimiter="\t", skiprows=1, ndmin=2
    )
    return RawGraph(sp.csr_matrix(x[order]), edges.T, y[order])

"""Raw files of tiny graphs in the true formats of the benchmarks."""

import gzip
import json
import pickle
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.sparse as sp

# Node 4 stands in neither list, as 15 nodes of CiteSeer do.
PLANETOID_GRAPH = {0: [1, 1, 0], 1: [0, 2], 2: [1, 5], 3: [5], 5: [2, 3]}


def planetoid(folder: Path, name: str) -> None:
    """Nodes 0–2 in allx, nodes 5 and 3 in tx, in that order."""
    folder.mkdir(parents=True)
    eye = np.eye(2, dtype=np.int32)
    neighbours: defaultdict[int, list[int]] = defaultdict(list)
    neighbours.update(PLANETOID_GRAPH)
    parts = {
        "allx": sp.csr_matrix(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)),
        "tx": sp.csr_matrix(np.array([[5, 5, 5], [3, 3, 3]], np.float32)),
        "ally": eye[[0, 1, 0]],
        "ty": eye[[1, 0]],
        "graph": neighbours,
    }
    for part, value in parts.items():
        content = pickle.dumps(value, protocol=2)
        (folder / f"ind.{name}.{part}").write_bytes(content)
    (folder / f"ind.{name}.test.index").write_text("5\n3\n")


def benchmark_npz(path: Path) -> None:
    adjacency = sp.csr_matrix(np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]], np.float32))
    attributes = sp.csr_matrix(np.array([[0, 2.5], [-1, 0], [1, 1]], np.float32))
    np.savez(
        path,
        **{
            f"{name}_{part}": getattr(matrix, part)
            for name, matrix in (("adj", adjacency), ("attr", attributes))
            for part in ("data", "indices", "indptr", "shape")
        },
        labels=np.array([2, 0, 1]),
    )


def webkb(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "out1_node_feature_label.txt").write_text(
        "node_id\tfeature\tlabel\n1\t0,1,1\t4\n0\t1,0,0\t2\n2\t0,0,1\t4\n"
    )
    (folder / "out1_graph_edges.txt").write_text("node_id\tnode_id\n0\t1\n2\t2\n2\t1\n")


def wikics(folder: Path) -> None:
    folder.mkdir(parents=True)
    content = {
        "features": [[0.5, -1.0], [0.25, 2.0], [1.0, 0.0]],
        "labels": [1, 0, 1],
        "links": [[1, 2], [], [0, 2]],
        "train_masks": [[True, False, False]],
        "stopping_masks": [[False, True, False]],
        "val_masks": [[False, True, False]],
        "test_mask": [False, False, True],
    }
    (folder / "data.json").write_text(json.dumps(content))


def ogbn_arxiv(folder: Path) -> None:
    folder.mkdir(parents=True)
    tables = {
        "edge": "0,2\n1,0\n2,1\n0,2\n",
        "node-feat": "0.1,-0.5\n1.5,2e-3\n0,0\n",
        "node-label": "4\n0\n4\n",
        "num-node-list": "3\n",
        "num-edge-list": "4\n",
        "node_year": "2001\n2002\n2003\n",
    }
    for name, text in tables.items():
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))

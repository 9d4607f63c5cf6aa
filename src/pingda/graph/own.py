"""Graphs of the user's own: ``.npz`` files, and objects in memory."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from pingda.errors import PingdaError
from pingda.files import read_arrays
from pingda.graph.checks import integer_labels
from pingda.graph.graph import Graph
from pingda.graph.transforms import pack_features

_SPARSE_PARTS = ("x_data", "x_indices", "x_indptr", "x_shape")


def read_npz(path: Path) -> Graph:
    """Read ``edge_index`` [2, e] and, where given, ``x``, ``y`` and ``edge_weight``.

    Sparse features stand as ``x_data``, ``x_indices``, ``x_indptr`` and ``x_shape``.
    Without features, ``num_nodes`` tells how many nodes there are.
    """
    arrays: dict[str, Any] = dict(read_arrays(path))
    if "edge_index" not in arrays:
        found = ", ".join(arrays) or "nothing"
        raise PingdaError(f"{path} has no array 'edge_index'; it holds {found}")
    if all(part in arrays for part in _SPARSE_PARTS):
        arrays["x"] = _sparse(str(path), arrays)
    return _build(str(path), arrays)


def from_data(data: Any, name: str) -> Graph:
    """Take over a PyG ``Data``, or anything with its attributes.

    Edges are used as they stand: PyG's convention is that an undirected edge is there
    in both directions.
    """
    if getattr(data, "edge_index", None) is None:
        raise PingdaError(
            f"{name} ({type(data).__name__}) has no edge_index; give a PyG Data, a "
            "name of the catalogue or the path of a file"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyG's, when it has to count the nodes itself
        found = {
            key: getattr(data, key, None)
            for key in ("x", "edge_index", "y", "edge_weight", "num_nodes")
        }
    arrays = {
        key: torch.as_tensor(value).detach().cpu().numpy()
        for key, value in found.items()
        if value is not None
    }
    return _build(name, arrays)


def _build(name: str, arrays: dict[str, Any]) -> Graph:
    edges = _numbers(name, "edge_index", arrays["edge_index"], "iu", np.int64)
    if "x" in arrays:
        x = arrays["x"]
        if not isinstance(x, sp.csr_matrix):
            x = _numbers(name, "x", x, "fiub", np.float32)
        if x.ndim != 2:
            raise PingdaError(f"{name} has x of shape {list(x.shape)}; give [n, f]")
    else:
        counted = int(edges.max()) + 1 if edges.size else 0
        x = np.zeros((int(arrays.get("num_nodes", counted)), 0), dtype=np.float32)
    weight = arrays.get("edge_weight")
    if weight is not None:
        weight = _numbers(name, "edge_weight", weight, "fiub", np.float32).reshape(-1)
    y = arrays.get("y")
    return Graph(
        name,
        pack_features(x),
        torch.from_numpy(edges),
        y=None if y is None else integer_labels(name, y.reshape(-1)),
        edge_weight=None if weight is None else torch.from_numpy(weight),
    )


def _numbers(name: str, key: str, array: np.ndarray, kinds: str, to: Any) -> np.ndarray:
    """Return the array in type ``to`` if it holds numbers of the right kind."""
    if array.dtype.kind not in kinds:
        wanted = "whole numbers" if kinds == "iu" else "numbers"
        raise PingdaError(f"{name} has {key} of type {array.dtype}; give {wanted}")
    return array.astype(to)


def _sparse(name: str, arrays: dict[str, Any]) -> sp.csr_matrix:
    data, indices, pointers, shape = (arrays[part] for part in _SPARSE_PARTS)
    try:
        matrix = sp.csr_matrix((data, indices, pointers), shape=tuple(shape))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise PingdaError(f"{name} has broken sparse features: {error}") from error
    return matrix

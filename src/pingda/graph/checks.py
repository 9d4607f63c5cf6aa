"""What a graph must be before anybody waits for training, each fault one sentence."""

import numpy as np
import torch
from torch import Tensor

from pingda.errors import PingdaError
from pingda.graph.graph import UNLABELLED, Graph
from pingda.graph.sparse import SparseFeatures


def check_labels(graph: Graph) -> None:
    """Raise if labels are there but not one a node."""
    if graph.y is not None and graph.y.shape != (graph.nodes,):
        raise PingdaError(
            f"{graph.name} has {graph.y.numel()} labels for {graph.nodes} nodes; "
            f"give one label a node, {UNLABELLED} where it is unknown"
        )


def check_features(graph: Graph) -> None:
    """Raise if there are no features, or values that are no numbers."""
    if graph.features == 0:
        raise PingdaError(
            f"{graph.name} has no node features; add some, or use --set "
            "features=degree (or ones)"
        )
    values = graph.x.values if isinstance(graph.x, SparseFeatures) else graph.x
    bad = ~torch.isfinite(values)
    if bad.any():
        node, column = _place(graph, bad)
        raise PingdaError(
            f"{graph.name} has {int(bad.sum())} NaN or infinite feature(s), the first "
            f"at node {node}, column {column}; fill or drop them"
        )


def _place(graph: Graph, bad: Tensor) -> tuple[int, int]:
    """Return node and column of the first bad entry."""
    first = bad.nonzero()[0]
    if isinstance(graph.x, SparseFeatures):
        entry = int(first[0])
        return int(graph.x.pattern.rows[entry]), int(graph.x.pattern.columns[entry])
    return int(first[0]), int(first[1])


def check_edges(graph: Graph) -> None:
    """Raise if there are no edges, edges to nowhere, or broken weights."""
    if graph.nodes < 2:
        raise PingdaError(
            f"{graph.name} has {graph.nodes} node(s); contrasting needs at least two"
        )
    edges = graph.edge_index
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise PingdaError(
            f"{graph.name} has edges of shape {list(edges.shape)}; give [2, edges]"
        )
    if edges.shape[1] == 0:
        raise PingdaError(
            f"{graph.name} has no edges; without any there is no graph to learn from"
        )
    outside = (edges < 0) | (edges >= graph.nodes)
    if outside.any():
        place = int(outside.any(dim=0).nonzero()[0])
        source, target = (int(end) for end in edges[:, place])
        raise PingdaError(
            f"{graph.name} has an edge index out of range: edge {place} joins {source} "
            f"and {target}, but nodes are 0 to {graph.nodes - 1}"
        )
    if graph.edge_weight is not None:
        _check_weights(graph, graph.edge_weight, edges.shape[1])


def _check_weights(graph: Graph, weight: Tensor, edges: int) -> None:
    if weight.shape != (edges,):
        raise PingdaError(
            f"{graph.name} has {weight.numel()} edge weights for {edges} edges"
        )
    if not bool((torch.isfinite(weight) & (weight >= 0)).all()):
        raise PingdaError(
            f"{graph.name} has edge weights that are negative, NaN or infinite; "
            "weights must be 0 or more"
        )


def integer_labels(name: str, values: np.ndarray) -> Tensor:
    """Return labels as whole numbers ≥ −1.

    Raises:
        PingdaError: A label is no whole number.
    """
    if values.dtype.kind not in "iub":
        whole = values.dtype.kind == "f" and bool(np.all(values == np.round(values)))
        if not whole:
            raise PingdaError(
                f"{name} has labels that are no whole numbers (such as "
                f"{_first_odd(values)!r}); number the classes 0, 1, 2, …"
            )
    labels = torch.from_numpy(values.astype(np.int64))
    if bool((labels < UNLABELLED).any()):
        raise PingdaError(
            f"{name} has the label {int(labels.min())}; classes are 0, 1, 2, … and "
            f"{UNLABELLED} marks an unknown one"
        )
    return labels


def _first_odd(values: np.ndarray) -> object:
    if values.dtype.kind != "f":
        return values.reshape(-1)[0].item()
    return values[values != np.round(values)][0].item()

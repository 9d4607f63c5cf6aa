"""A graph in a few numbers, before anybody waits for training."""

from typing import Any

import torch
from scipy.sparse.csgraph import connected_components

from pingda.errors import PingdaError
from pingda.graph.graph import UNLABELLED, Graph
from pingda.graph.sparse import SparseFeatures
from pingda.graph.splits import labelled


def portrait(graph: Graph) -> dict[str, Any]:
    """Return what was understood of a checked graph.

    ``homophily`` is the share of edges between labelled nodes that join one class;
    ``evaluation`` says whether the labels can be split, and why not.
    """
    source, target = graph.edge_index
    degree = torch.bincount(target, minlength=graph.nodes)
    outgoing = torch.bincount(source, minlength=graph.nodes)
    pattern = graph.view().structure.pattern
    ones = torch.ones(pattern.columns.numel())
    components, _ = connected_components(
        SparseFeatures(pattern, ones).to_scipy(), directed=False
    )
    entries = graph.x.values if isinstance(graph.x, SparseFeatures) else graph.x
    stored = "sparse" if isinstance(graph.x, SparseFeatures) else "dense"
    return {
        "nodes": graph.nodes,
        "edges": graph.edges,
        "undirected": _undirected(graph),
        "degree_mean": float(degree.float().mean()),
        "degree_max": int(degree.max()),
        "isolated_nodes": int((degree + outgoing == 0).sum()),
        "components": int(components),
        "features": graph.features,
        "features_stored": stored,
        "features_not_zero": float((entries != 0).sum())
        / max(1, graph.nodes * graph.features),
        "feature_min": min(0.0, float(entries.min()))
        if stored == "sparse"
        else float(entries.min()),
        "feature_max": float(entries.max()),
        **_labels(graph),
        "transforms": list(graph.transforms),
    }


def _undirected(graph: Graph) -> bool:
    """Tell whether every edge stands there in both directions."""
    source, target = graph.edge_index
    forward = torch.unique(source * graph.nodes + target)
    backward = torch.unique(target * graph.nodes + source)
    return torch.equal(forward, backward)


def _labels(graph: Graph) -> dict[str, Any]:
    if graph.y is None:
        return {"classes": 0, "evaluation": "not possible: no labels"}
    source, target = graph.y[graph.edge_index]
    known = (source != UNLABELLED) & (target != UNLABELLED)
    same = (source == target)[known]
    try:
        labelled(graph)
        evaluation = "possible"
    except PingdaError as error:
        evaluation = f"not possible: {error}"
    return {
        "classes": graph.classes,
        "labelled_nodes": int((graph.y != UNLABELLED).sum()),
        "homophily": float(same.float().mean()) if same.numel() else None,
        "evaluation": evaluation,
    }

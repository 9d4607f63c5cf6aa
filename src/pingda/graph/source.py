"""From what the user names to a graph that can be learned from."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pingda.errors import PingdaError
from pingda.graph import catalogue, own
from pingda.graph.checks import check_edges, check_features, check_labels
from pingda.graph.graph import Graph
from pingda.graph.transforms import normalise_rows, structural_features

Structural = Literal["ones", "degree"]


def load_source(
    source: Any,
    features: Structural | None = None,
    normalise: bool | None = None,
) -> Graph:
    """Load, prepare and check a graph.

    Args:
        source: A name of the catalogue (``cora``, ``planetoid:Cora``), the path of an
            ``.npz`` file, a :class:`Graph`, or a PyG ``Data``.
        features: Structural features in the place of the source's own.
        normalise: Divide rows of features by their sum; None does what is pinned for
            a benchmark and leaves an own graph's values alone.

    Raises:
        PingdaError: There is no such source, or it cannot be learned from.
    """
    benchmark = catalogue.find(source) if isinstance(source, str) else None
    if benchmark is not None:
        graph = benchmark.load()
    else:
        graph = without_self_loops(_own_graph(source))
    if normalise is None:
        normalise = normalised_by_default(source)
    check_edges(graph)
    check_labels(graph)
    if features is not None:
        x = structural_features(features, graph.edge_index, graph.nodes)
        graph = _step(replace(graph, x=x), f"features replaced by {features}")
    check_features(graph)
    if normalise and features is None:
        graph = replace(graph, x=normalise_rows(graph.x))
        graph = _step(graph, "feature rows divided by their sum")
    return graph


def normalised_by_default(source: Any) -> bool:
    """Tell whether feature rows of this source are divided by their sum unasked."""
    benchmark = catalogue.find(source) if isinstance(source, str) else None
    return benchmark is not None and benchmark.normalise


def without_self_loops(graph: Graph) -> Graph:
    """Drop self-loops: encoders add their own, which no noise may touch."""
    if graph.edge_index.ndim != 2 or graph.edge_index.shape[0] != 2:
        return graph  # check_edges says what is wrong with it
    keep = graph.edge_index[0] != graph.edge_index[1]
    if bool(keep.all()):
        return graph
    weight = graph.edge_weight
    kept = replace(
        graph,
        edge_index=graph.edge_index[:, keep],
        edge_weight=weight if weight is None else weight[keep],
    )
    return _step(kept, f"{int((~keep).sum())} self-loops removed")


def _step(graph: Graph, step: str) -> Graph:
    return replace(graph, transforms=(*graph.transforms, step))


def _own_graph(source: Any) -> Graph:
    if isinstance(source, Graph):
        return source
    if not isinstance(source, str | Path):
        return own.from_data(source, "the graph in memory")
    path = Path(source)
    if path.suffix == ".npz":
        return own.read_npz(path)
    if path.exists():
        raise PingdaError(f"{source} is no .npz file, the one format read so far")
    raise catalogue.unknown(str(source))

"""What nobody had to train: the features themselves, and the features propagated.

Every table shows them, because logistic regression on propagated features alone stands
near most published numbers; a method is worth its training only above them.
"""

import numpy as np

from pingda.graph.diffusion import diffuse, reduced
from pingda.graph.graph import Graph
from pingda.graph.propagation import Propagation


def raw_features(graph: Graph, width: int) -> np.ndarray:
    """Return the features as every method sees them, cut to ``width`` by SVD.

    Args:
        graph: The graph.
        width: Width of the embedding that they are compared with.
    """
    return reduced(graph.x, width).cpu().numpy()


def ppr_features(graph: Graph, width: int) -> np.ndarray:
    """Return the features under personalised PageRank, cut to ``width`` by SVD.

    Features wider than the embedding are cut before they are propagated, which is the
    same thing: propagation acts on rows and the projection on columns.
    """
    near = Propagation(graph.view())
    return diffuse(near, reduced(graph.x, width)).cpu().numpy()

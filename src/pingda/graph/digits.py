"""The built-in graph: scikit-learn's handwritten digits, joined to their neighbours."""

import numpy as np

from pingda.graph.readers.raw import RawGraph

NEIGHBOURS = 8


def read() -> RawGraph:
    """Return 1,797 images of 8×8 pixels, each joined to its nearest ones.

    Pixels are scaled to 0 … 1; nearness is the Euclidean distance of images. Nothing
    is downloaded, and no label takes part in the edges.
    """
    from sklearn.datasets import load_digits  # noqa: PLC0415 - slow to import
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415

    bunch = load_digits()
    x = (bunch.data / 16).astype(np.float32)
    search = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(x)
    neighbours = search.kneighbors(return_distance=False)
    target = np.repeat(np.arange(len(x)), NEIGHBOURS)
    edges = np.stack([neighbours.reshape(-1), target]).astype(np.int64)
    return RawGraph(x, edges, bunch.target.astype(np.int64))

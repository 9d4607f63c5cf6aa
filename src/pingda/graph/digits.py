"""The built-in graph: scikit-learn's handwritten digits, joined to their neighbours."""

import numpy as np

from pingda.graph.readers.raw import RawGraph

NEIGHBOURS = 8
LEVELS = 16


def read() -> RawGraph:
    """Return 1,797 images of 8×8 pixels, each joined to its nearest ones.

    Pixels are scaled to 0 … 1; nearness is the Euclidean distance of images. Nothing
    is downloaded, and no label takes part in the edges.
    """
    from sklearn.datasets import load_digits  # noqa: PLC0415 - slow to import

    bunch = load_digits()
    neighbours = nearest_images(bunch.data.astype(np.int64))
    x = (bunch.data / LEVELS).astype(np.float32)
    target = np.repeat(np.arange(len(x)), NEIGHBOURS)
    edges = np.stack([neighbours.reshape(-1), target]).astype(np.int64)
    return RawGraph(x, edges, bunch.target.astype(np.int64))


def nearest_images(pixels: np.ndarray) -> np.ndarray:
    """Return the nearest other images of each image, [n, 8].

    In whole numbers, so that equal distances are equal on every machine, whatever its
    number of threads; of images equally far the first ones count.

    Args:
        pixels: Whole numbers [n, 64].
    """
    lengths = (pixels**2).sum(axis=1)
    distances = lengths[:, None] + lengths[None, :] - 2 * (pixels @ pixels.T)
    np.fill_diagonal(distances, np.iinfo(np.int64).max)
    return np.argsort(distances, axis=1, kind="stable")[:, :NEIGHBOURS]

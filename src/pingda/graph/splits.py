"""Splits of labelled nodes, drawn once a seed and the same for every method."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch import Tensor

from pingda.errors import PingdaError
from pingda.files import read_arrays, write_arrays
from pingda.graph.graph import UNLABELLED, Graph

TRAIN, VALIDATION, TEST, UNUSED = 0, 1, 2, 3
FRACTIONS = (0.1, 0.1)


@dataclass(frozen=True)
class Split:
    """Nodes to learn from, to choose by, and to report on; disjoint, int64 each."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray

    @classmethod
    def of_parts(cls, parts: np.ndarray) -> "Split":
        """Read a split from the part of each node, [n]."""
        train, validation, test = (
            np.flatnonzero(parts == part) for part in (TRAIN, VALIDATION, TEST)
        )
        return cls(train, validation, test)


def labelled(graph: Graph) -> Tensor:
    """Return the labels of a graph that can be split.

    A class with one node can be learned or tested, not both, and is most likely a
    mistake. Texas has one; published benchmarks are evaluated as they are.

    Raises:
        PingdaError: There are none, too few, or a class has one node.
    """
    if graph.y is None or graph.classes == 0:
        raise PingdaError(
            f"{graph.name} has no labels; evaluation needs them (fit and embed do not)"
        )
    known = graph.y[graph.y != UNLABELLED]
    counts = known.bincount()
    if graph.classes < 2:
        raise PingdaError(
            f"{graph.name} has one class only; evaluation needs at least two"
        )
    if not graph.benchmark and bool((counts == 1).any()):
        lone = int((counts == 1).nonzero()[0])
        raise PingdaError(
            f"{graph.name} has a class with one node (class {lone}), which cannot be "
            "both learned and tested; merge it or set its label to -1"
        )
    if known.numel() < 10:
        raise PingdaError(
            f"{graph.name} has {known.numel()} labelled nodes; "
            "a 10/10/80 split needs at least 10"
        )
    return graph.y


def draw_parts(y: Tensor, seed: int) -> np.ndarray:
    """Draw one random 10/10/80 split of the labelled nodes.

    It depends on the seed and the number of labelled nodes alone. A class may be
    missing from the training part, as in the published protocol.

    Returns:
        The part of each node, uint8 [n].
    """
    known = np.flatnonzero(y.numpy() != UNLABELLED)
    order = np.random.default_rng([seed, known.size]).permutation(known)
    train, validation = (max(1, int(f * known.size)) for f in FRACTIONS)
    parts = np.full(y.numel(), UNUSED, dtype=np.uint8)
    parts[order[:train]] = TRAIN
    parts[order[train : train + validation]] = VALIDATION
    parts[order[train + validation :]] = TEST
    return parts


def draw_all_parts(y: Tensor, count: int) -> np.ndarray:
    """Draw the splits of seeds 0 … count−1, uint8 [count, n]."""
    return np.stack([draw_parts(y, seed) for seed in range(count)])


def store_splits(path: Path, parts: np.ndarray) -> None:
    """Write the parts of all splits, uint8 [splits, n]."""
    write_arrays(path, parts=parts)


def read_splits(path: Path) -> np.ndarray:
    """Read what :func:`store_splits` wrote."""
    arrays = read_arrays(path)
    if "parts" not in arrays:
        raise PingdaError(f"{path} holds no splits")
    return arrays["parts"]

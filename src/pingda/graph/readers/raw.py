"""What every reader returns."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class RawGraph:
    """A graph just as its files say.

    Args:
        x: Features [n, f], sparse or dense.
        edge_index: Source and target of each edge, int64 [2, e].
        y: Class of each node, int64 [n], −1 where unknown; None without labels.
    """

    x: sp.csr_matrix | np.ndarray
    edge_index: np.ndarray
    y: np.ndarray | None

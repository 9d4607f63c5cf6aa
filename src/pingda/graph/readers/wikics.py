"""WikiCS (Mernyei and Cangea, 2020): one JSON file."""

import json
from pathlib import Path

import numpy as np

from pingda.graph.readers.raw import RawGraph

FILES = ("data.json",)


def read(folder: Path) -> RawGraph:
    """Read ``features``, ``labels`` and the neighbour lists ``links``."""
    data = json.loads((folder / FILES[0]).read_text(encoding="utf-8"))
    edges = [(u, v) for u, targets in enumerate(data["links"]) for v in targets]
    return RawGraph(
        np.array(data["features"], dtype=np.float32),
        np.array(edges, dtype=np.int64).reshape(-1, 2).T,
        np.array(data["labels"], dtype=np.int64),
    )

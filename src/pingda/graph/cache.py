"""Parsed graphs on disk: sparse, without pickles, and rebuilt when damaged."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from pingda.errors import PingdaError
from pingda.files import read_arrays, write_arrays
from pingda.graph.places import data_folder
from pingda.graph.readers.raw import RawGraph

# Raised when parsing changes, so that old files are not read.
FORMAT = 2


def cache_path(name: str) -> Path:
    """Return where the parsed graph ``name`` lies."""
    return data_folder() / "graphs" / f"{name.replace(':', '-')}-v{FORMAT}.npz"


def store(name: str, raw: RawGraph) -> None:
    """Write the parsed graph; features stay sparse if they are."""
    arrays = {"edge_index": raw.edge_index.astype(np.int32)}
    if raw.y is not None:
        arrays["y"] = raw.y
    if sp.issparse(raw.x):
        arrays |= {
            "x_values": raw.x.data.astype(np.float32),
            "x_columns": raw.x.indices.astype(np.int32),
            "x_pointers": raw.x.indptr.astype(np.int64),
            "x_shape": np.array(raw.x.shape, dtype=np.int64),
        }
    else:
        arrays["x"] = np.asarray(raw.x, dtype=np.float32)
    write_arrays(cache_path(name), compress=False, **arrays)


def recall(name: str) -> RawGraph | None:
    """Read the parsed graph; None if there is none or it cannot be read."""
    try:
        arrays = read_arrays(cache_path(name))
        x: sp.csr_matrix | np.ndarray
        if "x" in arrays:
            x = arrays["x"]
        else:
            parts = (arrays[f"x_{part}"] for part in ("values", "columns", "pointers"))
            x = sp.csr_matrix(tuple(parts), shape=tuple(arrays["x_shape"]))
        edges = arrays["edge_index"].astype(np.int64)
    except (PingdaError, KeyError, ValueError):
        return None
    return RawGraph(x, edges, arrays.get("y"))

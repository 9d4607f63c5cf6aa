"""Embeddings as files for other tools: ``.npz``, ``.csv`` and ``.parquet``."""

import csv
import io
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from pingda.errors import PingdaError
from pingda.files import write_arrays, write_bytes, write_text

FORMATS = (".npz", ".csv", ".parquet")


def check_format(path: Path) -> None:
    """Raise if embeddings cannot be written to a file of this name."""
    if path.suffix not in FORMATS:
        raise PingdaError(
            f"cannot write {path}: its ending must be one of {', '.join(FORMATS)}"
        )
    if path.suffix == ".parquet" and find_spec("polars") is None:
        raise PingdaError(
            "writing .parquet needs polars: pip install 'pingda[parquet]', or write "
            ".npz or .csv"
        )


def write_table(path: Path, ids: np.ndarray, z: np.ndarray) -> None:
    """Write one row a node: its id, then its embedding in columns ``e0``, ``e1``.

    Args:
        path: The file; its ending chooses the format. ``.npz`` holds the arrays
            ``ids`` and ``embeddings``.
        ids: Identifiers [n].
        z: Embeddings [n, d].
    """
    check_format(path)
    if path.suffix == ".npz":
        write_arrays(path, embeddings=z, ids=ids)
        return
    columns = [f"e{i}" for i in range(z.shape[1])]
    if path.suffix == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["id", *columns])
        for node, row in zip(ids.tolist(), z, strict=True):
            writer.writerow([node, *(f"{value:.9g}" for value in row)])
        write_text(path, text.getvalue())
        return
    import polars as pl  # noqa: PLC0415 - an optional extra

    buffer = io.BytesIO()
    frame = pl.DataFrame({"id": ids, **{c: z[:, i] for i, c in enumerate(columns)}})
    frame.write_parquet(buffer)
    write_bytes(path, buffer.getvalue())

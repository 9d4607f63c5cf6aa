from pathlib import Path

import numpy as np

from graph.miniatures import ogbn_arxiv as write
from pingda.graph.readers import ogbn


def test_compressed_tables_without_headers(tmp_path: Path) -> None:
    write(tmp_path / "raw")
    raw = ogbn.read(tmp_path / "raw")
    assert raw.edge_index.T.tolist() == [[0, 2], [1, 0], [2, 1], [0, 2]]
    assert isinstance(raw.x, np.ndarray)
    assert raw.x.dtype == np.float32
    assert raw.x.shape == (3, 2)
    assert raw.y is not None
    assert raw.y.tolist() == [4, 0, 4]

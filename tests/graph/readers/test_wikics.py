from pathlib import Path

import numpy as np

from graph.miniatures import wikics as write
from pingda.graph.readers import wikics


def test_links_are_lists_of_targets(tmp_path: Path) -> None:
    write(tmp_path / "raw")
    raw = wikics.read(tmp_path / "raw")
    assert raw.edge_index.T.tolist() == [[0, 1], [0, 2], [2, 0], [2, 2]]
    assert isinstance(raw.x, np.ndarray)
    assert raw.x.tolist() == [[0.5, -1.0], [0.25, 2.0], [1.0, 0.0]]
    assert raw.y is not None
    assert raw.y.tolist() == [1, 0, 1]

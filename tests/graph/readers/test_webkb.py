from pathlib import Path

from graph.miniatures import webkb as write
from pingda.graph.readers import webkb


def test_nodes_are_ordered_by_their_number(tmp_path: Path) -> None:
    write(tmp_path / "raw")
    raw = webkb.read(tmp_path / "raw")
    assert raw.x.toarray().tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    assert raw.y is not None
    assert raw.y.tolist() == [2, 4, 4]
    assert raw.edge_index.T.tolist() == [[0, 1], [2, 2], [2, 1]]

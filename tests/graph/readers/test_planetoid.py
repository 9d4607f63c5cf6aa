from pathlib import Path

from graph.miniatures import planetoid as write
from pingda.graph.readers import planetoid


def test_nodes_get_their_own_rows_and_lone_nodes_are_empty(tmp_path: Path) -> None:
    write(tmp_path / "raw", "cora")
    raw = planetoid.read(tmp_path / "raw", "Cora")
    assert raw.x.toarray().tolist() == [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [3, 3, 3],
        [0, 0, 0],
        [5, 5, 5],
    ]
    assert raw.y is not None
    assert raw.y.tolist() == [0, 1, 0, 0, 0, 1]


def test_edges_are_as_the_file_says(tmp_path: Path) -> None:
    write(tmp_path / "raw", "cora")
    edges = planetoid.read(tmp_path / "raw", "Cora").edge_index.T.tolist()
    assert edges[:3] == [[0, 1], [0, 1], [0, 0]]
    assert len(edges) == 10

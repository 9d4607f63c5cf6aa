from pathlib import Path

from graph.miniatures import benchmark_npz as write
from pingda.graph.readers import benchmark_npz


def test_attributes_become_zero_or_one(tmp_path: Path) -> None:
    write(tmp_path / "g.npz")
    raw = benchmark_npz.read(tmp_path / "g.npz")
    assert raw.x.toarray().tolist() == [[0, 1], [0, 0], [1, 1]]
    assert raw.edge_index.T.tolist() == [[0, 0], [0, 1], [1, 2]]
    assert raw.y is not None
    assert raw.y.tolist() == [2, 0, 1]

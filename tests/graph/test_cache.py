from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from pingda.graph import cache
from pingda.graph.readers.raw import RawGraph

EDGES = np.array([[0, 1, 2], [1, 2, 0]])


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINGDA_DATA", str(tmp_path))


@pytest.mark.parametrize("y", [None, np.array([0, 1, 0])])
def test_sparse_graphs_come_back_sparse(y: np.ndarray | None) -> None:
    x = sp.random(3, 50, density=0.1, format="csr", dtype=np.float32, random_state=0)
    cache.store("family:Name", RawGraph(x, EDGES, y))
    back = cache.recall("family:Name")
    assert back is not None
    assert sp.issparse(back.x)
    assert (back.x != x).nnz == 0
    assert np.array_equal(back.edge_index, EDGES)
    assert (back.y is None) == (y is None)


def test_dense_graphs_come_back_dense() -> None:
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    cache.store("name", RawGraph(x, EDGES, None))
    back = cache.recall("name")
    assert back is not None
    assert np.array_equal(np.asarray(back.x), x)


def test_what_is_missing_or_damaged_is_not_recalled() -> None:
    assert cache.recall("name") is None
    cache.store("name", RawGraph(np.eye(3), EDGES, None))
    path = cache.cache_path("name")
    whole = path.read_bytes()
    for damage in (b"", whole[:100], whole[: len(whole) // 2], b"x" * 500):
        path.write_bytes(damage)
        assert cache.recall("name") is None

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

from conftest import save_npz
from pingda.errors import PingdaError
from pingda.graph import Graph, SparseFeatures
from pingda.graph.own import from_data, read_npz
from pingda.graph.sparse import dense


def test_a_file_gives_the_graph_back(toy: Graph, toy_file: Path) -> None:
    assert read_npz(toy_file).fingerprint() == toy.fingerprint()


def test_sparse_features_and_weights(tmp_path: Path, toy: Graph) -> None:
    x = sp.random(60, 40, density=0.05, format="csr", random_state=0)
    weight = np.linspace(0, 1, toy.edge_index.shape[1])
    path = save_npz(
        tmp_path / "g.npz",
        toy,
        x=None,
        y=None,
        x_data=x.data,
        x_indices=x.indices,
        x_indptr=x.indptr,
        x_shape=np.array(x.shape),
        edge_weight=weight,
    )
    graph = read_npz(path)
    assert isinstance(graph.x, SparseFeatures)
    assert np.allclose(dense(graph.x).numpy(), x.toarray())
    assert graph.y is None
    assert graph.edge_weight is not None
    assert np.allclose(graph.edge_weight.numpy(), weight)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edge_index": None}, "no array 'edge_index'; it holds x, y"),
        ({"edge_index": np.zeros((2, 3))}, "edge_index of type float64"),
        ({"x": np.array([["a"]])}, "x of type <U1; give numbers"),
        ({"x": np.zeros(60)}, r"x of shape \[60\]"),
        ({"y": np.full(60, 0.5)}, "no whole numbers"),
    ],
)
def test_broken_arrays(
    tmp_path: Path, toy: Graph, changes: dict[str, np.ndarray | None], message: str
) -> None:
    with pytest.raises(PingdaError, match=message):
        read_npz(save_npz(tmp_path / "g.npz", toy, **changes))


def test_broken_sparse_features(tmp_path: Path, toy: Graph) -> None:
    parts = {
        "x_data": np.ones(2),
        "x_indices": np.array([0, 99]),
        "x_indptr": np.array([0, 2]),
        "x_shape": np.array([1, 5]),
    }
    with pytest.raises(PingdaError, match="broken sparse features"):
        read_npz(save_npz(tmp_path / "g.npz", toy, x=None, **parts))


def test_files_that_are_missing_or_hold_pickles(tmp_path: Path) -> None:
    with pytest.raises(PingdaError, match="there is no file"):
        read_npz(tmp_path / "missing.npz")
    np.savez(tmp_path / "p.npz", edge_index=np.array([object()], dtype=object))
    with pytest.raises(PingdaError, match="cannot read"):
        read_npz(tmp_path / "p.npz")
    (tmp_path / "g.npz").write_bytes(b"garbage")
    with pytest.raises(PingdaError, match="cannot read"):
        read_npz(tmp_path / "g.npz")


def test_pyg_data_is_taken_over(toy: Graph) -> None:
    data = Data(x=toy.x, edge_index=toy.edge_index, y=toy.y)
    assert from_data(data, "memory").fingerprint() == toy.fingerprint()


def test_without_features_the_nodes_are_counted(toy: Graph) -> None:
    edges = torch.tensor([[0, 1], [1, 4]])
    assert from_data(Data(edge_index=edges), "memory").nodes == 5
    assert from_data(Data(edge_index=edges, num_nodes=9), "memory").nodes == 9


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(PingdaError, match=r"\(int\) has no edge_index"):
        from_data(3, "the graph in memory")

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from pingda.errors import PingdaError
from pingda.graph import Graph, SparseFeatures
from pingda.graph.checks import (
    check_edges,
    check_features,
    check_labels,
    integer_labels,
)


def test_a_good_graph_passes(toy: Graph) -> None:
    check_edges(toy)
    check_features(toy)
    check_labels(toy)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([[0, 1], [1, 60]], "edge 1 joins 1 and 60, but nodes are 0 to 59"),
        ([[0, -1], [1, 0]], "edge 1 joins -1 and 0"),
        ([[], []], "has no edges"),
        ([[0, 1, 2]], r"edges of shape \[1, 3\]"),
    ],
)
def test_broken_edges(toy: Graph, edges: list[list[int]], message: str) -> None:
    broken = replace(toy, edge_index=torch.tensor(edges, dtype=torch.long))
    with pytest.raises(PingdaError, match=message):
        check_edges(broken)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (torch.ones(3), "3 edge weights for"),
        (None, "negative, NaN or infinite"),
    ],
)
def test_broken_weights(toy: Graph, weight: torch.Tensor | None, message: str) -> None:
    if weight is None:
        weight = torch.ones(toy.edge_index.shape[1])
        weight[5] = float("nan")
    with pytest.raises(PingdaError, match=message):
        check_edges(replace(toy, edge_weight=weight))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_features_that_are_no_numbers_are_located(toy: Graph, value: float) -> None:
    assert isinstance(toy.x, torch.Tensor)
    x = toy.x.clone()
    x[7, 3] = value
    with pytest.raises(PingdaError, match="1 NaN or infinite.*node 7, column 3"):
        check_features(replace(toy, x=x))


def test_sparse_features_that_are_no_numbers_are_located(toy: Graph) -> None:
    matrix = sp.lil_matrix((60, 9), dtype=np.float32)
    matrix[7, 3] = np.nan
    x = SparseFeatures.from_scipy(sp.csr_matrix(matrix))
    with pytest.raises(PingdaError, match="node 7, column 3"):
        check_features(replace(toy, x=x))


def test_no_features_and_one_node(toy: Graph) -> None:
    with pytest.raises(PingdaError, match="no node features.*features=degree"):
        check_features(replace(toy, x=torch.zeros(60, 0)))
    with pytest.raises(PingdaError, match="1 node"):
        check_edges(replace(toy, x=torch.ones(1, 3)))


def test_labels_must_be_one_a_node(toy: Graph) -> None:
    with pytest.raises(PingdaError, match="5 labels for 60 nodes"):
        check_labels(replace(toy, y=torch.zeros(5)))


def test_labels_are_whole_numbers() -> None:
    assert integer_labels("g", np.array([0.0, 2.0, -1.0])).tolist() == [0, 2, -1]
    assert integer_labels("g", np.array([True, False])).tolist() == [1, 0]
    for odd, shown in (
        (np.array([0.0, 1.5]), "1.5"),
        (np.array([0.0, np.nan]), "nan"),
        (np.array(["a", "b"]), "'a'"),
    ):
        with pytest.raises(PingdaError, match=f"no whole numbers .such as {shown}"):
            integer_labels("g", odd)
    with pytest.raises(PingdaError, match="label -2"):
        integer_labels("g", np.array([0, -2]))

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.nn import GCNConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from oracles.gcn import normalised_adjacency
from pingda.graph import Graph, GraphView
from pingda.graph.propagation import Propagation

edge_lists = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] != e[1]),
    min_size=1,
    max_size=20,
    unique=True,
)


@given(edge_lists, st.integers(0, 10**6), st.booleans())
def test_values_and_gradients_agree_with_dense_matrices(
    edges: list[tuple[int, int]], seed: int, clean_degrees: bool
) -> None:
    torch.manual_seed(seed)
    edge_index = torch.tensor(edges).t().contiguous()
    x = torch.zeros(7, 1, dtype=torch.float64)
    start = torch.rand(len(edges), dtype=torch.float64)
    degree_weight = torch.ones_like(start) if clean_degrees else None
    h0, out = (torch.randn(7, 3, dtype=torch.float64) for _ in "ab")
    results = []
    for oracle in (False, True):
        weight, h = start.clone().requires_grad_(), h0.clone().requires_grad_()
        if oracle:
            y = normalised_adjacency(edge_index, weight, 7, degree_weight) @ h
        else:
            view = GraphView(x, edge_index).with_edge_weight(weight, degree_weight)
            y = Propagation(view)(h)
        (y * out).sum().backward()
        assert weight.grad is not None
        assert h.grad is not None
        results.append((y.detach(), weight.grad, h.grad))
    for ours, plain in zip(*results, strict=True):
        torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-10)


def test_it_is_pygs_normalisation_on_a_real_graph(cora: Graph) -> None:
    weight = torch.rand(cora.edge_index.shape[1])
    edge_index, norm = gcn_norm(cora.edge_index, weight, cora.nodes)
    conv = GCNConv(5, 5, bias=False, normalize=False)
    conv.lin.weight.data = torch.eye(5)
    h = torch.randn(cora.nodes, 5)
    expected = conv(h, edge_index, norm)
    found = Propagation(cora.view().with_edge_weight(weight))(h)
    torch.testing.assert_close(found, expected)


def test_a_node_that_lost_all_edges_keeps_itself(toy: Graph) -> None:
    nothing = torch.zeros(toy.edge_index.shape[1])
    h = torch.randn(60, 2)
    assert torch.equal(Propagation(toy.view().with_edge_weight(nothing))(h), h)

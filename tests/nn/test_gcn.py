import torch

from oracles.gcn import normalised_adjacency
from pingda.graph import Graph, SparseFeatures
from pingda.nn import GCN


def test_two_layers_as_the_formula_says(toy: Graph) -> None:
    encoder = GCN(12, 8, 5).double()
    view = toy.view()
    assert isinstance(view.x, torch.Tensor)
    view = view.with_features(view.x.double())
    a = normalised_adjacency(toy.edge_index, view.weights(), 60)
    phi = encoder.activation
    first, second = encoder.first, encoder.second
    h = phi(a @ view.x @ first.weight + first.bias)
    expected = phi(a @ h @ second.weight + second.bias)
    torch.testing.assert_close(encoder(view), expected)


def test_one_slope_serves_both_layers() -> None:
    slopes = [p for p in GCN(12, 8, 5).parameters() if p.numel() == 1]
    assert len(slopes) == 1
    assert not [p for p in GCN(12, 8, 5, "relu").parameters() if p.numel() == 1]


def test_glorot_weights_and_zero_bias() -> None:
    encoder = GCN(300, 200, 100)
    bound = (6 / 500) ** 0.5
    weight = encoder.first.weight.detach()
    assert float(weight.abs().max()) <= bound
    assert float(weight.abs().max()) > 0.99 * bound
    assert float(encoder.first.bias.detach().abs().max()) == 0


def test_sparse_features_are_encoded_as_dense_ones(cora: Graph) -> None:
    assert isinstance(cora.x, SparseFeatures)
    encoder = GCN(cora.features, 16, 8)
    full = cora.view().with_features(cora.x.to_dense())
    torch.testing.assert_close(
        encoder(cora.view()), encoder(full), rtol=1e-4, atol=1e-6
    )

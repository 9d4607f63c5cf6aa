from dataclasses import replace

import pytest
import torch

from oracles.gcn import normalised_adjacency
from pingda.graph import Graph, GraphView
from pingda.nn.channels import Channels


def double(toy: Graph) -> GraphView:
    assert isinstance(toy.x, torch.Tensor)
    return toy.view().with_features(toy.x.double())


def test_three_channels_as_the_formula_says(toy: Graph) -> None:
    encoder, view = Channels(12, 10).double(), double(toy)
    torch.nn.init.normal_(encoder.bias)
    weights = torch.rand(toy.edge_index.shape[1], dtype=torch.float64)
    a = normalised_adjacency(toy.edge_index, weights, 60)
    parts = []
    for channel, (w, b) in enumerate(
        zip(encoder.weight.split((4, 3, 3), 1), encoder.bias.split((4, 3, 3)), strict=1)
    ):
        h = view.x @ w
        if channel == 1:
            h = a @ h
        if channel == 2:
            start = h
            for _ in range(8):
                h = 0.85 * a @ h + 0.15 * start
        h = encoder.activations[channel](h + b)
        parts.append(h / h.norm(dim=1, keepdim=True))
    expected = torch.cat(parts, dim=1)
    torch.testing.assert_close(encoder(view.with_edge_weight(weights)), expected)


def test_gradients_reach_weights_features_and_edges(toy: Graph) -> None:
    encoder, view = Channels(12, 6).double(), double(toy)
    assert isinstance(view.x, torch.Tensor)
    edges = torch.rand(view.edge_index.shape[1], dtype=torch.float64).requires_grad_()
    x = view.x.requires_grad_()

    def run(x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        h: torch.Tensor = encoder(replace(view, x=x, edge_weight=edges))
        return h

    assert torch.autograd.gradcheck(run, (x, edges), fast_mode=True)


def test_the_ego_channel_does_not_know_the_neighbours(toy: Graph) -> None:
    encoder, view = Channels(12, 9), toy.view()
    alone = view.with_edge_weight(torch.zeros(view.edge_index.shape[1]))
    there, without = encoder(view), encoder(alone)
    assert torch.equal(there[:, :3], without[:, :3])
    assert not torch.allclose(there[:, 3:6], without[:, 3:6])
    assert not torch.allclose(there[:, 6:], without[:, 6:])


def test_each_channel_begins_by_its_own_glorot_bound() -> None:
    encoder = Channels(400, 90)
    encoder.initialise(torch.Generator().manual_seed(1))
    bound = (6 / (400 + 30)) ** 0.5
    assert float(encoder.weight.detach().abs().max()) == pytest.approx(bound, rel=0.01)

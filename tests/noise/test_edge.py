import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pingda.graph import Graph
from pingda.noise import EdgeNoise
from pingda.noise.edge import relaxed_bernoulli
from pingda.seeding import initialise


@given(st.floats(-30, 30), st.floats(0.05, 5), st.integers(0, 2**31))
def test_relaxed_draws_lie_between_nothing_and_all(
    logit: float, temperature: float, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    draw = relaxed_bernoulli(torch.full((50,), logit), temperature, generator)
    assert torch.isfinite(draw).all()
    assert ((draw >= 0) & (draw <= 1)).all()


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("logit", [-2.0, 0.0, 1.0])
def test_the_share_above_one_half_is_the_probability(
    logit: float, temperature: float, generator: torch.Generator
) -> None:
    draw = relaxed_bernoulli(torch.full((200_000,), logit), temperature, generator)
    expected = torch.sigmoid(torch.tensor(logit))
    assert abs(float((draw > 0.5).float().mean()) - float(expected)) < 0.005


@pytest.mark.parametrize(
    ("logit", "mean"), [(0.0, 0.50), (1.0, 0.66), (2.0, 0.79), (3.0, 0.89), (5.0, 0.97)]
)
def test_mean_weights_of_the_dossier(
    logit: float, mean: float, generator: torch.Generator
) -> None:
    """At T = 1 no finite logit removes the noise: E[w] as a quadrature gives it."""
    draw = relaxed_bernoulli(torch.full((200_000,), logit), 1.0, generator)
    u = (torch.arange(100_000, dtype=torch.float64) + 0.5) / 100_000
    quadrature = torch.sigmoid(logit + torch.logit(u)).mean()
    assert abs(float(quadrature) - mean) < 0.01
    assert abs(float(draw.mean()) - float(quadrature)) < 0.005


def test_at_logit_zero_weights_are_uniform(generator: torch.Generator) -> None:
    draw = relaxed_bernoulli(torch.zeros(100_000), 1.0, generator)
    counts = torch.histc(draw, bins=10, min=0, max=1)
    assert (counts / 10_000 - 1).abs().max() < 0.05


def test_both_directions_of_an_edge_share_a_draw(toy: Graph) -> None:
    view = EdgeNoise(12)(toy.view())
    assert view.edge_weight is not None
    weight = torch.zeros(60, 60)
    weight[tuple(toy.edge_index)] = view.edge_weight.detach()
    assert torch.equal(weight, weight.t())


def test_directed_draws_differ(toy: Graph) -> None:
    view = EdgeNoise(12, symmetric=False)(toy.view())
    assert view.edge_weight is not None
    weight = torch.zeros(60, 60)
    weight[tuple(toy.edge_index)] = view.edge_weight.detach()
    assert not torch.allclose(weight, weight.t())


@pytest.mark.parametrize("sampling", ["soft", "hard"])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("embed", [None, (8, 4)])
def test_gradients_reach_every_parameter(
    toy: Graph, sampling: str, symmetric: bool, embed: tuple[int, int] | None
) -> None:
    noise = EdgeNoise(12, embed=embed, sampling=sampling, symmetric=symmetric)
    view = noise(toy.view())
    assert view.edge_weight is not None
    (view.edge_weight * torch.arange(view.edge_weight.numel())).sum().backward()
    for name, parameter in noise.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_hard_weights_are_zero_or_one_with_the_soft_gradient(toy: Graph) -> None:
    grads = {}
    for sampling in ("soft", "hard"):
        noise = EdgeNoise(12, sampling=sampling)
        initialise(noise, torch.Generator().manual_seed(0))
        view = noise(toy.view(), torch.Generator().manual_seed(1))
        assert view.edge_weight is not None
        if sampling == "hard":
            assert set(view.edge_weight.tolist()) == {0.0, 1.0}
        view.edge_weight.sum().backward()
        grads[sampling] = [p.grad for p in noise.parameters()]
    for soft, hard in zip(grads["soft"], grads["hard"], strict=True):
        torch.testing.assert_close(soft, hard)


def test_given_weights_are_multiplied_and_clean_degrees_are_kept(toy: Graph) -> None:
    weight = torch.rand(toy.edge_index.shape[1]) + 1
    clean = toy.view().with_edge_weight(weight)
    noise = EdgeNoise(12, degrees="clean")
    draw = noise.draw(clean)
    assert draw.view.edge_weight is not None
    assert draw.keep is not None
    torch.testing.assert_close(draw.view.edge_weight.detach(), weight * draw.keep)
    assert draw.view.degree_weight is weight
    assert EdgeNoise(12).draw(clean).view.degree_weight is None


def test_drop_probability_is_one_minus_the_keep_probability(toy: Graph) -> None:
    noise = EdgeNoise(12)
    view = toy.view()
    total = noise.drop_probability(view) + torch.sigmoid(noise.logits(view))
    torch.testing.assert_close(total, torch.ones_like(total))


def test_the_same_generator_gives_the_same_draw(toy: Graph) -> None:
    noise, view = EdgeNoise(12), toy.view()
    draws = [noise(view, torch.Generator().manual_seed(5)).edge_weight for _ in "ab"]
    assert draws[0] is not None
    assert draws[1] is not None
    assert torch.equal(draws[0], draws[1])

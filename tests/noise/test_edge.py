import pytest
import torch

from pingda.graph import Graph
from pingda.noise import EdgeDrop, EdgeNoise
from pingda.seeding import initialise


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


def with_random_scores(rate: float | None, symmetric: bool = True) -> EdgeNoise:
    """Return noise whose scores are far apart."""
    noise = EdgeNoise(12, sampling="hard", symmetric=symmetric, rate=rate)
    torch.manual_seed(3)
    torch.nn.init.normal_(noise.scorer.score.weight, std=3)
    return noise


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("symmetric", [True, False])
def test_the_mean_probability_to_drop_is_the_budget(
    toy: Graph, rate: float, symmetric: bool
) -> None:
    """To one per cent, whatever was learned; of pairs, or of edges."""
    noise = with_random_scores(rate, symmetric)
    drop = noise.drop_probability(toy.view()).detach()
    assert float(drop.std()) > 0.05
    assert float(drop.mean()) == pytest.approx(rate, rel=0.01)
    draws = [
        noise.draw(toy.view(), torch.Generator().manual_seed(s)) for s in range(80)
    ]
    kept = torch.stack([draw.keep for draw in draws if draw.keep is not None])
    assert float(1 - kept.mean()) == pytest.approx(rate, abs=0.02)


def test_equal_scores_under_a_budget_are_random_edge_drop(toy: Graph) -> None:
    """Pairs fall independently at one rate: mean and variance of the number kept."""
    noise = EdgeNoise(12, sampling="hard", rate=0.3)
    torch.nn.init.zeros_(noise.scorer.score.weight)
    drop = noise.drop_probability(toy.view()).detach()
    torch.testing.assert_close(drop, torch.full_like(drop, 0.3))
    random = EdgeDrop(0.3)
    found = []
    for part in (noise, random):
        draws = [
            part.draw(toy.view(), torch.Generator().manual_seed(s)) for s in range(900)
        ]
        kept = torch.stack([d.keep for d in draws if d.keep is not None]).sum(dim=1) / 2
        found.append((float(kept.mean()), float(kept.var())))
    assert found[0][0] == pytest.approx(found[1][0], rel=0.02)
    assert found[0][1] == pytest.approx(found[1][1], rel=0.25)


def mean_drop(noise: EdgeNoise, graph: Graph) -> float:
    return float(noise.drop_probability(graph.view()).detach().mean())


def test_a_budget_cannot_be_left_by_learning(toy: Graph) -> None:
    """What collapses free noise, growing logits, does nothing here."""
    noise = with_random_scores(0.4)
    free = with_random_scores(None)
    for part in (noise, free):
        torch.nn.init.constant_(part.scorer.score.bias, 50.0)
    assert mean_drop(noise, toy) == pytest.approx(0.4, rel=0.01)
    assert mean_drop(free, toy) < 1e-6
    other = noise.at(0.7)
    assert other.scorer is noise.scorer
    assert mean_drop(other, toy) == pytest.approx(0.7, rel=0.01)
    noise.draw(toy.view()).view.weights().sum().backward()
    assert noise.scorer.score.weight.grad is not None


@pytest.mark.parametrize("rate", [None, 0.3])
def test_uninformed_noise_has_the_same_power_and_the_same_draws(
    toy: Graph, rate: float | None
) -> None:
    noise, view = EdgeNoise(12, sampling="hard", rate=rate), toy.view()
    torch.nn.init.normal_(noise.scorer.score.weight, std=3)
    blind = noise.uninformed(view)
    known, unknown = noise.drop_probability(view), blind.drop_probability(view)
    assert float(unknown.max() - unknown.min()) < 1e-5
    assert float(unknown.mean().detach()) == pytest.approx(
        float(known.mean().detach()), abs=2e-3
    )
    assert float(known.std().detach()) > 0.01  # the noise itself is as it was
    # An edge that both drop with the same probability falls or stays in both.
    flat = EdgeNoise(12, sampling="hard", rate=0.3)
    torch.nn.init.zeros_(flat.scorer.score.weight)
    draws = [
        part.draw(view, torch.Generator().manual_seed(4)).keep
        for part in (flat, flat.uninformed(view))
    ]
    assert draws[0] is not None
    assert draws[1] is not None
    assert torch.equal(draws[0], draws[1])

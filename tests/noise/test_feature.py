from typing import Literal

import pytest
import torch

from pingda.errors import PingdaError
from pingda.graph import Graph, SparseFeatures
from pingda.graph.sparse import dense
from pingda.noise import FeatureNoise

Deviation = Literal["abs", "softplus", "exp"]
DEVIATIONS: tuple[Deviation, ...] = ("abs", "softplus", "exp")


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_deviations_are_positive_and_of_their_formula(
    toy: Graph, deviation: Deviation
) -> None:
    noise = FeatureNoise(12, deviation=deviation, gain=2.0)
    _, sigma = noise.moments(toy.x)
    s = noise.spread(toy.x)
    expected = {
        "abs": s.abs(),
        "softplus": torch.log1p(s.exp()),
        "exp": (s / 2).exp(),
    }[deviation]
    torch.testing.assert_close(sigma, 2 * expected)
    assert (sigma >= 0).all()


def test_noise_has_the_stated_moments(toy: Graph) -> None:
    noise = FeatureNoise(12)
    assert isinstance(toy.x, torch.Tensor)
    generator = torch.Generator().manual_seed(0)
    view = toy.view()
    with torch.no_grad():
        draws = torch.stack(
            [_noisy(noise, view.x, generator, toy) for _ in range(4000)]
        )
        mu, sigma = noise.moments(toy.x)
    error = (draws.mean(dim=0) - toy.x - mu) / (sigma / 4000**0.5 + 1e-9)
    assert error.abs().mean() < 1.0  # of a standard normal: 0.8
    torch.testing.assert_close(draws.std(dim=0), sigma, rtol=0.1, atol=1e-3)


def _noisy(
    noise: FeatureNoise, _x: object, generator: torch.Generator, toy: Graph
) -> torch.Tensor:
    x = noise(toy.view(), generator).x
    assert isinstance(x, torch.Tensor)
    return x


def test_zero_mean_has_no_shift_and_no_parameters(toy: Graph) -> None:
    zero = FeatureNoise(12, mean="zero")
    mu, _ = zero.moments(toy.x)
    assert float(mu) == 0
    assert len(list(zero.parameters())) == 4
    assert len(list(FeatureNoise(12).parameters())) == 8
    assert float(zero.draw(toy.view()).measure()["mean_to_signal"]) == 0


def test_no_gain_is_no_noise(toy: Graph) -> None:
    draw = FeatureNoise(12, gain=0.0).draw(toy.view())
    assert torch.equal(dense(draw.view.x), dense(toy.x))
    assert float(draw.measure()["noise_to_signal"]) == 0


def test_gradients_reach_every_parameter(toy: Graph) -> None:
    noise = FeatureNoise(12)
    x = noise(toy.view()).x
    assert isinstance(x, torch.Tensor)
    x.square().sum().backward()
    for name, parameter in noise.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


@pytest.mark.parametrize(("normalised", "expected"), [(False, 0.57), (True, 9.0)])
def test_initial_noise_on_cora_has_the_size_that_the_dossier_warns_of(
    cora: Graph, normalised: bool, expected: float
) -> None:
    """On raw rows the noise is below the signal, on normalised rows far above it."""
    from pingda.graph.transforms import normalise_rows  # noqa: PLC0415

    x = normalise_rows(cora.x) if normalised else cora.x
    assert isinstance(x, SparseFeatures)
    draw = FeatureNoise(cora.features).draw(cora.view().with_features(x))
    noisy = dense(draw.view.x)
    found = draw.measure()["noise_to_signal"]
    assert expected / 2 < float(found) < expected * 2
    actual = (noisy - dense(x)).norm() / dense(x).norm()
    torch.testing.assert_close(found, actual.detach(), rtol=0.01, atol=0)


@pytest.mark.parametrize("family", ["gaussian", "laplace", "uniform"])
@pytest.mark.parametrize("mean", ["learned", "zero"])
def test_the_power_of_the_noise_is_the_budget(
    toy: Graph,
    family: Literal["gaussian", "laplace", "uniform"],
    mean: Literal["learned", "zero"],
) -> None:
    """E‖X^ε − X‖² = ρ‖X‖² to one per cent, whatever was learned."""
    noise = FeatureNoise(12, family=family, mean=mean, rate=0.3)
    for scale in (1.0, 100.0):
        torch.nn.init.normal_(noise.spread.outer.weight, std=scale)
        mu, sigma = (part.detach() for part in noise.moments(toy.x))
        power = mu.square().expand_as(sigma).sum() + sigma.square().sum()
        signal = dense(toy.x).square().sum()
        assert float(power / signal) == pytest.approx(0.3, rel=0.01)
        generator = torch.Generator().manual_seed(0)
        view, total = toy.view(), 0.0
        for _ in range(300):
            noisy = dense(noise.draw(view, generator).view.x).detach()
            total += float((noisy - dense(toy.x)).square().sum() / signal)
        assert total / 300 == pytest.approx(0.3, rel=0.05)
    assert noise.at(0.6).spread is noise.spread


def test_the_gradient_passes_through_the_budget(toy: Graph) -> None:
    """Against finite differences, in double precision, the draw held fixed."""
    noise = FeatureNoise(12, mean="zero", rate=0.3).double()
    view = toy.view().with_features(dense(toy.x).double())
    weight = torch.randn(12, 3, dtype=torch.float64)
    bias = noise.spread.outer.bias

    def loss() -> torch.Tensor:
        drawn = noise.draw(view, torch.Generator().manual_seed(1))
        return (drawn.view.x @ weight).square().sum()

    (gradient,) = torch.autograd.grad(loss(), bias)
    for column in (0, 5):
        with torch.no_grad():
            bias[column] += 1e-6
            above = loss()
            bias[column] -= 2e-6
            below = loss()
            bias[column] += 1e-6
        slope = float(above - below) / 2e-6
        assert float(gradient[column]) == pytest.approx(slope, rel=1e-4)


def test_only_one_kind_of_deviation_has_a_budget() -> None:
    with pytest.raises(PingdaError, match="use deviation=abs"):
        FeatureNoise(12, deviation="exp", rate=0.3)
    with pytest.raises(PingdaError, match="use deviation=abs"):
        FeatureNoise(12, deviation="exp").at(0.3)


@pytest.mark.parametrize(
    ("deviation", "rate"), [*((kind, None) for kind in DEVIATIONS), ("abs", 0.3)]
)
def test_uninformed_noise_has_one_deviation_and_the_same_power_and_mean(
    toy: Graph, deviation: Deviation, rate: float | None
) -> None:
    noise, view = FeatureNoise(12, deviation=deviation, rate=rate), toy.view()
    blind = noise.uninformed(view)
    sizes = []
    for part in (noise, blind):
        draw = part.draw(view, torch.Generator().manual_seed(0))
        _ = draw.view.x @ torch.ones(12, 1)  # type: ignore[operator]
        sizes.append({k: float(v) for k, v in draw.measure().items()})
    for name in ("noise_to_signal", "mean_to_signal"):
        assert sizes[0][name] == pytest.approx(sizes[1][name], rel=1e-3), name
    mean, spread = blind._unfinished(view.x)
    assert float(spread.to_dense().std()) < 1e-6
    assert (mean is None) == (noise.mean is None)

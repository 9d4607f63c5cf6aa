from typing import Literal

import pytest
import torch

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

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from pingda.noise.budget import at_mean_rate

WIDE = torch.float64
rates = st.floats(0.01, 0.99)


def scores_of(count: int, seed: int, spread: float = 3.0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return spread * torch.randn(count, generator=generator, dtype=WIDE)


@given(st.integers(1, 50), st.integers(0, 10**6), rates, st.floats(0, 30))
def test_the_mean_probability_is_the_rate(
    count: int, seed: int, rate: float, spread: float
) -> None:
    logits = at_mean_rate(scores_of(count, seed, spread), rate)
    assert float(torch.sigmoid(logits).mean()) == pytest.approx(rate, abs=1e-9)


@given(st.integers(2, 30), st.integers(0, 10**6), rates)
def test_weighted_means_and_the_order_of_scores(
    count: int, seed: int, rate: float
) -> None:
    scores = scores_of(count, seed)
    weights = scores_of(count, seed + 1).abs()
    weights[0] = 0  # counts for nothing
    logits = at_mean_rate(scores, rate, weights)
    mean = torch.sigmoid(logits) @ weights / weights.sum()
    assert float(mean) == pytest.approx(rate, abs=1e-9)
    torch.testing.assert_close(logits - scores, (logits - scores)[:1].expand(count))


def test_equal_scores_give_the_rate_to_each() -> None:
    found = torch.sigmoid(at_mean_rate(torch.full((9,), 2.5), 0.4))
    torch.testing.assert_close(found, torch.full((9,), 0.4))


def test_the_gradient_is_that_of_finite_differences() -> None:
    scores, weights = scores_of(7, 0).requires_grad_(), scores_of(7, 1).abs()
    for given_weights in (None, weights):
        assert torch.autograd.gradcheck(
            lambda s, w=given_weights: at_mean_rate(s, 0.3, w), scores, atol=1e-7
        )


def test_moving_all_scores_moves_nothing() -> None:
    scores = scores_of(7, 0).requires_grad_()
    (by_scores,) = torch.autograd.grad(
        torch.sigmoid(at_mean_rate(scores, 0.3)).square().sum(), scores
    )
    assert float(by_scores.sum()) == pytest.approx(0, abs=1e-12)
    torch.testing.assert_close(at_mean_rate(scores + 5, 0.3), at_mean_rate(scores, 0.3))


def test_extreme_scores_stay_numbers() -> None:
    scores = torch.tensor([-1e4, 0.0, 1e4], requires_grad=True)
    logits = at_mean_rate(scores, 0.5)
    (gradient,) = torch.autograd.grad(torch.sigmoid(logits).sum(), scores)
    assert torch.isfinite(gradient).all()
    mean = torch.sigmoid(logits.detach()).mean()
    assert float(mean) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1])
def test_a_rate_is_a_mean_of_probabilities(rate: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        at_mean_rate(torch.zeros(3), rate)

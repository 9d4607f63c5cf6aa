import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pingda.noise.bernoulli import decide, relaxed_bernoulli


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


def test_hard_decisions_are_bernoulli_draws_with_the_soft_gradient(
    generator: torch.Generator,
) -> None:
    logits = torch.full((100_000,), 0.7, requires_grad=True)
    again = torch.Generator().manual_seed(0)
    hard = decide(logits, 0.5, "hard", generator)
    assert set(hard.detach().unique().tolist()) == {0.0, 1.0}
    assert float(hard.detach().mean()) == pytest.approx(
        float(torch.sigmoid(logits[0].detach())), abs=0.006
    )
    soft = decide(logits, 0.5, "soft", again)
    gradients = [torch.autograd.grad(w.sum(), logits)[0] for w in (hard, soft)]
    torch.testing.assert_close(gradients[0], gradients[1])

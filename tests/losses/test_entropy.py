import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from pingda.losses.entropy import GAUSSIAN_CONSTANT, log_kappa, task_entropy
from pingda.losses.infonce import info_nce


def gaussian_entropy_by_integration(variance: float) -> float:
    """−∫ p log p of a zero-mean Gaussian, by the trapezoid rule."""
    deviation = variance**0.5
    alpha = torch.linspace(-12 * deviation, 12 * deviation, 20_001).double()
    p = torch.exp(-(alpha**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    integrand = torch.where(p > 0, -p * torch.log(p), torch.zeros_like(p))
    return float(torch.trapezoid(integrand, alpha))


def views(seed: int, n: int = 12, d: int = 5) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    p = torch.randn(n, d, generator=generator, dtype=torch.float64)
    return p, p + torch.randn(n, d, generator=generator, dtype=torch.float64)


@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.5, 1.0]))
def test_task_entropy_is_the_integral_of_the_papers_gaussians(
    seed: int, tau: float
) -> None:
    """H(T|E) is the mean entropy of N(0, 1/κ(u, ε)) over the nodes."""
    p, q = views(seed)
    variances = torch.exp(-log_kappa(p, q, tau)).tolist()
    integrals = [gaussian_entropy_by_integration(v) for v in variances]
    found = float(task_entropy(p, q, tau))
    assert found == pytest.approx(sum(integrals) / len(integrals), abs=1e-6)


@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.3, 1.0]))
def test_entropy_and_infonce_differ_by_a_constant_and_a_half(
    seed: int, tau: float
) -> None:
    p, q = views(seed)
    loss = float(info_nce(p, q, tau, symmetric=False))
    assert loss == pytest.approx(-float(log_kappa(p, q, tau).mean()), rel=1e-10)
    assert float(task_entropy(p, q, tau)) == pytest.approx(GAUSSIAN_CONSTANT + loss / 2)


@given(st.integers(0, 10**6))
def test_kappa_is_a_share(seed: int) -> None:
    kappa = log_kappa(*views(seed), tau=0.3).exp()
    assert ((kappa > 0) & (kappa <= 1)).all()

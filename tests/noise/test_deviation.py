from collections.abc import Iterator

import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from torch import Tensor

from pingda.hardware import Precision, products_in
from pingda.noise import deviation
from pingda.noise.deviation import (
    Deviation,
    Drawing,
    Family,
    add_deviation,
    deviation_noise,
    fill,
)

KINDS: tuple[Deviation, ...] = ("abs", "softplus", "exp")
WIDE = torch.float64


@pytest.fixture(autouse=True, scope="module")
def _small_tiles() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deviation, "TILE", 3)
        yield


def product(
    hidden: Tensor, outer: Tensor, bias: Tensor, weight: Tensor, drawn: Drawing
) -> Tensor:
    """Add the noise's product to nothing."""
    start = hidden.new_zeros(len(hidden), weight.shape[1])
    return add_deviation(start, hidden, outer, bias, weight, drawn)


def drawing(kind: Deviation, seed: int = 5, dtype: torch.dtype = WIDE) -> Drawing:
    return Drawing(kind, seed, torch.zeros(2, dtype=dtype))


def factors(n: int, f: int, seed: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shapes = ((n, 4), (f, 4), (f,), (f, 5))
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()
        for shape in shapes
    ]


@hypothesis_settings(max_examples=40)
@given(
    st.integers(1, 8), st.integers(1, 8), st.sampled_from(KINDS), st.integers(0, 10**6)
)
def test_products_and_gradients_are_those_of_the_dense_noise(
    n: int, f: int, kind: Deviation, seed: int
) -> None:
    """The dense noise is multiplied and differentiated by PyTorch itself."""
    found = factors(n, f, seed)
    drawn = drawing(kind, seed)
    ours = product(found[0], found[1], found[2], found[3], drawn)
    dense = deviation_noise(found[0], found[1], found[2], drawn)
    plain = dense @ found[3]
    torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-10)
    upstream = torch.randn(ours.shape, dtype=torch.float64)
    for a, b in zip(
        torch.autograd.grad(ours, found, upstream),
        torch.autograd.grad(plain, found, upstream),
        strict=True,
    ):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-10)


def test_it_is_added_to_what_was_there() -> None:
    found = factors(4, 5, 3)
    drawn, start = drawing("abs"), torch.ones(4, 5, dtype=WIDE).requires_grad_()
    total = add_deviation(start * 2, *found, drawn)  # type: ignore[call-arg]
    torch.testing.assert_close(total, 2 + product(*found, drawn))  # type: ignore[call-arg]
    (gradient,) = torch.autograd.grad(total.sum(), [start])
    assert bool((gradient == 2).all())


@pytest.mark.parametrize("kind", KINDS)
def test_the_noise_has_the_stated_deviation(kind: Deviation) -> None:
    hidden, outer, bias, _ = factors(4, 5, 0)
    s = hidden @ outer.t() + bias
    sigma = {
        "abs": s.abs(),
        "softplus": torch.log1p(s.exp()),
        "exp": (s / 2).exp(),
    }[kind]
    draws = torch.stack(
        [
            deviation_noise(hidden, outer, bias, drawing(kind, seed))
            for seed in range(4000)
        ]
    )
    torch.testing.assert_close(draws.std(dim=0), sigma, rtol=0.06, atol=1e-3)
    error = draws.mean(dim=0) / (sigma / 4000**0.5)
    assert float(error.detach().abs().max()) < 4.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_lower_precisions_stay_near(kind: Deviation, precision: Precision) -> None:
    """Single precision to 1e-5 of the norm; bfloat16 factors to 2⁻⁶."""
    single = [f.detach().float().requires_grad_() for f in factors(20, 30, 1)]
    upstream = torch.randn(20, 5)
    drawn = drawing(kind, dtype=torch.float32)
    with products_in(precision, torch.device("cpu")):
        found = product(single[0], single[1], single[2], single[3], drawn)
        gradients = torch.autograd.grad(found, single, upstream)
    plain = deviation_noise(single[0], single[1], single[2], drawn) @ single[3]
    expected = torch.autograd.grad(plain, single, upstream)
    bound = {"fp32": 1e-5, "bf16": 2**-6}[precision]
    for a, b in zip((found, *gradients), (plain, *expected), strict=True):
        assert float(((a - b).norm() / b.norm()).detach()) < bound


def test_what_was_drawn_is_measured() -> None:
    hidden, outer, bias, weight = factors(7, 8, 2)
    drawn = drawing("softplus")
    sigma = torch.nn.functional.softplus(hidden @ outer.t() + bias).detach()
    expected = torch.stack([sigma.sum(), sigma.square().sum()])
    product(hidden, outer, bias, weight, drawn)
    torch.testing.assert_close(drawn.measured, expected)
    deviation_noise(hidden, outer, bias, drawn)
    torch.testing.assert_close(drawn.measured, expected)


@pytest.mark.parametrize(
    ("family", "kurtosis"), [("gaussian", 3.0), ("laplace", 6.0), ("uniform", 1.8)]
)
def test_families_have_mean_zero_variance_one_and_their_tails(
    family: Family, kurtosis: float
) -> None:
    generator = torch.Generator().manual_seed(0)
    drawn = fill(torch.empty(400_000, dtype=WIDE), family, generator)
    assert torch.isfinite(drawn).all()
    assert float(drawn.mean()) == pytest.approx(0, abs=0.01)
    assert float(drawn.var()) == pytest.approx(1, abs=0.02)
    assert float(drawn.pow(4).mean()) == pytest.approx(kurtosis, rel=0.06)


@pytest.mark.parametrize("family", ["laplace", "uniform"])
def test_products_of_other_families_are_those_of_their_dense_noise(
    family: Family,
) -> None:
    found = factors(7, 8, 4)
    drawn = Drawing("abs", 5, torch.zeros(2, dtype=WIDE), family)
    dense = deviation_noise(found[0], found[1], found[2], drawn)
    ours = product(found[0], found[1], found[2], found[3], drawn)
    torch.testing.assert_close(ours, dense @ found[3], rtol=1e-10, atol=1e-10)

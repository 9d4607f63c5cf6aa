import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from torch import Tensor

from oracles.infonce import info_nce as plain_info_nce
from pingda.losses import InfoNCE, info_nce, infonce


def value_and_gradients(
    loss: object, p: Tensor, q: Tensor, *words: object
) -> tuple[Tensor, Tensor, Tensor]:
    p, q = p.clone().requires_grad_(), q.clone().requires_grad_()
    value: Tensor = loss(p, q, *words)
    (3 * value).backward()
    assert p.grad is not None
    assert q.grad is not None
    return value.detach(), p.grad, q.grad


@hypothesis_settings(max_examples=20)
@given(
    st.integers(1, 9),
    st.integers(1, 6),
    st.sampled_from([0.05, 0.3, 1.0]),
    st.booleans(),
    st.integers(1, 5),
    st.integers(0, 10**6),
)
def test_value_and_gradients_agree_with_the_formula(
    n: int, d: int, tau: float, symmetric: bool, tile: int, seed: int
) -> None:
    torch.manual_seed(seed)
    p, q = (torch.randn(n, d, dtype=torch.float64) for _ in "ab")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(infonce, "TILE", tile)
        ours = value_and_gradients(info_nce, p, q, tau, symmetric)
    plain = value_and_gradients(plain_info_nce, p, q, tau, symmetric)
    for found, expected in zip(ours, plain, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("symmetric", [True, False])
def test_single_precision_across_real_tiles(symmetric: bool) -> None:
    torch.manual_seed(0)
    p, q = torch.randn(1100, 32), torch.randn(1100, 32)
    single = value_and_gradients(info_nce, p, q, 0.3, symmetric)
    double = value_and_gradients(info_nce, p.double(), q.double(), 0.3, symmetric)
    for found, expected in zip(single, double, strict=True):
        scale = expected.abs().max()
        assert float((found - expected).abs().max() / scale) < 1e-5


def test_a_small_temperature_is_safe() -> None:
    torch.manual_seed(0)
    p = torch.randn(50, 8)
    for q in (p, -p, torch.randn(50, 8)):
        for value in value_and_gradients(info_nce, p, q, 0.025):
            assert torch.isfinite(value).all()


def test_equal_views_are_the_minimum_over_rotations() -> None:
    """With everything else fixed, agreement lowers the loss: no noise is best."""
    torch.manual_seed(0)
    p = torch.randn(40, 8, dtype=torch.float64)
    quiet = info_nce(p, p, 0.3)
    for size in (0.1, 0.5, 1.0):
        noisy = info_nce(p, p + size * torch.randn_like(p), 0.3)
        assert float(noisy) > float(quiet)


def test_blocks_see_only_their_own_negatives() -> None:
    torch.manual_seed(0)
    p, q = torch.randn(700, 4, dtype=torch.float64), torch.randn(700, 4).double()
    loss = InfoNCE(0.5, negatives="minibatch")
    found = loss(p, q, torch.Generator().manual_seed(3))
    order = torch.randperm(700, generator=torch.Generator().manual_seed(3))
    blocks = order.split(256)
    expected = sum(
        (info_nce(p[b], q[b], 0.5) * b.numel() for b in blocks), torch.zeros(())
    )
    torch.testing.assert_close(found, expected / 700)
    assert [block.numel() for block in blocks] == [256, 256, 188]


def test_the_module_is_the_function() -> None:
    p, q = torch.randn(20, 4), torch.randn(20, 4)
    assert torch.equal(InfoNCE(0.4, symmetric=False)(p, q), info_nce(p, q, 0.4, False))

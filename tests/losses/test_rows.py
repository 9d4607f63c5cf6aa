import torch
from torch.nn.functional import normalize

from pingda.losses.rows import agreement, unit_rows


def two(n: int = 5, d: int = 3) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [
        torch.randn(n, d, generator=generator, dtype=torch.float64).requires_grad_()
        for _ in range(2)
    ]


def test_values_and_gradients_are_those_of_plain_tensors() -> None:
    p, q = two()
    up_rows, up_own = torch.randn(10, 3).double(), torch.randn(5).double()
    ours = unit_rows(p, q)
    a, b = normalize(p, dim=1), normalize(q, dim=1)
    plain = torch.cat([a, b])
    torch.testing.assert_close(ours, plain, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(agreement(ours), (a * b).sum(1), rtol=1e-12, atol=1e-12)
    found = torch.autograd.grad(
        (ours * up_rows).sum() + (agreement(ours) * up_own).sum(), [p, q]
    )
    expected = torch.autograd.grad(
        (plain * up_rows).sum() + ((a * b).sum(1) * up_own).sum(), [p, q]
    )
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


def test_a_row_of_zeros_stays_and_its_gradient_is_a_number() -> None:
    p, q = two()
    with torch.no_grad():
        p[2] = 0
    rows = unit_rows(p, q)
    assert float(rows[2].detach().abs().max()) == 0
    gradients = torch.autograd.grad(agreement(rows).sum(), [p, q])
    assert all(torch.isfinite(g).all() for g in gradients)

from collections.abc import Iterator

import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import normalize

from oracles.similarity import log_sums as plain_log_sums
from pingda.losses import similarity
from pingda.losses.similarity import Masks, log_sums


@pytest.fixture(autouse=True, scope="module")
def _small_tiles() -> Iterator[None]:
    """Let a handful of rows make many blocks and chunks, the last ones shorter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "_block_rows", lambda _length, _most: 3)
        patch.setattr(similarity, "_chunk_rows", lambda _wide, _device: 2)
        yield


def unit(n: int, d: int, seed: int, dtype: torch.dtype = torch.float64) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(n, d, generator=generator, dtype=torch.float64)
    return normalize(rows, dim=1).to(dtype).requires_grad_()


def gradients(sums: tuple[Tensor, Tensor], *leaves: Tensor) -> list[Tensor]:
    """Differentiate a combination in which every sum has a weight of its own."""
    total = torch.zeros((), dtype=sums[0].dtype)
    for number, logs in enumerate(sums):
        finite = torch.where(torch.isfinite(logs), logs, 0)
        weights = torch.linspace(0.5, 1.5 + number, len(logs), dtype=logs.dtype)
        total = total + (finite * weights).sum()
    # With no pair that counts there is nothing to differentiate.
    total = total + sum((0 * leaf.sum() for leaf in leaves), torch.zeros(()))
    return list(torch.autograd.grad(total, leaves))


sizes = st.integers(1, 8)
taus = st.sampled_from([0.05, 0.3, 1.0])


@hypothesis_settings(max_examples=30)
@given(sizes, st.integers(1, 5), taus, st.integers(0, 10**6))
def test_rows_among_themselves(n: int, d: int, tau: float, seed: int) -> None:
    z = unit(n, d, seed)
    ours, plain = log_sums(z, None, tau), plain_log_sums(z, None, tau)
    torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(
        gradients(ours, z), gradients(plain, z), rtol=1e-10, atol=1e-10
    )


@hypothesis_settings(max_examples=30)
@given(
    sizes,
    sizes,
    taus,
    st.integers(0, 10**6),
    st.booleans(),
    st.booleans(),
)
def test_rows_against_columns_under_masks(
    m: int, k: int, tau: float, seed: int, by_id: bool, by_group: bool
) -> None:
    a, b = unit(m, 4, seed), unit(k, 4, seed + 1)
    ids = ([i % 3 for i in range(m)], [j % 4 for j in range(k)])
    groups = ([i // 4 for i in range(m)], [j // 2 for j in range(k)])
    masks = Masks(
        row_ids=torch.tensor(ids[0]) if by_id else None,
        column_ids=torch.tensor(ids[1]) if by_id else None,
        row_groups=torch.tensor(groups[0]) if by_group else None,
        column_groups=torch.tensor(groups[1]) if by_group else None,
    )
    ours = log_sums(a, b, tau, masks)
    plain = plain_log_sums(
        a, b, tau, ids if by_id else None, groups if by_group else None
    )
    torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(
        gradients(ours, a, b), gradients(plain, a, b), rtol=1e-10, atol=1e-10
    )


@pytest.mark.parametrize("columns", [True, False])
def test_lower_precisions_stay_within_their_bounds(columns: bool) -> None:
    """Single precision to 1e-5; bfloat16 similarities to 2⁻⁷/τ, as stated."""
    tau = 0.3
    a, b = unit(40, 16, 0), unit(30, 16, 1) if columns else None
    leaves = (a,) if b is None else (a, b)
    exact = log_sums(a, b, tau)
    exact_gradients = gradients(exact, *leaves)
    single = [leaf.detach().float().requires_grad_() for leaf in leaves]
    for precision, bound, gradient_bound in (
        ("fp32", 1e-5, 1e-5),
        ("bf16", 2**-7 / tau, 2**-6 / tau),
    ):
        found = log_sums(
            single[0],
            single[1] if columns else None,
            tau,
            precision=precision,  # type: ignore[arg-type]
        )
        for logs, expected in zip(found, exact, strict=True):
            assert float((logs - expected).detach().abs().max()) < bound
        for g, e in zip(gradients(found, *single), exact_gradients, strict=True):
            assert float((g - e).norm() / e.norm()) < gradient_bound


def test_the_smallest_temperature_is_safe_and_a_smaller_one_is_refused() -> None:
    z = unit(9, 3, 0, torch.float32)
    for rows in (z, z.detach()[:1].repeat(9, 1).requires_grad_()):
        sums = log_sums(rows, None, 0.025)
        (gradient,) = gradients(sums, rows)
        assert torch.isfinite(sums[0]).all()
        assert torch.isfinite(gradient).all()
    with pytest.raises(ValueError, match="below 0.025"):
        log_sums(z, None, 0.02)


def test_blocks_are_even_and_cover_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for length in (1, 100, 128, 5416, 16384, 39434):
        size = BLOCK_ROWS(length, 1536)
        assert size % 128 == 0
        assert size <= 1536
        blocks = -(-length // size)
        assert blocks == max(1, -(-length // 1536))


BLOCK_ROWS = similarity._block_rows

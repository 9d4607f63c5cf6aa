import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from torch import Tensor

from oracles.infonce import info_nce as plain_info_nce
from pingda.graph.sparse import SparsePattern
from pingda.losses import InfoNCE, info_nce, sampled_info_nce


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
    st.integers(0, 10**6),
)
def test_value_and_gradients_agree_with_the_formula(
    n: int, d: int, tau: float, symmetric: bool, seed: int
) -> None:
    torch.manual_seed(seed)
    p, q = (torch.randn(n, d, dtype=torch.float64) for _ in "ab")
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


@pytest.mark.parametrize("symmetric", [True, False])
def test_negatives_stay_inside_their_graph(symmetric: bool) -> None:
    """The loss of a batch is that of its graphs, weighted by their sizes."""
    torch.manual_seed(0)
    sizes = [3, 1, 6, 2]
    groups = torch.repeat_interleave(torch.arange(4), torch.tensor(sizes))
    p, q = torch.randn(12, 4).double(), torch.randn(12, 4).double()
    found = info_nce(p, q, 0.4, symmetric, groups=groups)
    parts = zip(p.split(sizes), q.split(sizes), strict=True)
    expected = [plain_info_nce(a, b, 0.4, symmetric) * len(a) for a, b in parts]
    torch.testing.assert_close(found, torch.stack(expected).sum() / 12)


def test_further_positives_share_the_attraction() -> None:
    torch.manual_seed(0)
    p, q = torch.randn(4, 3).double(), torch.randn(4, 3).double()
    rows, columns = torch.tensor([0, 0, 2]), torch.tensor([1, 3, 0])
    pattern = SparsePattern.of_entries(rows, columns, (4, 4))
    found = info_nce(p, q, 0.5, positives=pattern)
    positives = {0: [0, 1, 3], 1: [1], 2: [2, 0], 3: [3]}
    s = torch.nn.functional.cosine_similarity(p[:, None], q[None], dim=2) / 0.5
    expected = plain_info_nce(p, q, 0.5)
    for i, chosen in positives.items():
        for similarity in (s[i], s[:, i]):
            expected = expected + (similarity[i] - similarity[chosen].mean()) / 8
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("symmetric", [True, False])
def test_sampled_sums_are_unbiased(symmetric: bool) -> None:
    """Over all choices of two nodes of five, the mean of the sums is the full sum."""
    torch.manual_seed(0)
    n, tau = 5, 0.5
    p, q = torch.randn(n, 3).double(), torch.randn(n, 3).double()
    unit_p, unit_q = (x / x.norm(dim=1, keepdim=True) for x in (p, q))
    anchors = ((unit_p, unit_q), (unit_q, unit_p)) if symmetric else ((unit_p, unit_q),)
    full, estimates = [], []
    for a, b in anchors:
        e_within, e_across = (a @ a.t() / tau).exp(), (a @ b.t() / tau).exp()
        e = e_within + e_across
        full.append(e.sum(dim=1) - e.diagonal())
        means = torch.zeros(n).double()
        for i in range(n):
            draws = []
            for first in range(n):
                for second in range(first + 1, n):
                    chosen = [j for j in (first, second) if j != i]
                    draws.append(e[i, chosen].sum() * (n - 1) / len(chosen))
            means[i] = torch.stack(draws).mean()
        estimates.append(means)
    torch.testing.assert_close(torch.cat(estimates), torch.cat(full))


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_sampled_loss_is_its_formula(symmetric: bool) -> None:
    torch.manual_seed(0)
    n, tau, count = 12, 0.5, 5
    p, q = torch.randn(n, 3).double(), torch.randn(n, 3).double()
    draw = torch.Generator().manual_seed(1)
    chosen = torch.randperm(n, generator=draw)[:count].tolist()
    found = sampled_info_nce(
        p, q, tau, count, symmetric, generator=torch.Generator().manual_seed(1)
    )
    unit_p, unit_q = (x / x.norm(dim=1, keepdim=True) for x in (p, q))
    losses = []
    anchors = ((unit_p, unit_q), (unit_q, unit_p)) if symmetric else ((unit_p, unit_q),)
    for a, b in anchors:
        for i in range(n):
            others = [j for j in chosen if j != i]
            total = sum(
                (((a[i] @ side[j]) / tau).exp() for side in (a, b) for j in others),
                torch.zeros(()),
            )
            positive = (a[i] @ b[i] / tau).exp()
            scaled = total * (n - 1) / len(others)
            losses.append(-torch.log(positive / (positive + scaled)))
    torch.testing.assert_close(found, torch.stack(losses).mean())
    everybody = sampled_info_nce(p, q, tau, n, symmetric)
    torch.testing.assert_close(everybody, info_nce(p, q, tau, symmetric))


def test_sampled_gradients_follow_the_full_ones() -> None:
    torch.manual_seed(0)
    p, q = torch.randn(300, 8).double(), torch.randn(300, 8).double()
    full = value_and_gradients(info_nce, p, q, 0.5)[1]
    draws = [
        value_and_gradients(
            lambda a, b, seed=seed: sampled_info_nce(
                a, b, 0.5, 100, generator=torch.Generator().manual_seed(seed)
            ),
            p,
            q,
        )[1]
        for seed in range(60)
    ]
    mean = torch.stack(draws).mean(dim=0)
    assert float((mean - full).norm() / full.norm()) < 0.1

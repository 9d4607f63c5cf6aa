from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pingda.evaluation.comparison import compare, holm


def signed_rank_p(differences: np.ndarray) -> float:
    """Give every difference either sign, and count sums as far from the middle."""
    ranks = stats.rankdata(np.abs(differences))
    found = float(ranks[differences > 0].sum())
    sums = [
        float(sum(r for r, up in zip(ranks, signs, strict=True) if up))
        for signs in product((False, True), repeat=len(ranks))
    ]
    middle = ranks.sum() / 2
    far = abs(found - middle) - 1e-9
    return float(np.mean([abs(s - middle) >= far for s in sums]))


@given(st.integers(0, 10**6), st.integers(3, 9))
def test_by_trying_all_signs(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
    found = compare(list(a), list(b))
    assert found.p == pytest.approx(signed_rank_p(a - b))
    interval = stats.ttest_rel(a, b).confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.effect == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    mirrored = compare(list(b), list(a))
    assert mirrored.difference == pytest.approx(-found.difference)
    assert mirrored.p == pytest.approx(found.p)


def test_equal_results_are_no_difference() -> None:
    found = compare([0.5, 0.6], [0.5, 0.6])
    assert (found.difference, found.p, found.effect) == (0, 1, 0)


def test_ten_wins_of_ten_are_significant_and_five_are_not() -> None:
    better = [0.1 * k + 0.01 * (k + 1) for k in range(10)]
    plain = [0.1 * k for k in range(10)]
    assert compare(better, plain).p == pytest.approx(2 / 2**10)
    assert compare(better[:5], plain[:5]).p > 0.05


def test_pairs_are_needed() -> None:
    with pytest.raises(ValueError, match="got 2 and 3"):
        compare([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="at least two"):
        compare([1], [2])


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []

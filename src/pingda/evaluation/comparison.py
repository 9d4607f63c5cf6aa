"""Whether one method is better than another on the same seeds and splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Comparison:
    """Two methods, paired by seed.

    Args:
        difference: Mean of first − second.
        low: Lower end of its 95 % interval, by Student's t.
        high: Upper end.
        p: Two-sided p of Wilcoxon's signed ranks; 1 where all pairs are equal.
        effect: Cohen's d of paired values, the mean over the standard deviation of
            the differences; 0 where all are equal.
        n: Number of pairs.
    """

    difference: float
    low: float
    high: float
    p: float
    effect: float
    n: int


def compare(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Compare results of the same seeds.

    Raises:
        ValueError: There are fewer than two pairs, or one is missing.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.shape != b.shape or a.size < 2:
        raise ValueError(f"pairs are needed, at least two; got {a.size} and {b.size}")
    from scipy import stats  # noqa: PLC0415 - slow to import

    differences = a - b
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if not np.any(differences):
        return Comparison(0.0, 0.0, 0.0, 1.0, 0.0, a.size)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, a.size - 1))
    margin = reach * spread / a.size**0.5
    p = float(stats.wilcoxon(a, b).pvalue)
    effect = mean / spread if spread > 0 else float(np.copysign(np.inf, mean))
    return Comparison(mean, mean - margin, mean + margin, p, effect, a.size)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected by Holm's rule for having asked so many questions.

    The k-th smallest of m is multiplied by m − k + 1, and none may be below one that
    was smaller before.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return corrected

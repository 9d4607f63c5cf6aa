"""Noise of a given power: a projection that is exact at every step.

Learned noise that is free to vanish does, since none at all minimises a contrastive
loss. Here its size is given, and what is learned is where it goes.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# The bracket is halved so often that it is below the rounding of double precision.
BISECTIONS = 60


def at_mean_rate(scores: Tensor, rate: float, weights: Tensor | None = None) -> Tensor:
    r"""Return logits whose probabilities have exactly the given mean.

    .. math::
        \ell_i = s_i + b, \qquad \sum_i a_i\, \sigma(s_i + b) = \rho \sum_i a_i

    with the one b that fulfils it, the multiplier of the constraint. Equal scores give
    every probability ρ. By the implicit function theorem,

    .. math::
        \frac{\partial b}{\partial s_i} = -\frac{v_i}{\sum_j v_j}, \qquad
        v_i = a_i\, \sigma(\ell_i)\,(1 - \sigma(\ell_i))

    Args:
        scores: s [m].
        rate: ρ, between 0 and 1.
        weights: a ≥ 0, how much each probability counts, [m]; None: all the same.

    Returns:
        ℓ [m]; differentiable (once) in s.
    """
    if not 0 < rate < 1:
        raise ValueError(f"rate={rate}: a mean probability lies between 0 and 1")
    if weights is None:
        weights = torch.ones_like(scores)
    return _at_rate(scores, weights, rate)


class _AtRate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, weights: Tensor, rate: float) -> Tensor:
        logits = scores + _multiplier(scores, weights, rate)
        ctx.save_for_backward(logits, weights)
        return logits

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        logits, weights = ctx.saved_tensors
        p = torch.sigmoid(logits)
        v = weights * p * (1 - p)
        total = v.sum().clamp(min=torch.finfo(v.dtype).tiny)
        return gradient - v * (gradient.sum() / total), None, None


_at_rate: Callable[[Tensor, Tensor, float], Tensor] = _AtRate.apply


def _multiplier(scores: Tensor, weights: Tensor, rate: float) -> Tensor:
    """Return b by bisection; the mean probability grows with it."""
    wide, share = scores.detach().double(), weights.double() / weights.double().sum()
    even = torch.logit(torch.tensor(rate, dtype=torch.float64, device=scores.device))
    low, high = even - wide.max(), even - wide.min()
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        too_low = torch.sigmoid(wide + middle) @ share < rate
        low = torch.where(too_low, middle, low)
        high = torch.where(too_low, high, middle)
    return ((low + high) / 2).to(scores.dtype)

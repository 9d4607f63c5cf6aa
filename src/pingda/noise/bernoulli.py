"""Random decisions that gradients pass through."""

from typing import Literal

import torch
from torch import Generator, Tensor

Sampling = Literal["soft", "hard"]

# Uniform draws stay this far from 0 and 1, so that their logit is finite.
MARGIN = 1e-4


def relaxed_bernoulli(
    logits: Tensor, temperature: float, generator: Generator | None
) -> Tensor:
    r"""Draw from the binary concrete distribution by reparameterisation.

    .. math::
        w = \sigma\big((\ell + \log U - \log(1-U)) / T\big), \qquad U \sim U(0, 1)

    P(w > ½) = σ(ℓ) at every temperature T; as T → 0, w becomes a Bernoulli draw.

    Args:
        logits: Logits ℓ, any shape.
        temperature: T > 0.
        generator: Source of U.
    """
    uniform = torch.rand(
        logits.shape, generator=generator, dtype=logits.dtype, device=logits.device
    )
    uniform = MARGIN + (1 - 2 * MARGIN) * uniform
    return torch.sigmoid((logits + torch.logit(uniform)) / temperature)


def decide(
    logits: Tensor, temperature: float, sampling: Sampling, generator: Generator | None
) -> Tensor:
    """Draw soft decisions in (0, 1), or 0/1 ones with the soft gradient.

    Hard decisions are Bernoulli draws of probability σ(ℓ), straight-through.
    """
    soft = relaxed_bernoulli(logits, temperature, generator)
    if sampling == "soft":
        return soft
    hard = (soft > 0.5).to(soft.dtype)
    return hard + (soft - soft.detach())

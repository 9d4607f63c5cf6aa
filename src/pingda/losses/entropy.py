"""The paper's theory as code: task entropy, and why InfoNCE is a part of it."""

import math

import torch
from torch import Tensor

from pingda.losses.infonce import info_nce

GAUSSIAN_CONSTANT = 0.5 * math.log(2 * math.pi * math.e)


def log_kappa(p: Tensor, q: Tensor, tau: float) -> Tensor:
    r"""Return log κ of every node, computed plainly, O(n²).

    .. math::
        \kappa(u) = \frac{\ell_{pos}(u)}{\ell_{pos}(u) + \ell_{neg}(u)} \in (0, 1]

    with ℓ_pos(u) = e^{cos(p_u, q_u)/τ} and ℓ_neg the sum over v ≠ u of
    e^{cos(p_u, p_v)/τ} + e^{cos(p_u, q_v)/τ}.

    Args:
        p: Embeddings of the original graph, [n, d].
        q: Embeddings of the noisy graph, [n, d].
        tau: Temperature.

    Returns:
        log κ(u), [n].
    """
    p, q = (torch.nn.functional.normalize(side, dim=1) for side in (p, q))
    across, within = p @ q.t() / tau, p @ p.t() / tau
    within = within.masked_fill(
        torch.eye(len(p), dtype=torch.bool, device=p.device), -math.inf
    )
    everything = torch.logsumexp(torch.cat([across, within], dim=1), dim=1)
    return across.diagonal() - everything


def task_entropy(p: Tensor, q: Tensor, tau: float) -> Tensor:
    r"""Return H(T|E), estimated from one draw of noise.

    The paper gives each node an auxiliary variable whose variance grows with its
    contrastive loss, α | u, ε ~ N(0, κ(u, ε)⁻¹). A Gaussian of variance v has entropy
    ½ log(2πe v), hence

    .. math::
        H(T|E) = \tfrac12 \log(2\pi e) - \frac{1}{2n} \sum_u \log\kappa(u, \varepsilon)
               = \tfrac12 \log(2\pi e) + \tfrac12 L_\pi

    so minimising the one-sided InfoNCE loss L_π minimises the entropy. (One line of
    the paper drops the minus sign of the first equation; its final loss has it.)

    Args:
        p: Embeddings of the original graph, [n, d].
        q: Embeddings of the noisy graph, [n, d].
        tau: Temperature.
    """
    return GAUSSIAN_CONSTANT + info_nce(p, q, tau, symmetric=False) / 2

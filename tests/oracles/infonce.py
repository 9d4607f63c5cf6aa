"""InfoNCE exactly as its formula reads, node by node."""

import math

import torch
from torch import Tensor


def info_nce(p: Tensor, q: Tensor, tau: float, symmetric: bool = True) -> Tensor:
    forward = _one_direction(p, q, tau)
    return (forward + _one_direction(q, p, tau)) / 2 if symmetric else forward


def _one_direction(p: Tensor, q: Tensor, tau: float) -> Tensor:
    losses = []
    for i in range(len(p)):
        positive = math.e ** (_cosine(p[i], q[i]) / tau)
        negatives = [
            math.e ** (_cosine(p[i], other[j]) / tau)
            for other in (p, q)
            for j in range(len(p))
            if j != i
        ]
        total = positive + sum(negatives, torch.zeros((), dtype=p.dtype))
        losses.append(-torch.log(positive / total))
    return torch.stack(losses).mean()


def _cosine(a: Tensor, b: Tensor) -> Tensor:
    return (a @ b) / (a.norm() * b.norm())

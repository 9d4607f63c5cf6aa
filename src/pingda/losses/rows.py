"""Rows of two views, below each other and of unit length, made without copies."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

SMALLEST_LENGTH = 1e-12


class _UnitRows(torch.autograd.Function):
    """z = x / ‖x‖; ∂x = (∂z − ⟨∂z, z⟩ z) / ‖x‖, so only z is kept."""

    @staticmethod
    def forward(ctx: Any, p: Tensor, q: Tensor) -> Tensor:
        both = torch.cat([p, q])
        lengths = torch.linalg.vector_norm(both, dim=1, keepdim=True)
        lengths.clamp_(min=SMALLEST_LENGTH)
        both.div_(lengths)
        ctx.save_for_backward(both, lengths)
        return both

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, ...]:
        both, lengths = ctx.saved_tensors
        along = torch.linalg.vecdot(gradient, both)[:, None]
        # A row of no length is divided by a constant.
        along.masked_fill_(lengths <= SMALLEST_LENGTH, 0)
        across = torch.addcmul(gradient, along, both, value=-1).div_(lengths)
        by_p, by_q = across.chunk(2)
        return by_p, by_q


class _Agreement(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, both: Tensor) -> Tensor:
        ctx.save_for_backward(both)
        p, q = both.chunk(2)
        dots: Tensor = torch.linalg.vecdot(p, q)
        return dots

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (both,) = ctx.saved_tensors
        p, q = both.chunk(2)
        result = torch.empty_like(both)
        to_p, to_q = result.chunk(2)
        torch.mul(gradient[:, None], q, out=to_p)
        torch.mul(gradient[:, None], p, out=to_q)
        return result


_unit_rows: Callable[[Tensor, Tensor], Tensor] = _UnitRows.apply
_agreement: Callable[[Tensor], Tensor] = _Agreement.apply


def unit_rows(p: Tensor, q: Tensor) -> Tensor:
    """Return the rows of p and q [n, d], each divided by its length, [2n, d]."""
    return _unit_rows(p, q)


def agreement(both: Tensor) -> Tensor:
    """Return ⟨z_i, z_{n+i}⟩ of rows [2n, d], [n]."""
    return _agreement(both)

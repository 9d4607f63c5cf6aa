"""The activation of the paper's encoder."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.autograd.function import once_differentiable

# Inputs are found back from the results by a division by the slope, if it allows that.
SMALLEST_INVERTED_SLOPE = 1e-3
# Rows whose part of the slope's gradient is computed at once.
ROWS = 512


class SharedPReLU(nn.Module):
    """PReLU with one learned slope for all channels, x ↦ max(x, 0) + a min(x, 0).

    The same function as PyTorch's, whose backward pass on the CPU takes three times as
    long, since it keeps a gradient of the slope for every entry before adding them up.

    Args:
        inplace: Overwrite x, which nobody else may need, and keep the result alone for
            the backward pass.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace
        self.slope = nn.Parameter(torch.empty(1))
        self.initialise()

    def initialise(self, _generator: Generator | None = None) -> None:
        """Begin with a slope of ¼, as PyTorch does."""
        nn.init.constant_(self.slope, 0.25)

    def forward(self, x: Tensor) -> Tensor:
        """Map entries of any shape."""
        if x.device.type != "cpu":
            return nn.functional.prelu(x, self.slope)
        return _shared_prelu(x, self.slope, self.inplace)


class _SharedPReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, slope: Tensor, inplace: bool) -> Tensor:
        ctx.slope = float(slope)
        ctx.from_result = inplace and ctx.slope >= SMALLEST_INVERTED_SLOPE
        if ctx.from_result:
            ctx.mark_dirty(x)
            nn.functional.leaky_relu_(x, ctx.slope)
            ctx.save_for_backward(x)
            return x
        ctx.save_for_backward(x)
        return nn.functional.leaky_relu(x, ctx.slope)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        (kept,) = ctx.saved_tensors
        by_x = torch.ops.aten.leaky_relu_backward(
            gradient, kept, ctx.slope, ctx.from_result
        )
        by_slope = sum(
            part.clamp(max=0).mul_(upstream).sum()
            for part, upstream in zip(
                kept.split(ROWS), gradient.split(ROWS), strict=True
            )
        )
        if ctx.from_result:
            by_slope /= ctx.slope
        return by_x, by_slope.reshape(1), None


_shared_prelu: Callable[[Tensor, Tensor, bool], Tensor] = _SharedPReLU.apply

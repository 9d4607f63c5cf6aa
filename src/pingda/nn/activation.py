"""The activation of the paper's encoder."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.autograd.function import once_differentiable


class SharedPReLU(nn.Module):
    """PReLU with one learned slope for all channels, x ↦ max(x, 0) + a min(x, 0).

    The same function as PyTorch's, whose backward pass on the CPU takes three times as
    long, since it keeps a gradient of the slope for every entry before adding them up.
    """

    def __init__(self) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.empty(1))
        self.initialise()

    def initialise(self, _generator: Generator | None = None) -> None:
        """Begin with a slope of ¼, as PyTorch does."""
        nn.init.constant_(self.slope, 0.25)

    def forward(self, x: Tensor) -> Tensor:
        """Map entries of any shape."""
        if x.device.type != "cpu":
            return nn.functional.prelu(x, self.slope)
        return _shared_prelu(x, self.slope)


class _SharedPReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, slope: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        ctx.slope = float(slope)
        return nn.functional.leaky_relu(x, ctx.slope)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        (x,) = ctx.saved_tensors
        by_x = torch.ops.aten.leaky_relu_backward(gradient, x, ctx.slope, False)
        by_slope = x.clamp(max=0).mul_(gradient).sum()
        return by_x, by_slope.reshape(1)


_shared_prelu: Callable[[Tensor, Tensor], Tensor] = _SharedPReLU.apply

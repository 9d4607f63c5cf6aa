"""Noisy features as a recipe, from which products with weights can be had."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from pingda.graph.sparse import FeatureMatrix, Features, dense
from pingda.noise.deviation import Drawing, add_deviation, deviation_noise


@dataclass(frozen=True, eq=False)
class Linear:
    """M = R Vᵀ + b [n, f] that is not multiplied out.

    Args:
        hidden: R [n, k].
        weight: V [f, k].
        bias: b [f].
    """

    hidden: Tensor
    weight: Tensor
    bias: Tensor

    def add_product(self, start: Tensor, right: Tensor) -> Tensor:
        """Overwrite Y [n, h] by Y + M W = Y + R (Vᵀ W) + b W, at a cost of n k h."""
        return start.addmm_(self.hidden, self.weight.t() @ right).add_(
            self.bias @ right
        )

    def to_dense(self) -> Tensor:
        """Return M [n, f]."""
        return torch.nn.functional.linear(self.hidden, self.weight, self.bias)

    def square_sum(self) -> Tensor:
        """Return ‖M‖² = Σ_i r_iᵀ (VᵀV) r_i + 2 (Σ_i r_i)ᵀ Vᵀ b + n ‖b‖²."""
        gram = self.weight.t() @ self.weight
        quadratic: Tensor = torch.linalg.vecdot(self.hidden @ gram, self.hidden).sum()
        mixed = self.hidden.sum(dim=0) @ (self.weight.t() @ self.bias)
        total = quadratic + 2 * mixed + len(self.hidden) * self.bias.square().sum()
        return total.clamp(min=0)


@dataclass(frozen=True, eq=False)
class PerturbedFeatures(FeatureMatrix):
    """X^ε = (X + γ (μ + σ ⊙ ε)) diag(c), the same ε at every use.

    Args:
        base: X [n, f].
        mean: μ; None for 0.
        spread: What σ is made of.
        drawing: How σ ⊙ ε is made.
        gain: γ.
        columns: c [f]; None for ones.
    """

    base: Features
    mean: Linear | None
    spread: Linear
    drawing: Drawing
    gain: Tensor | float
    columns: Tensor | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, f)``."""
        return int(self.base.shape[0]), int(self.base.shape[1])

    @property
    def dtype(self) -> torch.dtype:
        """Type of the entries."""
        return self.base.dtype

    def __matmul__(self, weight: Tensor) -> Tensor:
        """Return X^ε W without a matrix [n, f]."""
        if self.columns is not None:
            weight = self.columns[:, None] * weight
        spread = self.spread
        noisy = self.base @ weight
        if isinstance(self.gain, Tensor) or self.gain != 1:
            weight = self.gain * weight
        if self.mean is not None:
            noisy = self.mean.add_product(noisy, weight)
        return add_deviation(
            noisy, spread.hidden, spread.weight, spread.bias, weight, self.drawing
        )

    def scale_columns(self, scale: Tensor) -> "PerturbedFeatures":
        """Return X^ε with each column multiplied by its entry of ``scale`` [f]."""
        columns = scale if self.columns is None else self.columns * scale
        return replace(self, columns=columns)

    def to_dense(self) -> Tensor:
        """Return X^ε as a dense tensor [n, f]."""
        spread = self.spread
        noise = deviation_noise(spread.hidden, spread.weight, spread.bias, self.drawing)
        if self.mean is not None:
            noise = noise + self.mean.to_dense()
        noisy = dense(self.base) + self.gain * noise
        return noisy if self.columns is None else noisy * self.columns

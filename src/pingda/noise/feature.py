"""Learned attribute noise: a Gaussian whose mean and spread depend on the node."""

from typing import Literal

import torch
from torch import Generator, Tensor, nn

from pingda.graph.sparse import Features, dense, linear
from pingda.graph.view import GraphView
from pingda.noise.base import Draw, Noise


class FeaturePerceptron(nn.Module):
    """F → hidden → ReLU → F, on dense or sparse rows."""

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.inner = nn.Linear(channels, hidden)
        self.outer = nn.Linear(hidden, channels)

    def forward(self, x: Features) -> Tensor:
        """Map [n, f] to dense [n, f]."""
        result: Tensor = self.outer(torch.relu(linear(x, self.inner)))
        return result


class FeatureNoise(Noise):
    r"""Add learned Gaussian noise to node features.

    From "Learn Beneficial Noise as Graph Augmentation" (ICML 2025):

    .. math::
        X^\varepsilon = X + \gamma\,(\mu(X) + \sigma(X) \odot \epsilon),
        \qquad \epsilon \sim N(0, I)

    Args:
        in_channels: Number of node features f.
        hidden: Width of the two perceptrons for μ and σ.
        mean: ``learned``, or ``zero`` for noise without a shift.
        deviation: How σ ≥ 0 is made of the perceptron's output s: ``abs`` |s|,
            ``softplus`` log(1+eˢ), or ``exp`` e^{s/2} (s is the log-variance).
        gain: Factor γ on the noise.

    Shapes:
        view with x [n, f] → the same with dense x [n, f].
    """

    def __init__(
        self,
        in_channels: int,
        hidden: int = 256,
        mean: Literal["learned", "zero"] = "learned",
        deviation: Literal["abs", "softplus", "exp"] = "abs",
        gain: float = 1.0,
    ) -> None:
        super().__init__()
        learned = mean == "learned"
        self.mean = FeaturePerceptron(in_channels, hidden) if learned else None
        self.spread = FeaturePerceptron(in_channels, hidden)
        self.deviation = deviation
        self.gain = gain

    def moments(self, x: Features) -> tuple[Tensor, Tensor]:
        """Return γμ and γσ of the noise on each entry, each [n, f] (μ may be 0)."""
        spread = self.spread(x)
        if self.deviation == "abs":
            sigma = spread.abs()
        elif self.deviation == "softplus":
            sigma = nn.functional.softplus(spread)
        else:
            sigma = torch.exp(spread / 2)
        mu = sigma.new_zeros(()) if self.mean is None else self.mean(x)
        return self.gain * mu, self.gain * sigma

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Draw noise for every feature of every node."""
        mu, sigma = self.moments(view.x)
        unit = torch.randn(
            sigma.shape, generator=generator, dtype=sigma.dtype, device=sigma.device
        )
        noise = mu + sigma * unit
        x = dense(view.x)
        signal = x.norm().clamp(min=1e-12)
        with torch.no_grad():
            scale = {
                "noise_to_signal": noise.norm() / signal,
                "mean_to_signal": mu.expand_as(noise).norm() / signal,
                "deviation": sigma.mean(),
            }
        return Draw(view.with_features(x + noise), scale=scale)

"""Learned attribute noise: a Gaussian whose mean and spread depend on the node."""

from typing import Literal

import torch
from torch import Generator, Tensor, nn

from pingda.graph.sparse import Features, linear, magnitude
from pingda.graph.view import GraphView
from pingda.noise.base import Draw, Noise
from pingda.noise.deviation import Deviation, Drawing
from pingda.noise.perturbed import Linear, PerturbedFeatures


class FeaturePerceptron(nn.Module):
    """F → hidden → ReLU → F, on rows of any kind.

    Args:
        channels: Number of features f.
        hidden: Width of the hidden layer.
    """

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.inner = nn.Linear(channels, hidden)
        self.outer = nn.Linear(hidden, channels)

    def unfinished(self, x: Features) -> Linear:
        """Return the hidden layer [n, hidden] with the last layer yet to be applied."""
        return Linear(linear(x, self.inner).relu_(), self.outer.weight, self.outer.bias)

    def forward(self, x: Features) -> Tensor:
        """Map [n, f] to dense [n, f]."""
        return self.unfinished(x).to_dense()


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
        view with x [n, f] → the same with noisy x [n, f].
    """

    def __init__(
        self,
        in_channels: int,
        hidden: int = 256,
        mean: Literal["learned", "zero"] = "learned",
        deviation: Deviation = "abs",
        gain: float = 1.0,
    ) -> None:
        super().__init__()
        learned = mean == "learned"
        self.mean = FeaturePerceptron(in_channels, hidden) if learned else None
        self.spread = FeaturePerceptron(in_channels, hidden)
        self.deviation: Deviation = deviation
        self.gain = gain

    def moments(self, x: Features) -> tuple[Tensor, Tensor]:
        """Return γμ and γσ of each entry, dense [n, f] each (a zero μ is a scalar)."""
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
        """Draw noise for every feature of every node.

        The noisy features stay a recipe: only their products with weights are computed.
        """
        spread = self.spread.unfinished(view.x)
        device = spread.hidden.device
        drawn = torch.randint(2**62, (), generator=generator, device=device)
        drawing = Drawing(
            self.deviation,
            int(drawn),
            torch.zeros(2, dtype=spread.hidden.dtype, device=device),
        )
        mean = None if self.mean is None else self.mean.unfinished(view.x)
        noisy = PerturbedFeatures(view.x, mean, spread, drawing, self.gain)

        def measure() -> dict[str, Tensor]:
            return self._measure(noisy)

        return Draw(view.with_features(noisy), measure=measure)

    @torch.no_grad()
    def _measure(self, noisy: PerturbedFeatures) -> dict[str, Tensor]:
        """Return the expected size of the noise, in units of the signal.

        E‖X^ε−X‖² = γ²(‖μ‖² + ‖σ‖²), from sums that the products left behind.
        """
        signal = magnitude(noisy.base).clamp(min=1e-12)
        total, squares = noisy.drawing.measured
        shift = signal.new_zeros(()) if noisy.mean is None else noisy.mean.square_sum()
        entries = noisy.shape[0] * noisy.shape[1]
        return {
            "noise_to_signal": self.gain * (shift + squares).sqrt() / signal,
            "mean_to_signal": self.gain * shift.sqrt() / signal,
            "deviation": self.gain * total / entries,
        }

"""Learned attribute noise: a Gaussian whose mean and spread depend on the node."""

from copy import copy
from typing import Literal

import torch
from torch import Generator, Tensor, nn

from pingda.errors import PingdaError
from pingda.graph.sparse import Features, linear, magnitude
from pingda.graph.view import GraphView
from pingda.noise.base import Draw, Noise
from pingda.noise.deviation import Deviation, Drawing, Family
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

    Under a budget ρ, γ is such that the expected power of the noise is a share ρ of
    the signal's, E‖X^ε − X‖² = γ²(‖μ‖² + ‖σ‖²) = ρ ‖X‖².

    Args:
        in_channels: Number of node features f.
        hidden: Width of the two perceptrons for μ and σ.
        mean: ``learned``, or ``zero`` for noise without a shift.
        deviation: How σ ≥ 0 is made of the perceptron's output s: ``abs`` |s|,
            ``softplus`` log(1+eˢ), or ``exp`` e^{s/2} (s is the log-variance).
        gain: Factor γ on the noise, where there is no budget.
        family: Distribution of ε: ``gaussian``, ``laplace`` or ``uniform``.
        rate: The budget ρ; it needs ``deviation="abs"``. None leaves the power free.

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
        family: Family = "gaussian",
        rate: float | None = None,
    ) -> None:
        super().__init__()
        if rate is not None:
            _check_budget(deviation)
        learned = mean == "learned"
        self.mean = FeaturePerceptron(in_channels, hidden) if learned else None
        self.spread = FeaturePerceptron(in_channels, hidden)
        self.deviation: Deviation = deviation
        self.gain = gain
        self.family: Family = family
        self.rate = rate
        self.level: float | None = None

    def at(self, rate: float) -> "FeatureNoise":
        """Return the same noise, same parameters, at another budget."""
        _check_budget(self.deviation)
        other = copy(self)
        other.rate = rate
        return other

    @torch.no_grad()
    def uninformed(self, view: GraphView) -> "FeatureNoise":
        """Return noise of the same mean and the same ‖σ‖, with one σ for all entries.

        The mean stays: a shift that is always the same is no randomness.
        """
        other, entries = copy(self), view.nodes * int(view.x.shape[1])
        if self.deviation == "abs":
            power = self.spread.unfinished(view.x).square_sum()
        else:
            power = (self.moments(view.x)[1] / self.gain).square().sum()
        other.level = float((power / entries).sqrt())
        other.deviation = "abs"
        return other

    def moments(self, x: Features) -> tuple[Tensor, Tensor]:
        """Return γμ and γσ of each entry, dense [n, f] each (a zero μ is a scalar)."""
        gain = self._gain(x, *self._unfinished(x))
        spread = self.spread(x)
        if self.deviation == "abs":
            sigma = spread.abs()
        elif self.deviation == "softplus":
            sigma = nn.functional.softplus(spread)
        else:
            sigma = torch.exp(spread / 2)
        mu = sigma.new_zeros(()) if self.mean is None else self.mean(x)
        return gain * mu, gain * sigma

    def _unfinished(self, x: Features) -> tuple[Linear | None, Linear]:
        """Return what μ and σ are made of."""
        mean = None if self.mean is None else self.mean.unfinished(x)
        if self.level is None:
            return mean, self.spread.unfinished(x)
        bias = self.spread.outer.bias
        flat = bias.new_full(bias.shape, self.level)
        return mean, Linear(bias.new_zeros(x.shape[0], 1), flat[:, None] * 0, flat)

    def _gain(self, x: Features, mean: Linear | None, spread: Linear) -> Tensor | float:
        """Return γ."""
        if self.rate is None:
            return self.gain
        power = spread.square_sum()
        if mean is not None:
            power = power + mean.square_sum()
        gain: Tensor = self.rate**0.5 * magnitude(x) / power.sqrt().clamp(min=1e-12)
        return gain

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Draw noise for every feature of every node.

        The noisy features stay a recipe: only their products with weights are computed.
        """
        mean, spread = self._unfinished(view.x)
        device = spread.hidden.device
        drawn = torch.randint(2**62, (), generator=generator, device=device)
        drawing = Drawing(
            self.deviation,
            int(drawn),
            torch.zeros(2, dtype=spread.hidden.dtype, device=device),
            self.family,
        )
        gain = self._gain(view.x, mean, spread)
        noisy = PerturbedFeatures(view.x, mean, spread, drawing, gain)

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
            "noise_to_signal": noisy.gain * (shift + squares).sqrt() / signal,
            "mean_to_signal": noisy.gain * shift.sqrt() / signal,
            "deviation": noisy.gain * total / entries,
        }


def _check_budget(deviation: Deviation) -> None:
    """Raise if ‖σ‖ is not to be had without a matrix [n, f]."""
    if deviation != "abs":
        raise PingdaError(
            f"deviation={deviation} cannot be kept in a budget; use deviation=abs"
        )

"""Learned masks: which feature columns to zero."""

from copy import copy

import torch
from torch import Generator, Tensor, nn

from pingda.graph.sparse import Features, SparseFeatures, dense, magnitude, scaled
from pingda.graph.view import GraphView
from pingda.noise.base import Draw, Noise
from pingda.noise.bernoulli import MARGIN, Sampling, decide
from pingda.noise.budget import at_mean_rate


class ColumnMask(Noise):
    r"""Zero whole feature columns with learned probabilities, for all nodes alike.

    Multiplicative noise: column f is dropped with p_f = σ(s_f), or, under a budget ρ,
    with p_f = σ(s_f + b) such that the expected loss of power is a share ρ,

    .. math::
        E \Vert X^\varepsilon - X \Vert^2 = \sum_f p_f \Vert X_{\cdot f} \Vert^2
            = \rho \Vert X \Vert^2

    At the start all scores are equal: this is random masking at rate ρ.

    Args:
        in_channels: Number of feature columns f.
        rate: ρ; None leaves the probabilities free.
        temperature: Temperature of the relaxation that gradients pass through.
        sampling: ``hard`` 0/1 masks, or ``soft`` ones.
    """

    def __init__(
        self,
        in_channels: int,
        rate: float | None = None,
        temperature: float = 1.0,
        sampling: Sampling = "hard",
    ) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(in_channels))
        self.rate, self.temperature, self.sampling = rate, temperature, sampling
        self.informed = True

    def initialise(self, _generator: Generator | None = None) -> None:
        """Begin with equal scores."""
        nn.init.zeros_(self.scores)

    def at(self, rate: float) -> "ColumnMask":
        """Return the same noise, same parameters, at another budget."""
        other = copy(self)
        other.rate = rate
        return other

    @torch.no_grad()
    def uninformed(self, view: GraphView) -> "ColumnMask":
        """Return noise that removes as much, every column with one probability."""
        other = copy(self)
        if self.rate is None:
            power = column_power(view.x)
            lost = torch.sigmoid(self.scores).clamp(MARGIN, 1 - MARGIN) @ power
            other.rate = float(lost / power.sum())
        other.informed = False
        return other

    def drop_logits(self, x: Features) -> Tensor:
        """Return the logit of dropping each column, [f]."""
        scores = self.scores if self.informed else torch.zeros_like(self.scores)
        if self.rate is None:
            return scores
        return at_mean_rate(scores, self.rate, column_power(x))

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Draw one mask for all nodes."""
        x = view.x
        logits = -self.drop_logits(x)
        mask = decide(logits, self.temperature, self.sampling, generator)

        def removed() -> dict[str, Tensor]:
            gone = magnitude(scaled(x, 1 - mask.detach()))
            return {"noise_to_signal": gone / magnitude(x).clamp(min=1e-12)}

        return Draw(view.with_features(scaled(x, mask)), measure=removed)


@torch.no_grad()
def column_power(x: Features) -> Tensor:
    """Return ‖X_f‖² of each column, [f]."""
    if isinstance(x, SparseFeatures):
        power = x.values.new_zeros(x.shape[1])
        return power.index_add_(0, x.columns, x.values.square())
    return dense(x).square().sum(dim=0)

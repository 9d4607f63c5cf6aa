"""Learned topological noise: which edges to keep, and how much of them."""

from typing import Literal

import torch
from torch import Generator, Tensor

from pingda.graph.view import GraphView
from pingda.noise.base import Draw, Noise
from pingda.noise.scorer import PairScorer

# Uniform draws stay this far from 0 and 1, so that their logit is finite.
MARGIN = 1e-4


def relaxed_bernoulli(
    logits: Tensor, temperature: float, generator: Generator | None
) -> Tensor:
    r"""Draw from the binary concrete distribution by reparameterisation.

    .. math::
        w = \sigma\big((\ell + \log U - \log(1-U)) / T\big), \qquad U \sim U(0, 1)

    P(w > ½) = σ(ℓ) at every temperature T; as T → 0, w becomes a Bernoulli draw.

    Args:
        logits: Keep logits ℓ, any shape.
        temperature: T > 0.
        generator: Source of U.
    """
    uniform = torch.rand(
        logits.shape, generator=generator, dtype=logits.dtype, device=logits.device
    )
    uniform = MARGIN + (1 - 2 * MARGIN) * uniform
    return torch.sigmoid((logits + torch.logit(uniform)) / temperature)


class EdgeNoise(Noise):
    r"""Keep or weaken edges by learned probabilities.

    From "Learn Beneficial Noise as Graph Augmentation" (ICML 2025): the probability to
    keep ⟨u, v⟩ is σ(g(u, v)) with a perceptron g on both nodes' features, and the draw
    is relaxed so that gradients reach g. The draw multiplies the edge's weight.

    Args:
        in_channels: Number of node features f.
        hidden: Width of the pair perceptron.
        embed: Widths of a perceptron on each node before pairing; None for none.
        temperature: Temperature T of the relaxation.
        sampling: ``soft`` weights in (0, 1), or ``hard`` 0/1 weights with the soft
            gradient (straight-through).
        symmetric: One logit and one draw an undirected pair; otherwise both an edge.
        degrees: Whether encoders normalise by ``noisy`` or by ``clean`` degrees.

    Shapes:
        view with x [n, f] and edge_index [2, e] → the same with edge_weight [e].
    """

    def __init__(
        self,
        in_channels: int,
        hidden: int = 128,
        embed: tuple[int, int] | None = None,
        temperature: float = 1.0,
        sampling: Literal["soft", "hard"] = "soft",
        symmetric: bool = True,
        degrees: Literal["noisy", "clean"] = "noisy",
    ) -> None:
        super().__init__()
        self.scorer = PairScorer(in_channels, hidden, embed)
        self.temperature = temperature
        self.sampling = sampling
        self.symmetric = symmetric
        self.degrees = degrees

    def logits(self, view: GraphView) -> Tensor:
        """Return the keep logit of each edge, [e]."""
        if not self.symmetric:
            scores: Tensor = self.scorer(view.x, view.edge_index, symmetric=False)
            return scores
        pairs, pair_of_edge = view.structure.pairing
        per_pair: Tensor = self.scorer(view.x, pairs, symmetric=True)
        return per_pair.index_select(0, pair_of_edge)

    def drop_probability(self, view: GraphView) -> Tensor:
        """Return Pr(drop) = 1 − σ(logit) of each edge, [e]."""
        return torch.sigmoid(-self.logits(view))

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Draw one weight a pair (or an edge) and multiply it on the edge weights."""
        if self.symmetric:
            pairs, pair_of_edge = view.structure.pairing
            per_pair = self.scorer(view.x, pairs, symmetric=True)
            keep = self._sample(per_pair, generator).index_select(0, pair_of_edge)
        else:
            keep = self._sample(self.logits(view), generator)
        clean = view.weights()
        degree_weight = clean if self.degrees == "clean" else None
        noisy = view.with_edge_weight(clean * keep, degree_weight)
        return Draw(noisy, keep=keep.detach())

    def _sample(self, logits: Tensor, generator: Generator | None) -> Tensor:
        soft = relaxed_bernoulli(logits, self.temperature, generator)
        if self.sampling == "soft":
            return soft
        hard = (soft > 0.5).to(soft.dtype)
        return hard + (soft - soft.detach())

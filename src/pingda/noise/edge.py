"""Learned topological noise: which edges to keep, and how much of them."""

from copy import copy
from typing import Literal

import torch
from torch import Generator, Tensor

from pingda.graph.view import GraphView
from pingda.noise.base import Draw, Noise
from pingda.noise.bernoulli import MARGIN, Sampling, decide
from pingda.noise.budget import at_mean_rate
from pingda.noise.scorer import PairScorer


class EdgeNoise(Noise):
    r"""Keep or weaken edges by learned probabilities.

    From "Learn Beneficial Noise as Graph Augmentation" (ICML 2025): the probability to
    keep ⟨u, v⟩ is σ(g(u, v)) with a perceptron g on both nodes' features, and the draw
    is relaxed so that gradients reach g. The draw multiplies the edge's weight.

    Under a budget ρ the probabilities to drop are σ(b − g) with the one b that makes
    their mean ρ: the noise can neither vanish nor explode, only move.

    Args:
        in_channels: Number of node features f.
        hidden: Width of the pair perceptron.
        embed: Widths of a perceptron on each node before pairing; None for none.
        temperature: Temperature T of the relaxation.
        sampling: ``soft`` weights in (0, 1), or ``hard`` 0/1 weights with the soft
            gradient (straight-through).
        symmetric: One logit and one draw an undirected pair; otherwise both an edge.
        degrees: Whether encoders normalise by ``noisy`` or by ``clean`` degrees.
        rate: The budget ρ, the mean probability to drop; None leaves it free.

    Shapes:
        view with x [n, f] and edge_index [2, e] → the same with edge_weight [e].
    """

    def __init__(
        self,
        in_channels: int,
        hidden: int = 128,
        embed: tuple[int, int] | None = None,
        temperature: float = 1.0,
        sampling: Sampling = "soft",
        symmetric: bool = True,
        degrees: Literal["noisy", "clean"] = "noisy",
        rate: float | None = None,
    ) -> None:
        super().__init__()
        self.scorer = PairScorer(in_channels, hidden, embed)
        self.temperature = temperature
        self.sampling = sampling
        self.symmetric = symmetric
        self.degrees = degrees
        self.rate = rate
        self.informed = True

    def at(self, rate: float) -> "EdgeNoise":
        """Return the same noise, same parameters, at another budget."""
        other = copy(self)
        other.rate = rate
        return other

    @torch.no_grad()
    def uninformed(self, view: GraphView) -> "EdgeNoise":
        """Return noise that drops as much, every edge with the same probability."""
        other = copy(self)
        if self.rate is None:
            dropped = self.drop_probability(view).clamp(MARGIN, 1 - MARGIN)
            other.rate = float(dropped.mean())
        other.informed = False
        return other

    def logits(self, view: GraphView) -> Tensor:
        """Return the keep logit of each edge, [e]."""
        if not self.symmetric:
            return self._in_budget(self._scores(view, view.edge_index))
        return self._per_pair(view).index_select(0, view.structure.pairing[1])

    def _per_pair(self, view: GraphView) -> Tensor:
        """Return the keep logit of each undirected pair."""
        pairs, _ = view.structure.pairing
        return self._in_budget(self._scores(view, pairs))

    def _scores(self, view: GraphView, ends: Tensor) -> Tensor:
        """Return what is known of each pair of nodes: the higher, the rather kept."""
        if not self.informed:
            return torch.zeros(ends.shape[1], dtype=view.x.dtype, device=ends.device)
        scores: Tensor = self.scorer(view.x, ends, symmetric=self.symmetric)
        return scores

    def _in_budget(self, scores: Tensor) -> Tensor:
        """Shift scores so that the mean probability to drop is the budget."""
        return scores if self.rate is None else -at_mean_rate(-scores, self.rate)

    def drop_probability(self, view: GraphView) -> Tensor:
        """Return Pr(drop) = 1 − σ(logit) of each edge, [e]."""
        return torch.sigmoid(-self.logits(view))

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Draw one weight a pair (or an edge) and multiply it on the edge weights."""
        if self.symmetric:
            _, pair_of_edge = view.structure.pairing
            drawn = self._decide(self._per_pair(view), generator)
            keep = drawn.index_select(0, pair_of_edge)
        else:
            keep = self._decide(self.logits(view), generator)
        clean = view.weights()
        degree_weight = clean if self.degrees == "clean" else None
        noisy = view.with_edge_weight(clean * keep, degree_weight)
        return Draw(noisy, keep=keep.detach())

    def _decide(self, logits: Tensor, generator: Generator | None) -> Tensor:
        return decide(logits, self.temperature, self.sampling, generator)

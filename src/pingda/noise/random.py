"""Random perturbations: the paper's point of comparison, and GRACE's augmentations."""

import torch
from torch import Generator, Tensor

from pingda.graph.sparse import SparseFeatures, magnitude, scaled
from pingda.graph.view import GraphView
from pingda.noise.base import Draw, Noise


def bernoulli(
    size: int, keep: float, like: Tensor, generator: Generator | None
) -> Tensor:
    """Draw ones with probability ``keep`` and zeros otherwise, [size]."""
    uniform = torch.rand(size, generator=generator, device=like.device)
    return (uniform < keep).to(like.dtype)


class EdgeDrop(Noise):
    """Drop each edge with the same probability.

    Args:
        rate: Probability to drop.
        symmetric: Drop both directions of an edge together; otherwise each alone.
    """

    def __init__(self, rate: float, symmetric: bool = True) -> None:
        super().__init__()
        self.rate = rate
        self.symmetric = symmetric

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Give dropped edges weight 0, which every encoder reads as no edge."""
        clean = view.weights()
        if self.symmetric:
            pairs, pair_of_edge = view.structure.pairing
            kept = bernoulli(pairs.shape[1], 1 - self.rate, clean, generator)
            keep = kept[pair_of_edge]
        else:
            keep = bernoulli(clean.numel(), 1 - self.rate, clean, generator)
        return Draw(view.with_edge_weight(clean * keep), keep=keep)


class FeatureMask(Noise):
    """Zero whole feature columns, the same ones for all nodes.

    Args:
        rate: Probability to zero a column.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Zero columns; sparse features keep their pattern."""
        x = view.x
        entries = x.values if isinstance(x, SparseFeatures) else view.weights()
        mask = bernoulli(int(x.shape[1]), 1 - self.rate, entries, generator)

        def removed() -> dict[str, Tensor]:
            whole, gone = magnitude(x), magnitude(scaled(x, 1 - mask))
            return {"noise_to_signal": gone / whole.clamp(min=1e-12)}

        return Draw(view.with_features(scaled(x, mask)), measure=removed)

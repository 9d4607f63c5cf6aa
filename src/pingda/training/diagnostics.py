"""What the log says of the noise, so that its collapse can be seen."""

import torch
from torch import Tensor

from pingda.graph.graph import UNLABELLED
from pingda.methods.base import Update


def summarise(
    update: Update, edge_index: Tensor, labels: Tensor | None
) -> dict[str, float]:
    """Return the log line of one update.

    ``keep_mean`` is the mean weight that the noise left on an edge (1: no noise),
    ``keep_below_half`` the share of edges that lost more than half;
    ``keep_intra_class`` and ``keep_inter_class`` split the mean by labels.
    ``noise_to_signal`` is ‖X^ε−X‖/‖X‖. Where both views are noisy, the second counts.
    """
    line = {"loss": float(update.loss.detach())}
    for draw in update.draws:
        if draw.keep is not None:
            line |= _edges(draw.keep, edge_index, labels)
        line |= {name: float(value) for name, value in draw.measure().items()}
    return line | {name: float(value) for name, value in update.metrics.items()}


def _edges(keep: Tensor, edge_index: Tensor, labels: Tensor | None) -> dict[str, float]:
    line = {
        "keep_mean": float(keep.mean()),
        "keep_below_half": float((keep < 0.5).float().mean()),
    }
    if labels is None:
        return line
    source, target = labels[edge_index]
    known = (source != UNLABELLED) & (target != UNLABELLED)
    for name, edges in (
        ("keep_intra_class", known & (source == target)),
        ("keep_inter_class", known & (source != target)),
    ):
        if bool(torch.any(edges)):
            line[name] = float(keep[edges].mean())
    return line

"""The tiled loss against a dense one, forward and backward, in one run."""

import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import normalize

from pingda.losses import info_nce


def dense_info_nce(p: Tensor, q: Tensor, tau: float) -> Tensor:
    """Compute the same loss with every similarity in memory, as peers do."""
    p, q = normalize(p, dim=1), normalize(q, dim=1)
    diagonal = torch.eye(len(p), dtype=torch.bool)
    across = p @ q.t() / tau
    losses = []
    for side, within in ((across, p @ p.t()), (across.t(), q @ q.t())):
        masked = (within / tau).masked_fill(diagonal, -torch.inf)
        sums = torch.cat([side, masked], dim=1).logsumexp(dim=1)
        losses.append(sums - across.diagonal())
    return torch.stack(losses).mean()


def step(loss: Callable[[Tensor, Tensor, float], Tensor], p: Tensor, q: Tensor) -> None:
    """Compute a loss and its gradient."""
    loss(p, q, 0.3).backward()


def median_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the median time of several calls, after one that does not count."""
    work()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main() -> None:
    """Print one row a size, as JSON."""
    for nodes in (1000, 2708, 4000):
        generator = torch.Generator().manual_seed(0)
        p, q = (torch.randn(nodes, 256, generator=generator) for _ in range(2))
        p.requires_grad_()
        ours = median_seconds(partial(step, info_nce, p, q))
        dense = median_seconds(partial(step, dense_info_nce, p, q))
        row = {"nodes": nodes, "ours_s": ours, "dense_s": dense, "ratio": dense / ours}
        sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()

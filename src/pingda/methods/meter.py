"""The π-noise meter: does the noise tell something of the task?"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from pingda.graph.view import GraphView
from pingda.noise.pair import NoisePair

DRAWS = 8
# Student's t for a two-sided 95 % interval from that many draws.
T_QUANTILE = 2.365
# Noise that raises the entropy by less, in nats, is as good as none, ...
FAINT = 0.01
# ... and knowledge that saves or costs less than this share of it as good as none.
NEGLIGIBLE = 0.05

Entropy = Callable[[GraphView, GraphView, Generator], Tensor]
"""Task entropy of two views, in nats; negatives are drawn from the generator."""


@dataclass(frozen=True)
class Information:
    r"""What noise tells of the task, I(T; E) = H(T) − H(T|E), in nats.

    The task is the paper's: to tell nodes apart, a node's two views being the same and
    all others different. Classes have no part in it.

    H(T|E) is the task entropy under the noise as it was learned. H(T) is the task
    entropy when the noise is just as strong but nobody knows where it goes: same kind,
    same power, same random numbers, spread evenly. Both are means over draws, by the
    same encoder and the same estimator, so whatever these get wrong falls out of the
    difference, and noise that was never learned has exactly I = 0.

    Args:
        entropy: H(T|E).
        blind_entropy: H(T).
        clean_entropy: The entropy without noise, which no noise of use can do without
            raising: random noise costs ``blind_entropy − clean_entropy``.
        information: I(T; E), the mean of paired differences.
        error: Standard error of it over draws of noise, the encoder being given.
    """

    entropy: float
    blind_entropy: float
    clean_entropy: float
    information: float
    error: float

    def line(self) -> dict[str, float]:
        """Return the columns of the log."""
        return {
            "task_entropy": self.entropy,
            "task_entropy_blind": self.blind_entropy,
            "task_entropy_clean": self.clean_entropy,
            "information": self.information,
            "information_error": self.error,
        }


@torch.no_grad()
def measure_information(
    noise: NoisePair,
    entropy: Entropy,
    view: GraphView,
    generator: Generator,
    draws: int = DRAWS,
) -> Information:
    """Compare learned noise with noise of the same power that knows nothing.

    Args:
        noise: The noise.
        entropy: Task entropy of two views.
        view: The clean graph.
        generator: Source of all draws.
        draws: How often both are drawn.
    """
    blind = noise.uninformed(view)
    device = generator.device
    rows = []
    for _ in range(draws):
        seed = int(torch.randint(2**62, (), generator=generator, device=device))
        row = []
        for kind in (noise, blind, None):
            source = Generator(device).manual_seed(seed)
            views = (view, view)
            if kind is not None:
                anchor, noisy = kind.draw(view, source)
                views = anchor.view, noisy.view
            negatives = Generator(device).manual_seed(seed + 1)
            row.append(float(entropy(*views, negatives)))
        rows.append(row)
    found = torch.tensor(rows, dtype=torch.float64)
    known, unknown, clean = found.mean(dim=0).tolist()
    differences = found[:, 1] - found[:, 0]
    error = float(differences.std()) / math.sqrt(draws)
    return Information(known, unknown, clean, float(differences.mean()), error)


def verdict(line: Mapping[str, float]) -> str:
    """Say in a sentence whether noise is beneficial, from a line of the log.

    It is only if there is noise worth the name, since knowing where nothing goes is no
    merit, and if I(T; E) is a share worth the name of what blind noise costs, by more
    than its 95 % interval.
    """
    information = line["information"]
    margin = T_QUANTILE * line["information_error"]
    cost = line["task_entropy_blind"] - line["task_entropy_clean"]
    if cost < FAINT:
        return (
            "not beneficial: there is hardly any noise, since blind noise of its power "
            f"costs {cost:.4f} nats"
        )
    figures = (
        f"I(T;E) = {information:.4f} ± {margin:.4f} nats (95 %), "
        f"{information / cost:.0%} of what blind noise of the same power costs"
    )
    least = NEGLIGIBLE * cost
    if information - margin > least:
        return f"beneficial: {figures}"
    if information + margin < -least:
        return f"harmful: {figures}"
    return f"not beneficial: {figures}"

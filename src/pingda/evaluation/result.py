"""What an evaluation says, never without its protocol and its n."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

Protocol = Literal["strict", "paper"]


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation (ddof 1; 0 for a single value)."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return float(np.mean(values)), spread


@dataclass(frozen=True)
class Evaluation:
    """Accuracy over splits, as fractions of 1, beside the untrained floors.

    ``per_split`` has n entries. The floors are probed on the same splits by the
    strict probe; under ``paper`` too, since that rule needs checkpoints of a training.
    """

    protocol: Protocol
    metric: str
    mean: float
    std: float
    n: int
    raw_features_mean: float
    raw_features_std: float
    ppr_features_mean: float
    ppr_features_std: float
    per_split: tuple[float, ...]
    raw_features_per_split: tuple[float, ...]
    ppr_features_per_split: tuple[float, ...]

    @classmethod
    def of(
        cls,
        protocol: Protocol,
        found: Sequence[float],
        raw: Sequence[float],
        ppr: Sequence[float],
    ) -> "Evaluation":
        """Summarise accuracies of the embeddings and of the floors."""
        return cls(
            protocol,
            "accuracy",
            *mean_and_deviation(found),
            len(found),
            *mean_and_deviation(raw),
            *mean_and_deviation(ppr),
            tuple(found),
            tuple(raw),
            tuple(ppr),
        )

    @property
    def found(self) -> tuple[float, float]:
        """Mean and standard deviation of the embeddings."""
        return self.mean, self.std

    @property
    def raw_features(self) -> tuple[float, float]:
        """Mean and standard deviation of the raw features."""
        return self.raw_features_mean, self.raw_features_std

    @property
    def ppr_features(self) -> tuple[float, float]:
        """Mean and standard deviation of the propagated features."""
        return self.ppr_features_mean, self.ppr_features_std

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

"""The noise of the two views that a contrastive method compares."""

from copy import copy

from torch import Generator, nn

from pingda.graph.view import GraphView
from pingda.noise.base import Draw, Noise, then
from pingda.noise.edge import EdgeNoise
from pingda.noise.feature import FeatureNoise
from pingda.noise.mask import ColumnMask
from pingda.noise.random import EdgeDrop, FeatureMask
from pingda.noise.settings import NoiseSettings

EMBED_WIDTHS = (128, 64)  # of the released code's edge scorer


class NoisePair(nn.Module):
    """Draws the anchor view and the noisy view of a graph.

    Learned noise is one module, drawn once for each view that it disturbs; random
    noise has a rate of its own in each view.

    Args:
        in_channels: Number of node features.
        settings: Which noise goes where.
    """

    def __init__(self, in_channels: int, settings: NoiseSettings) -> None:
        super().__init__()
        self.edge_noise = (
            EdgeNoise(
                in_channels,
                embed=EMBED_WIDTHS if settings.scorer == "embed" else None,
                temperature=settings.temperature,
                sampling=settings.sampling,
                symmetric=settings.symmetric,
                degrees=settings.degrees,
            )
            if settings.edge == "learned"
            else None
        )
        self.feature_noise = (
            _feature_noise(in_channels, settings)
            if settings.feature == "learned"
            else None
        )
        self.anchor_parts = self._parts(settings, view=0)
        self.noisy_parts = self._parts(settings, view=1)

    def _parts(self, settings: NoiseSettings, view: int) -> list[Noise]:
        """List the noise of one view in the order of application.

        A plain list, since both views may share one module.
        """
        parts: list[Noise] = []
        budget = settings.power == "budget"
        extra = settings.anchor == "random" and view == 0
        if self.edge_noise is not None and (
            budget or view == 1 or settings.edge_views == "both"
        ):
            edge, rate = self.edge_noise, settings.edge_rate[view]
            if not budget:
                parts.append(edge)
            elif rate > 0:  # a budget of nothing is no noise
                parts.append(edge.at(rate))
        if settings.edge == "random" or (extra and settings.edge == "learned"):
            parts.append(EdgeDrop(settings.edge_rate[view], settings.symmetric))
        if self.feature_noise is not None and (
            budget or view == 1 or settings.feature_views == "both"
        ):
            feature, rate = self.feature_noise, settings.feature_rate[view]
            if not budget:
                parts.append(feature)
            elif rate > 0:
                parts.append(feature.at(rate))
        if settings.feature == "random" or (extra and settings.feature == "learned"):
            parts.append(FeatureMask(settings.feature_rate[view]))
        return parts

    def uninformed(self, view: GraphView) -> "NoisePair":
        """Return noise of the same power that does not know where to go."""
        other = copy(self)
        other.anchor_parts = [part.uninformed(view) for part in self.anchor_parts]
        other.noisy_parts = [part.uninformed(view) for part in self.noisy_parts]
        return other

    def draw(
        self, view: GraphView, generator: Generator | None = None
    ) -> tuple[Draw, Draw]:
        """Draw the anchor view and the noisy view."""
        anchor, noisy = Draw(view), Draw(view)
        for part in self.anchor_parts:
            anchor = then(anchor, part, generator)
        for part in self.noisy_parts:
            noisy = then(noisy, part, generator)
        return anchor, noisy


def _feature_noise(
    in_channels: int, settings: NoiseSettings
) -> FeatureNoise | ColumnMask:
    """Make the learned noise of the chosen family."""
    if settings.family == "mask":
        return ColumnMask(in_channels, temperature=settings.temperature)
    return FeatureNoise(
        in_channels,
        mean=settings.mean,
        deviation=settings.deviation,
        gain=settings.gain,
        family=settings.family,
    )

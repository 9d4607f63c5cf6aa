"""Methods that contrast two noisy views of one graph through one encoder."""

from collections.abc import Iterator

import torch
from torch import Generator, Tensor
from torch.optim import Optimizer

from pingda.graph.view import GraphView
from pingda.losses.entropy import GAUSSIAN_CONSTANT
from pingda.losses.infonce import InfoNCE, sampled_info_nce
from pingda.methods.base import Method, Update, adam, contrasted
from pingda.methods.meter import measure_information
from pingda.methods.settings import ContrastiveSettings
from pingda.nn.encoders import make_encoder
from pingda.nn.heads import Projector
from pingda.nn.readout import Readout
from pingda.noise.pair import NoisePair
from pingda.seeding import Streams

# Shared negatives of the entropies that are compared; up to so many nodes, all.
METER_SAMPLES = 1024


class TwoViewContrast(Method):
    r"""Two noisy views, one encoder and head, one contrastive loss for all learners.

    .. math::
        P = \mathrm{proj}(\mathrm{Enc}(G_1)), \quad
        Q = \mathrm{proj}(\mathrm{Enc}(G_2)), \quad
        \min_{\theta, \psi} L(P, Q)

    A method of this family is its settings: which noise, which widths, which head.

    Args:
        in_channels: Number of node features.
        settings: All choices.
    """

    def __init__(self, in_channels: int, settings: ContrastiveSettings) -> None:
        super().__init__()
        self.settings = settings
        self.encoder = make_encoder(
            settings.encoder,
            in_channels,
            settings.hidden,
            settings.dim,
            settings.activation,
        )
        self.readout = Readout(in_channels, settings.dim, settings.readout)
        self.projector = Projector(
            settings.dim, settings.projection, settings.head_activation
        )
        self.noise = NoisePair(in_channels, settings.noise)
        self.loss = InfoNCE(
            settings.tau,
            settings.symmetric_loss,
            settings.negatives,
            settings.samples,
            settings.precision,
        )

    def learners(self) -> dict[str, Optimizer]:
        """One optimiser for the encoder, one for each learned noise."""
        choice, noise = self.settings, self.settings.noise
        model = [*self.encoder.parameters(), *self.projector.parameters()]
        found: dict[str, Optimizer] = {
            "encoder": adam(model, choice.lr, choice.weight_decay)
        }
        for name, part, rate in (
            ("edge_noise", self.noise.edge_noise, noise.edge_lr),
            ("feature_noise", self.noise.feature_noise, noise.feature_lr),
        ):
            if part is not None:
                found[name] = adam(part.parameters(), rate, noise.weight_decay)
        return found

    def updates(self, view: GraphView, streams: Streams) -> Iterator[Update]:
        """Draw both views once and descend with every learner."""
        anchor, noisy = self.noise.draw(view, streams["noise"])
        p, q = self._projected(anchor.view), self._projected(noisy.view)
        loss = self.loss(p, q, streams["batches"])
        with torch.no_grad():
            alignment = torch.nn.functional.cosine_similarity(p, q).mean()
        yield Update(loss, (anchor, noisy), {"positive_cosine": alignment})

    def prepare(self, view: GraphView) -> None:
        """Find the directions that the readout keeps of the features."""
        self.readout.fit(view.x)

    def measure(self, view: GraphView, streams: Streams) -> dict[str, float]:
        """Measure what the noise tells of the task."""
        found = measure_information(
            self.noise, self._task_entropy, view, streams["meter"]
        )
        return found.line()

    def _task_entropy(
        self, anchor: GraphView, noisy: GraphView, generator: Generator
    ) -> Tensor:
        p, q = self._projected(anchor), self._projected(noisy)
        choice = self.settings
        loss = sampled_info_nce(
            p,
            q,
            choice.tau,
            METER_SAMPLES,
            choice.symmetric_loss,
            choice.precision,
            generator,
        )
        return GAUSSIAN_CONSTANT + loss / 2

    def _projected(self, view: GraphView) -> Tensor:
        return contrasted(view, self.encoder(view), self.projector)

    def embed(self, view: GraphView) -> Tensor:
        """Encode the clean graph; the projector takes no part."""
        embedding: Tensor = self.readout(self.encoder(view), view)
        return embedding

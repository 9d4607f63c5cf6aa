"""PiNGDA: contrast a graph with itself under noise that is learned."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

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


class PiNGDASettings(ContrastiveSettings):
    """Settings of PiNGDA; the defaults are the paper's.

    ``released`` follows the authors' published code where it differs: attribute noise
    in both views, edges scored on embedded features, one draw a direction.

    ``budgeted`` is this project's: both views are noisy, the power of the noise is
    given, and what is learned is where it goes. At the start it is random dropping of
    edges and masking of columns at the same rates.
    """

    # The paper's grid.
    SPACE: ClassVar[Mapping[str, Sequence[Any]]] = {
        "epochs": (500, 1000, 1500, 2000, 3000),
        "lr": (1e-2, 1e-3, 5e-4),
        "weight_decay": (1e-3, 1e-4),
        "tau": (0.3, 0.4, 0.5),
    }
    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {},
        "released": {
            "epochs": 200,
            "noise.feature_views": "both",
            "noise.scorer": "embed",
            "noise.symmetric": False,
        },
        "budgeted": {
            "epochs": 300,
            "tau": 0.5,
            "noise.power": "budget",
            "noise.sampling": "hard",
            "noise.family": "mask",
            "noise.mean": "zero",
            "noise.edge_rate": (0.5, 0.6),
            "noise.feature_rate": (0.4, 0.4),
            "noise.edge_lr": 1e-3,
            "noise.feature_lr": 1e-2,
        },
    }


class PiNGDA(Method):
    r"""Learn noise and encoder together, by minimising one contrastive loss.

    From "Learn Beneficial Noise as Graph Augmentation" (ICML 2025). With the clean
    graph G, a graph G_ε drawn from the learned noise, and a shared encoder,

    .. math::
        P = \mathrm{proj}(\mathrm{Enc}(G)), \quad
        P^\varepsilon = \mathrm{proj}(\mathrm{Enc}(G_\varepsilon)), \quad
        \min_{\theta, \psi} L_\pi(P, P^\varepsilon)

    The paper says ascent; its loss carries the minus sign, so this is descent, for the
    encoder θ and the noise ψ alike. No noise at all minimises L_π: watch ``keep_mean``
    and ``noise_to_signal`` go there.

    Args:
        in_channels: Number of node features.
        settings: All choices.
    """

    title = "learned noise as augmentation (the paper's method)"
    settings_class = PiNGDASettings

    def __init__(self, in_channels: int, settings: PiNGDASettings) -> None:
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
        self.projector = Projector(settings.dim)
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

"""PiNGDA: contrast a graph with itself under noise that is learned."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pingda.methods.settings import NOISE_PRESETS, ContrastiveSettings
from pingda.methods.two_views import TwoViewContrast


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
            **NOISE_PRESETS["budgeted"],
            "noise.edge_rate": (0.5, 0.6),
            "noise.feature_rate": (0.4, 0.4),
        },
    }


class PiNGDA(TwoViewContrast):
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
    """

    title = "learned noise as augmentation (the paper's method)"
    settings_class = PiNGDASettings

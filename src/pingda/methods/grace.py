"""GRACE: contrast two views that were corrupted at random."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from pingda.methods.settings import NOISE_PRESETS, ContrastiveSettings
from pingda.methods.two_views import TwoViewContrast
from pingda.nn.gcn import Activation
from pingda.nn.heads import HeadActivation


class GRACESettings(ContrastiveSettings):
    """Settings of GRACE; the defaults are its authors' for Cora."""

    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "random": {**NOISE_PRESETS["random"]}
    }

    profile: str = Field("random", description="named set of defaults")
    epochs: int = Field(200, ge=0, description="passes over the graph")
    weight_decay: float = Field(1e-5, ge=0, description="weight decay of the encoder")
    hidden: int = Field(256, ge=1, description="width of the hidden layer")
    dim: int = Field(128, ge=1, description="width of the embedding")
    tau: float = Field(0.4, ge=0.025, description="temperature of the loss")
    activation: Activation = Field("relu", description="activation of the encoder")
    head_activation: HeadActivation = Field("elu", description="of the head")


class GRACE(TwoViewContrast):
    r"""Drop edges and mask columns at random, in both views, each at its own rate.

    From "Deep Graph Contrastive Representation Learning" (2020). The loss has negatives
    within a view and across views, and no node is compared with itself but across:

    .. math::
        \ell_i = -\log \frac{e^{\cos(p_i, q_i)/\tau}}{\sum_j e^{\cos(p_i, q_j)/\tau}
            + \sum_{j \ne i} e^{\cos(p_i, p_j)/\tau}}

    averaged over nodes and both directions. ``noise=pingda`` puts learned noise in the
    place of the random one and leaves all else.
    """

    title = "two views, corrupted at random"
    settings_class = GRACESettings

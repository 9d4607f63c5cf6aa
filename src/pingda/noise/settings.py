"""Every choice that can be made about noise, with the paper's default."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["none", "random", "learned"]
Views = Literal["one", "both"]
Rate = Annotated[float, Field(ge=0, lt=1)]


class NoiseSettings(BaseModel):
    """Noise on the two views of a contrastive method.

    The first view is the anchor. Learned noise disturbs the second view, or both;
    random noise, and learned noise of a given power, disturb both, each by its own
    rate.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    edge: Kind = Field("learned", description="noise on edges")
    feature: Kind = Field("learned", description="noise on features")
    edge_rate: tuple[Rate, Rate] = Field(
        (0.2, 0.4),
        description="random, budget: rate of dropped edges, one a view",
    )
    feature_rate: tuple[Rate, Rate] = Field(
        (0.3, 0.4),
        description="random: rate of masked columns; budget: power of the noise as "
        "a share of the signal's; one a view",
    )
    edge_views: Views = Field("one", description="learned: edges of one view or both")
    feature_views: Views = Field(
        "one", description="learned: features of one view or both"
    )
    power: Literal["free", "budget"] = Field(
        "free",
        description="learned: free to vanish, or kept at the rates of edge_rate "
        "and feature_rate",
    )
    family: Literal["gaussian", "laplace", "uniform", "mask"] = Field(
        "gaussian", description="learned: distribution of the feature noise"
    )
    anchor: Literal["none", "random"] = Field(
        "none", description="random noise on the anchor beside the learned noise"
    )
    symmetric: bool = Field(
        True, description="one draw an undirected pair, else one a direction"
    )
    scorer: Literal["pair", "embed"] = Field(
        "pair", description="edge scorer: on features, or on embedded features"
    )
    temperature: float = Field(1.0, gt=0, description="of the relaxed Bernoulli draw")
    sampling: Literal["soft", "hard"] = Field(
        "soft", description="soft weights, or 0/1 with straight-through gradient"
    )
    degrees: Literal["noisy", "clean"] = Field(
        "noisy", description="degrees that normalise the noisy view"
    )
    mean: Literal["learned", "zero"] = Field(
        "learned", description="mean of the feature noise"
    )
    deviation: Literal["abs", "softplus", "exp"] = Field(
        "abs", description="how the deviation of feature noise is kept positive"
    )
    gain: float = Field(1.0, ge=0, description="factor on the feature noise")
    edge_lr: float = Field(1e-4, gt=0, description="learning rate of the edge noise")
    feature_lr: float = Field(
        1e-3, gt=0, description="learning rate of the feature noise"
    )
    weight_decay: float = Field(1e-4, ge=0, description="weight decay of both")

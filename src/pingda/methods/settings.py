"""Settings that all methods share, and how a profile, a recipe and a user meet."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from pingda.errors import PingdaError, did_you_mean
from pingda.graph.topology import Similarity, Topology
from pingda.hardware import Precision
from pingda.losses.infonce import Negatives
from pingda.nn.encoders import Architecture
from pingda.nn.gcn import Activation
from pingda.nn.heads import HeadActivation
from pingda.nn.readout import Parts
from pingda.noise.settings import NoiseSettings

NOISE = "noise"
NOISE_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "none": {"noise.edge": "none", "noise.feature": "none"},
    "random": {"noise.edge": "random", "noise.feature": "random"},
    "pingda": {"noise.edge": "learned", "noise.feature": "learned"},
    "budgeted": {
        "noise.edge": "learned",
        "noise.feature": "learned",
        "noise.power": "budget",
        "noise.sampling": "hard",
        "noise.family": "mask",
        "noise.mean": "zero",
        "noise.edge_lr": 1e-3,
        "noise.feature_lr": 1e-2,
    },
}
"""What ``noise=NAME`` stands for, on any contrastive method."""


class MethodSettings(BaseModel):
    """What every trained method can be told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    SPACE: ClassVar[Mapping[str, Sequence[Any]]] = {}
    """What a search chooses from, unless it is told otherwise."""

    profile: str = Field("paper", description="named set of defaults")
    epochs: int = Field(500, ge=0, description="passes over the graph")
    meter: int = Field(
        100,
        ge=0,
        description="epochs between measurements of what the noise tells; 0: none",
    )
    lr: float = Field(5e-4, gt=0, description="learning rate of the encoder")
    weight_decay: float = Field(1e-4, ge=0, description="weight decay of the encoder")
    encoder: Architecture = Field("gcn", description="architecture of the encoder")
    hidden: int = Field(512, ge=1, description="width of the hidden layer")
    dim: int = Field(256, ge=1, description="width of the embedding")
    readout: Parts = Field(
        "encoder",
        description="embedding: the encoder's; beside it, ego: the features, near: the "
        "propagated features, each cut to dim",
    )
    topology: Topology = Field(
        "given", description="edges: the given ones, between similar nodes, or both"
    )
    similarity: Similarity = Field(
        "features", description="what makes nodes similar: features, or propagated ones"
    )
    neighbours: int = Field(10, ge=1, description="similar nodes joined to each")
    features: Literal["ones", "degree"] | None = Field(
        None, description="structural features in place of the source's own"
    )
    normalize_features: bool | None = Field(
        None, description="divide feature rows by their sum; unset: as the data asks"
    )
    precision: Precision = Field(
        "auto", description="type of the products; auto: bf16 where it is fast"
    )
    device: str = Field("auto", description="auto, cpu, cuda, cuda:1, …")
    batch: Literal["auto", "full"] | Annotated[int, Field(ge=2)] = Field(
        "auto", description="nodes a step; auto: all that fit into memory"
    )
    fanout: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        (10, 10), min_length=1, description="batches: sampled neighbours, one a hop"
    )
    parts: Annotated[int, Field(ge=2)] | None = Field(
        None, description="train on so many parts of the graph in turn (METIS)"
    )


class ContrastiveSettings(MethodSettings):
    """What every method with a contrastive loss can be told."""

    tau: float = Field(0.3, ge=0.025, description="temperature of the loss")
    symmetric_loss: bool = Field(True, description="anchor both views, not the first")
    negatives: Negatives = Field(
        "full",
        description="all other nodes, a shared sample of them, or blocks of 256",
    )
    samples: int = Field(1024, ge=2, description="sampled: size of the shared sample")
    activation: Activation = Field("prelu", description="activation of the encoder")
    projection: Annotated[int, Field(ge=1)] | None = Field(
        None, description="width within the head; unset: dim"
    )
    head_activation: HeadActivation = Field("relu", description="of the head")
    noise: NoiseSettings = Field(NoiseSettings(), description="noise on the views")


SettingsT = TypeVar("SettingsT", bound=MethodSettings)


def keys_of(
    model: type[BaseModel], prefix: str = ""
) -> Iterator[tuple[str, FieldInfo]]:
    """List the dotted keys of a settings class with what is known of them."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from keys_of(inner, f"{prefix}{name}.")
        else:
            yield prefix + name, field


def describe_values(field: FieldInfo) -> str:
    """Say what a setting may be, and in brackets what it is unasked."""
    choices = [
        str(choice)
        for part in (field.annotation, *get_args(field.annotation))
        if get_origin(part) is Literal
        for choice in get_args(part)
    ]
    default = field.default
    if isinstance(default, tuple):
        default = ",".join(str(part) for part in default)
    shown = "unset" if default is None else str(default).lower()
    return f"{', '.join(choices)} [{shown}]".lstrip()


def resolve(
    model: type[SettingsT], recipe: Mapping[str, Any], chosen: Mapping[str, Any]
) -> SettingsT:
    """Settle all settings: the user's choice, else the recipe's, else the profile's.

    Args:
        model: The method's settings class.
        recipe: Dotted keys and values of a recipe.
        chosen: Dotted keys and values of the user.

    Raises:
        PingdaError: A key is unknown, or a value has the wrong type or range.
    """
    known = dict(keys_of(model))
    for key in (*recipe, *chosen):
        if key not in known and not (key == NOISE and _takes_noise(model)):
            raise PingdaError(
                f"unknown setting {key!r}{did_you_mean(key, known)}; "
                f"the settings are {', '.join(known)}"
            )
    default = model.model_fields["profile"].default
    profile = chosen.get("profile", recipe.get("profile", default))
    if profile not in model.PROFILES:
        raise PingdaError(
            f"unknown profile {profile!r}{did_you_mean(str(profile), model.PROFILES)}; "
            f"choose one of {', '.join(model.PROFILES)}"
        )
    merged = {**model.PROFILES[profile], **_spelt_out(recipe), **_spelt_out(chosen)}
    try:
        return model.model_validate(_nested(merged))
    except ValidationError as error:
        raise PingdaError(_first_fault(error)) from error


def _takes_noise(model: type[MethodSettings]) -> bool:
    return NOISE in model.model_fields


def _spelt_out(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Replace ``noise=NAME`` by what it stands for; single settings go over it."""
    name = settings.get(NOISE)
    if name is None:
        return dict(settings)
    if not isinstance(name, str) or name not in NOISE_PRESETS:
        raise PingdaError(
            f"unknown noise {name!r}{did_you_mean(str(name), NOISE_PRESETS)}; choose "
            f"one of {', '.join(NOISE_PRESETS)}"
        )
    single = {key: value for key, value in settings.items() if key != NOISE}
    return {**NOISE_PRESETS[name], **single}


def flatten(settings: BaseModel) -> dict[str, Any]:
    """Return settings as dotted keys with plain values."""
    nested = settings.model_dump(mode="json")
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": item for inner, item in value.items()}
        else:
            flat[key] = value
    return flat


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in flat.items():
        group, _, inner = key.rpartition(".")
        target = nested.setdefault(group, {}) if group else nested
        target[inner] = value
    return nested


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    places = [part for part in fault["loc"] if isinstance(part, str)]
    key = ".".join(places)
    return f"setting {key}={fault['input']!r} is not valid: {fault['msg'].lower()}"

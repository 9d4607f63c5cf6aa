"""Recipes: one file a method and data set, saying where its settings are from."""

from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pingda.errors import PingdaError, did_you_mean
from pingda.files import read_yaml


class Published(BaseModel):
    """A printed result and the rule that made it."""

    model_config = ConfigDict(extra="forbid")

    accuracy: float = Field(description="per cent")
    std: float
    protocol: Literal["paper"]


class Recipe(BaseModel):
    """What is known to be good for a method on a data set, and who says so."""

    model_config = ConfigDict(extra="forbid")

    method: str
    data: str
    source: str = Field(description="where the settings are from")
    profiles: list[str] = Field(
        default=["paper", "released"], description="profiles that it is good for"
    )
    comments: list[str] = Field(default_factory=list)
    settings: dict[str, Any] = Field(default_factory=dict)
    published: Published | None = None


def recipe_names() -> list[str]:
    """List the recipes that come with the package."""
    folder = files("pingda.experiments") / "recipes"
    return sorted(
        entry.name.removesuffix(".yaml")
        for entry in folder.iterdir()
        if entry.name.endswith(".yaml")
    )


def default_recipe(method: str, source: object, profile: object = None) -> str | None:
    """Return the name of the recipe made for this method and source, if any.

    A profile that the user chose takes no values that were found for another one.
    """
    name = f"{method}_{source}"
    if not isinstance(source, str) or name not in recipe_names():
        return None
    return name if profile in {None, *load_recipe(name).profiles} else None


def load_recipe(name: str) -> Recipe:
    """Load a recipe by its name or from a file of the user's own.

    Raises:
        PingdaError: There is none, or it says what no recipe can say.
    """
    if name in recipe_names():
        path = Path(str(files("pingda.experiments"))) / "recipes" / f"{name}.yaml"
    elif Path(name).suffix in {".yaml", ".yml"}:
        path = Path(name)
    else:
        raise PingdaError(
            f"unknown recipe {name!r}{did_you_mean(name, recipe_names())}; give the "
            f"path of a .yaml file, or one of {', '.join(recipe_names())}"
        )
    try:
        return Recipe.model_validate(read_yaml(path))
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise PingdaError(f"recipe {path}: {place}: {fault['msg'].lower()}") from error

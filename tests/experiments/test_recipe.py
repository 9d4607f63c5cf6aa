from pathlib import Path

import pytest

from pingda.errors import PingdaError
from pingda.experiments.recipe import default_recipe, load_recipe, recipe_names
from pingda.graph.catalogue import find
from pingda.methods.registry import method_class
from pingda.methods.settings import resolve


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_is_valid_and_named_after_its_content(name: str) -> None:
    recipe = load_recipe(name)
    assert name == f"{recipe.method}_{recipe.data}"
    assert find(recipe.data) is not None
    resolve(method_class(recipe.method).settings_class, recipe.settings, {})


@pytest.mark.parametrize(
    ("data", "epochs", "lr", "tau", "published"),
    [
        ("cora", 500, 5e-4, 0.3, 86.25),
        ("citeseer", 500, 5e-4, 0.3, 72.44),
        ("pubmed", 1000, 1e-3, 0.3, 87.34),
        ("wikics", 1500, 5e-4, 0.3, 82.07),
        ("amazon-photo", 2000, 1e-2, 0.3, 93.29),
        ("coauthor-physics", 2000, 1e-2, 0.5, 95.81),
        ("ogbn-arxiv", 500, 1e-3, 0.3, 68.72),
    ],
)
def test_the_papers_table_of_hyper_parameters(
    data: str, epochs: int, lr: float, tau: float, published: float
) -> None:
    recipe = load_recipe(f"pingda_{data}")
    assert recipe.settings["epochs"] == epochs
    assert recipe.settings["lr"] == lr
    assert recipe.settings["tau"] == tau
    assert recipe.settings["weight_decay"] == 1e-4
    assert recipe.published is not None
    assert recipe.published.accuracy == published


def test_own_recipes_and_wrong_ones(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("method: pingda\ndata: cora\nsource: me\nsettings: {tau: 0.5}\n")
    assert load_recipe(str(path)).settings == {"tau": 0.5}
    path.write_text("method: pingda\n")
    with pytest.raises(PingdaError, match="mine.yaml: data: field required"):
        load_recipe(str(path))
    with pytest.raises(PingdaError, match="unknown recipe 'pingda_korra'"):
        load_recipe("pingda_korra")
    assert default_recipe("pingda", "cora") == "pingda_cora"
    assert default_recipe("pingda", object()) is None
    assert default_recipe("pingda", "cora", "released") == "pingda_cora"
    assert default_recipe("pingda", "cora", "budgeted") is None

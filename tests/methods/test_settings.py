import pytest

from pingda.errors import PingdaError
from pingda.methods.pingda import PiNGDASettings
from pingda.methods.settings import flatten, keys_of, resolve


def test_the_user_overrides_the_recipe_and_the_recipe_the_profile() -> None:
    recipe = {"epochs": 300, "lr": 0.01, "noise.edge": "random"}
    settings = resolve(PiNGDASettings, recipe, {"profile": "released", "epochs": 20})
    assert settings.epochs == 20
    assert settings.lr == 0.01
    assert settings.noise.edge == "random"
    assert settings.noise.feature_views == "both"
    assert settings.noise.scorer == "embed"
    assert not settings.noise.symmetric


def test_the_paper_is_the_default() -> None:
    settings = resolve(PiNGDASettings, {}, {})
    assert settings.profile == "paper"
    assert (settings.hidden, settings.dim) == (512, 256)
    assert (settings.lr, settings.weight_decay, settings.tau) == (5e-4, 1e-4, 0.3)
    assert settings.symmetric_loss


def test_released_differs_from_paper_where_the_code_does() -> None:
    paper, released = (
        flatten(resolve(PiNGDASettings, {}, {"profile": name}))
        for name in ("paper", "released")
    )
    assert {key for key in paper if paper[key] != released[key]} == {
        "profile",
        "epochs",
        "noise.feature_views",
        "noise.scorer",
        "noise.symmetric",
    }


def test_resolved_settings_come_back() -> None:
    chosen = {"noise.edge_rate": [0.1, 0.2], "tau": 0.7, "features": "ones"}
    settings = resolve(PiNGDASettings, {}, chosen)
    assert resolve(PiNGDASettings, {}, flatten(settings)) == settings


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"epoch": 3}, "unknown setting 'epoch' .did you mean 'epochs'"),
        ({"noise.edges": "none"}, "did you mean 'noise.edge'"),
        ({"noise": {"edge": "none"}}, "unknown noise"),
        ({"epochs": "many"}, "setting epochs='many' is not valid: .*integer"),
        ({"epochs": -1}, "epochs=-1 is not valid: .*greater than or equal to 0"),
        ({"lr": 0}, "lr=0 is not valid"),
        ({"tau": 0.001}, "tau=0.001 is not valid"),
        (
            {"noise.edge": "maybe"},
            "noise.edge='maybe' is not valid: .*'none'",
        ),
        ({"noise.edge_rate": [0.1, 2]}, "noise.edge_rate=2 is not valid"),
        ({"profile": "papers"}, "unknown profile 'papers' .did you mean 'paper'"),
        ({"encoder": "gat"}, "encoder='gat' is not valid"),
    ],
)
def test_what_cannot_be_set(chosen: dict[str, object], message: str) -> None:
    with pytest.raises(PingdaError, match=message):
        resolve(PiNGDASettings, {}, chosen)


def test_every_setting_is_described() -> None:
    described = dict(keys_of(PiNGDASettings))
    assert all(described.values())
    contract = """
        profile epochs lr weight_decay tau hidden dim encoder noise.edge noise.feature
        noise.edge_rate noise.feature_rate negatives features
    """
    for fixed in contract.split():
        assert fixed in described

import pytest
from pydantic import ValidationError

from pingda.noise.settings import NoiseSettings


def test_defaults_are_the_papers() -> None:
    settings = NoiseSettings()
    assert (settings.edge, settings.feature) == ("learned", "learned")
    assert (settings.edge_views, settings.feature_views) == ("one", "one")
    assert (settings.edge_lr, settings.feature_lr) == (1e-4, 1e-3)
    assert (settings.temperature, settings.sampling) == (1.0, "soft")
    assert (settings.mean, settings.deviation, settings.gain) == ("learned", "abs", 1.0)
    assert settings.symmetric
    assert settings.degrees == "noisy"


@pytest.mark.parametrize(
    "values",
    [
        {"edge": "some"},
        {"edge_rate": (0.1, 1.0)},
        {"edge_rate": (0.1,)},
        {"feature_rate": (-0.1, 0.2)},
        {"temperature": 0},
        {"gain": -1},
        {"unknown": 1},
    ],
)
def test_values_out_of_range_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NoiseSettings.model_validate(values)

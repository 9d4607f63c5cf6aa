from typing import Any

import pytest

from pingda.cli.options import parse_settings
from pingda.errors import PingdaError


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("a=1", 1),
        ("a=1e-3", "1e-3"),  # YAML's text; the settings make a number of it
        ("a=0.001", 0.001),
        ("a=true", True),
        ("a=word", "word"),
        ("a=0.2,0.4", [0.2, 0.4]),
        ("a=[0.2, 0.4]", [0.2, 0.4]),
        ("a=b=c", "b=c"),
    ],
)
def test_values_are_read_as_yaml(pair: str, value: Any) -> None:
    assert parse_settings([pair]) == {"a": value}


@pytest.mark.parametrize("pair", ["a", "=1", "a=", "", "a={"])
def test_pairs_without_key_or_value(pair: str) -> None:
    with pytest.raises(PingdaError, match="--set"):
        parse_settings([pair])

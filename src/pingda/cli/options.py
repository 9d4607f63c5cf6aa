"""Arguments that several commands share, and how they are read."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from pingda.errors import PingdaError

Json = Annotated[
    bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")
]
RunDir = Annotated[Path, typer.Argument(help="Folder of a run.", metavar="DIR")]
Source = Annotated[
    str,
    typer.Argument(
        help="Name of the catalogue (see 'pingda data list'), planetoid:NAME, "
        "amazon:NAME, coauthor:NAME, webkb:NAME, or an .npz file of your own.",
        metavar="SOURCE",
    ),
]


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """Read ``KEY=VALUE`` pairs; values are YAML, and ``a,b`` is a list.

    Raises:
        PingdaError: A pair has no key or no value.
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip() or not text.strip():
            raise PingdaError(
                f"--set {pair!r}: write KEY=VALUE, as in --set epochs=100"
            )
        if "," in text and not text.lstrip().startswith(("[", "{", '"', "'")):
            text = f"[{text}]"
        try:
            settings[key.strip()] = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise PingdaError(f"--set {pair!r}: the value cannot be read") from error
    return settings


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object."""
    sys.stdout.write(json.dumps(value) + "\n")

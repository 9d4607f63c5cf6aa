import pytest

from conftest import Command
from pingda.methods.registry import METHODS


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("fit",),
        ("embed",),
        ("evaluate",),
        ("report",),
        ("data", "list"),
        ("data", "check"),
    ],
    ids=str,
)
def test_every_command_helps_with_an_example(
    pingda: Command, words: tuple[str, ...]
) -> None:
    done = pingda(*words, "--help")
    assert done.returncode == 0
    assert "Example: pingda" in done.stdout


def test_the_help_of_fit_lists_methods_and_settings_with_their_values(
    pingda: Command,
) -> None:
    text = pingda("fit", "--help").stdout
    for name, method in METHODS.items():
        assert name in text
        assert method.title in text
    lines = {line.split()[0]: line for line in text.splitlines() if line.split()}
    assert "none, random, learned [learned]" in lines["noise.edge"]
    assert "[0.3]" in lines["tau"]
    assert "paper, released, budgeted [paper]" in lines["profile"]

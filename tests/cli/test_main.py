import pytest
import typer

from conftest import Command
from pingda import __version__
from pingda.cli import main as command
from pingda.errors import PingdaError


def test_version_and_wrong_usage(pingda: Command) -> None:
    assert pingda("--version").stdout == f"pingda {__version__}\n"
    for words in (("fitt",), ("fit",), ("fit", "digits", "--nonsense")):
        assert pingda(*words).returncode == 2


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PingdaError("this is wrong; do that"), "pingda: this is wrong; do that\n"),
        (MemoryError(), "pingda: out of memory; use a smaller graph"),
        (KeyError("x"), "pingda: unexpected KeyError: 'x' (this is a fault of pingda"),
    ],
)
def test_every_failure_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    sentence: str,
) -> None:
    app = typer.Typer()

    @app.command()
    def fail() -> None:
        raise error

    monkeypatch.setattr(command, "app", lambda: app([], standalone_mode=False))
    with pytest.raises(SystemExit) as stopped:
        command.main()
    assert stopped.value.code == 1
    shown = capsys.readouterr().err
    assert shown.startswith(sentence)
    assert shown.count("\n") == 1

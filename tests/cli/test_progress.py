import sys
import time

import pytest

from pingda.cli.progress import progress


def test_lines_elsewhere_than_on_a_terminal_are_few(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with progress("work") as tick:
        for step in range(1, 101):
            now += 0.2
            tick(step, 100, "loss 1.0")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert lines[-1] == "work: 100/100  loss 1.0"


def test_a_bar_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress("work") as tick:
        tick(1, 2, "")
    assert "work: 1/2" not in capsys.readouterr().err

import sys
import time

import pytest
import torch

from pingda.cli.progress import SHOWN, on_epoch, progress, remark
from pingda.graph import Graph
from pingda.methods.pingda import PiNGDA, PiNGDASettings
from pingda.seeding import Streams
from pingda.training.state import TrainingState

CPU = torch.device("cpu")


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


def test_an_epoch_tells_loss_and_noise(toy: Graph) -> None:
    """Everything by which a collapse of the noise is seen is on the line."""
    seen: list[tuple[int, int, str]] = []
    metrics = dict.fromkeys(SHOWN, 0.5) | {"epoch": 3.0, "deviation": 9.0}
    state = TrainingState(PiNGDA(12, PiNGDASettings()), Streams(0, CPU), 7, epoch=3)
    on_epoch(lambda *line: seen.append(line))(state, metrics)
    ((done, total, remark),) = seen
    assert (done, total) == (3, 7)
    for name in ("loss", "edges kept", "under ½", "intra", "inter", "noise/signal"):
        assert f"{name} 0.500" in remark
    assert "agreement 0.500" in remark
    assert "9.0" not in remark


def test_other_processes_are_silent(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    with progress("work") as tick:
        tick(2, 2, "")
    remark("work")("a sentence")
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("RANK", "0")
    remark("work")("a sentence")
    assert capsys.readouterr().err == "work: a sentence\n"

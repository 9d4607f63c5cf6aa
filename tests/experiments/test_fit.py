"""From source to run, and what survives a killed process."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from conftest import make_toy
from pingda.errors import PingdaError
from pingda.experiments.fit import StoppedError, fit
from pingda.experiments.run import load
from pingda.graph import Graph
from pingda.training import memory

EPOCHS = 2500
QUICK = {"epochs": 4, "dim": 8, "hidden": 16}


def test_settings_come_from_user_then_recipe_then_profile(tmp_path: Path) -> None:
    recipe = tmp_path / "mine.yaml"
    recipe.write_text(
        "method: pingda\ndata: digits\nsource: me\n"
        "settings: {epochs: 0, tau: 0.5, profile: released}\n"
    )
    run = fit("digits", recipe=str(recipe), settings={"tau": 0.7, "dim": 4})
    settings = run.config.settings
    assert (settings["epochs"], settings["tau"], settings["dim"]) == (0, 0.7, 4)
    assert settings["noise.scorer"] == "embed"  # of the profile
    assert settings["normalize_features"] is False  # settled, not left open
    other = tmp_path / "other.yaml"
    other.write_text("method: grace\ndata: digits\nsource: me\n")
    with pytest.raises(PingdaError, match="is for grace, not for pingda"):
        fit("digits", recipe=str(other))


def test_labels_decide_nothing(toy: Graph) -> None:
    """Other labels, and none, give the same bits: they serve the log alone."""
    assert isinstance(toy.x, torch.Tensor)
    found = []
    for y in (toy.y, 1 - (toy.y if toy.y is not None else 0), None):
        data = Data(x=toy.x, edge_index=toy.edge_index, y=y)
        found.append(fit(data, settings=QUICK).embeddings)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_a_stopped_run_goes_on_from_its_folder(tmp_path: Path, toy: Graph) -> None:
    whole = fit(toy, settings=QUICK)
    asked = iter([False, True])
    with pytest.raises(StoppedError, match="stopped after epoch 2; the same command"):
        fit(toy, settings=QUICK, out=tmp_path / "run", stop=lambda: next(asked))
    with pytest.raises(PingdaError, match="is not finished; go on with"):
        load(tmp_path / "run")
    with pytest.raises(PingdaError, match="already holds an unfinished run"):
        fit(toy, settings=QUICK, out=tmp_path / "run")
    resumed = fit(toy, settings=QUICK, out=tmp_path / "run", resume=True)
    assert np.array_equal(resumed.embeddings, whole.embeddings)
    assert resumed.metrics == whole.metrics
    with pytest.raises(StoppedError, match="nothing was kept"):
        fit(toy, settings=QUICK, stop=lambda: True)


@pytest.mark.parametrize("divided", [{"batch": 25}, {"parts": 2}], ids=str)
def test_a_run_in_batches_goes_on_in_the_middle_of_an_epoch(
    tmp_path: Path, toy: Graph, divided: dict[str, int]
) -> None:
    settings = {**QUICK, "negatives": "sampled", "samples": 5, **divided}
    whole = fit(toy, settings=settings)
    assert np.array_equal(fit(toy, settings=settings).embeddings, whole.embeddings)
    assert not np.array_equal(fit(toy, settings=QUICK).embeddings, whole.embeddings)
    asked = iter([*[False] * 4, True])
    with pytest.raises(StoppedError, match="stopped after epoch [12];"):
        fit(toy, settings=settings, out=tmp_path, stop=lambda: next(asked))
    resumed = fit(toy, settings=settings, out=tmp_path, resume=True)
    assert np.array_equal(resumed.embeddings, whole.embeddings)
    assert resumed.metrics == whole.metrics


def test_memory_decides_once_and_is_told(
    tmp_path: Path, toy: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    asked = iter([False, True])
    monkeypatch.setattr(memory, "available_bytes", lambda _device: 1e6)
    monkeypatch.setattr(memory, "CHOSEN_BATCH", 30)
    with pytest.raises(StoppedError):
        fit(
            toy, settings=QUICK, out=tmp_path, stop=lambda: next(asked), say=said.append
        )
    assert "too much: batches of 30 nodes instead" in said[0]
    # There is more memory now, and the run stays what it was.
    monkeypatch.undo()
    run = fit(toy, settings=QUICK, out=tmp_path, resume=True, say=said.append)
    assert run.config.settings["batch"] == 30
    assert "batches of 30 nodes, as asked" in said[1]
    monkeypatch.setattr(memory, "available_bytes", lambda _device: 1e6)
    with pytest.raises(PingdaError, match="would not fit: .*--set batch"):
        fit(toy, settings={**QUICK, "batch": "full"})


def test_another_graph_or_setting_cannot_resume(tmp_path: Path, toy: Graph) -> None:
    fit(toy, settings=QUICK, out=tmp_path)
    with pytest.raises(PingdaError, match="tau is 0.3 there and 0.4 here"):
        fit(toy, settings={**QUICK, "tau": 0.4}, out=tmp_path, resume=True)
    with pytest.raises(PingdaError, match="holds another run.*data is"):
        fit(make_toy(seed=1), settings=QUICK, out=tmp_path, resume=True)


def test_training_beats_the_raw_features_on_the_built_in_graph() -> None:
    run = fit("digits", settings={"epochs": 40})
    result = run.evaluate(splits=5)
    assert result.mean > result.raw_features_mean + 0.02


@pytest.mark.parametrize(
    "kills", [6, pytest.param(40, marks=pytest.mark.slow)], ids=str
)
def test_kill_at_any_moment_and_resume_end_bit_equal(
    tmp_path: Path, toy_file: Path, kills: int
) -> None:
    """``kill -9`` at random moments of a real process, again and again."""
    command = [str(Path(sys.executable).with_name("pingda")), "fit", str(toy_file)]
    command += ["--set", f"epochs={EPOCHS}", "--set", "dim=16", "--set", "hidden=32"]

    def spend(folder: str, *more: str) -> None:
        words = [*command, "-o", folder, *more]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)

    spend("whole")
    clock = random.Random(0)
    killed = 0
    for attempt in range(kills):
        folder = tmp_path / f"killed{attempt // 3}"
        process = subprocess.Popen(
            [*command, "-o", folder.name, "--resume"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        # By progress and not by the clock: this machine may be busy, or not any more.
        third = attempt % 3
        wanted = clock.randrange(third * EPOCHS // 3, (third + 1) * EPOCHS // 3)
        while process.poll() is None and logged(folder) < wanted:
            time.sleep(0.002)
        time.sleep(clock.uniform(0, 0.02))
        process.kill()
        _, errors = process.communicate()
        killed += process.returncode == -signal.SIGKILL
        assert process.returncode in (0, -signal.SIGKILL), errors
    assert killed >= kills // 2
    for folder in sorted(tmp_path.glob("killed*")):
        spend(folder.name, "--resume")
        same_run(tmp_path / "whole", folder)


def logged(folder: Path) -> int:
    """Count the epochs in a run's log."""
    log = folder / "metrics.jsonl"
    return log.read_bytes().count(b"\n") if log.is_file() else 0


def same_run(one: Path, other: Path) -> None:
    arrays: list[Any] = [np.load(f / "embeddings.npz") for f in (one, other)]
    assert np.array_equal(arrays[0]["embeddings"], arrays[1]["embeddings"])
    for name in ("state.safetensors", "model.safetensors", "metrics.jsonl"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    assert not [path for path in other.iterdir() if path.name.startswith(".")]

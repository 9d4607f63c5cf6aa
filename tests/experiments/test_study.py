from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from conftest import make_toy, save_npz
from pingda.errors import PingdaError
from pingda.experiments import study as module
from pingda.experiments.fit import fit
from pingda.experiments.study import (
    ARMS,
    COMMON,
    Study,
    edge_auc,
    read_cells,
    run_study,
)
from pingda.experiments.tune import Search
from pingda.graph import Graph


def quiet(_done: int, _total: int, _remark: str) -> None:
    pass


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study of minutes made one of seconds: a small graph and few choices."""
    source = save_npz(tmp_path / "toy.npz", make_toy(nodes=120))
    space = {"epochs": (1, 3), "dim": (4,), "hidden": (8,)}
    monkeypatch.setattr(module, "COMMON", space)
    arms = ("random", "budgeted")
    return Study((str(source),), arms, seeds=2, trials=2, splits=2)


def test_cells_are_honest_and_a_second_call_runs_nothing(
    tmp_path: Path, small: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = run_study(small, tmp_path / "out", quiet)
    assert [(c.arm, c.seed) for c in cells] == [
        (arm, seed) for arm in small.arms for seed in (0, 1)
    ]
    for cell in cells:
        assert cell.width == 4
        assert 0 < cell.validation <= 1
        assert cell.settings["epochs"] in (1, 3)
        assert (cell.edge_auc is None) == (cell.arm == "random")
    # Arms share the splits of a seed, so the floors are the same; seeds do not.
    assert cells[0].raw == cells[2].raw != cells[1].raw
    monkeypatch.setattr(module, "fit", None)
    told: list[int] = []
    again = run_study(small, tmp_path / "out", lambda done, *_rest: told.append(done))
    assert again == cells
    assert told == [1, 2, 3, 4]


def test_a_killed_study_loses_no_finished_cell(
    tmp_path: Path, small: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_study(small, tmp_path / "whole", quiet)
    calls = 0
    real = module.edge_auc

    def dies(*words: Any) -> float | None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return real(*words)

    monkeypatch.setattr(module, "edge_auc", dies)
    with pytest.raises(KeyboardInterrupt):
        run_study(small, tmp_path / "out", quiet)
    assert len(read_cells(tmp_path / "out" / "study.jsonl")) == 2
    monkeypatch.setattr(module, "edge_auc", real)
    assert run_study(small, tmp_path / "out", quiet) == whole


def test_every_arm_has_settings_that_exist_and_the_same_common_choices() -> None:
    for arm in ARMS.values():
        found = Search("cora", fixed=arm.settings, space={**COMMON, **arm.space})
        choices = found.choices()
        assert {key: choices[key] for key in COMMON} == dict(COMMON)
    assert ARMS["random"].space == ARMS["budgeted"].space


def test_mistakes_are_said_first(tmp_path: Path, small: Study) -> None:
    with pytest.raises(PingdaError, match="did you mean 'budgeted'"):
        run_study(replace(small, arms=("budgetted",)), tmp_path / "out", quiet)
    with pytest.raises(PingdaError, match="at least 1"):
        run_study(replace(small, seeds=0), tmp_path / "out", quiet)
    (tmp_path / "study.jsonl").write_text('{"dataset": "cora"}\n')
    with pytest.raises(PingdaError, match="holds no cells"):
        run_study(small, tmp_path, quiet)


def test_the_area_under_the_curve_of_known_probabilities(toy: Graph) -> None:
    run = fit(toy, settings={"profile": "budgeted", "epochs": 0, "dim": 4})
    noise = run.job.state.method.noise.edge_noise  # type: ignore[union-attr]
    assert toy.y is not None

    def oracle(_x: Any, ends: torch.Tensor, symmetric: bool) -> torch.Tensor:
        assert toy.y is not None
        return (toy.y[ends[0]] == toy.y[ends[1]]).float()

    noise.scorer.forward = oracle  # type: ignore[union-attr]
    assert edge_auc(run, toy) == 1.0
    noise.scorer.forward = lambda *w, **k: -oracle(*w, **k)  # type: ignore[union-attr]
    assert edge_auc(run, toy) == 0.0
    assert edge_auc(fit(toy, settings={"noise.edge": "none", "epochs": 0}), toy) is None

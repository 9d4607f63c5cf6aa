import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import make_toy, save_npz
from pingda.errors import PingdaError
from pingda.experiments import tune as module
from pingda.experiments.fit import fit
from pingda.experiments.recipe import load_recipe
from pingda.experiments.tune import FIRST_SEED, Search, Trial, tune
from pingda.graph.splits import TEST, draw_parts
from pingda.methods.pingda import PiNGDASettings

QUICK = {"dim": 8, "hidden": 16}
SPACE = {"epochs": (1, 30), "tau": (0.3, 0.5)}


@pytest.fixture
def source(tmp_path: Path) -> str:
    return str(save_npz(tmp_path / "toy.npz", make_toy(nodes=200)))


def search(source: str, **changes: Any) -> Search:
    return Search(source, fixed=QUICK, space=SPACE, **changes)


def trials_of(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "trials.csv").read_text().splitlines()))


def test_the_best_of_all_trials_becomes_a_recipe(tmp_path: Path, source: str) -> None:
    best = tune(search(source), 6, tmp_path / "tuned")
    rows = trials_of(tmp_path / "tuned")
    assert len(rows) == 6
    scores = [float(row["validation_accuracy"]) for row in rows]
    assert best.score == max(scores)
    winner = rows[scores.index(best.score)]
    assert {k: str(v) for k, v in best.settings.items()} == {
        key: winner[key] for key in SPACE
    }
    recipe = load_recipe(str(tmp_path / "tuned" / "recipe.yaml"))
    assert recipe.settings == {**QUICK, **best.settings}
    assert f"{best.score:.4f}" in recipe.comments[0]
    run = fit(source, recipe=str(tmp_path / "tuned" / "recipe.yaml"))
    assert run.config.settings["epochs"] == best.settings["epochs"]


def test_it_goes_on_and_never_trains_the_same_twice(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[tuple[Any, ...]] = []

    def count(_search: Search, trial: dict[str, Any]) -> float:
        trained.append(tuple(trial.values()))
        return 0.5 + 0.1 * (trial["epochs"] == 30)

    monkeypatch.setattr(module, "_score", count)
    tune(search(source), 3, tmp_path / "tuned")
    assert len(trials_of(tmp_path / "tuned")) == 3
    best = tune(search(source), 12, tmp_path / "tuned")
    assert len(trials_of(tmp_path / "tuned")) == 12
    assert len(trained) == len(set(trained)) <= 4
    assert (best.settings["epochs"], best.score) == (30, 0.6)
    assert tune(search(source), 5, tmp_path / "tuned") == best  # nothing left to do


def test_a_killed_trial_is_not_counted(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([0.4, KeyboardInterrupt(), 0.5, 0.6])

    def answer(*_words: Any) -> float:
        found = next(answers)
        if isinstance(found, BaseException):
            raise found
        return found

    monkeypatch.setattr(module, "_score", answer)
    wide = Search(source, fixed=QUICK, space={"epochs": tuple(range(1, 1000))})
    with pytest.raises(KeyboardInterrupt):
        tune(wide, 3, tmp_path / "tuned")
    assert tune(wide, 3, tmp_path / "tuned").score == 0.6


def test_test_labels_have_no_influence(tmp_path: Path) -> None:
    """Nodes that no search split trains on or validates on get false labels."""
    graph = make_toy(nodes=300)
    assert graph.y is not None
    parts = np.stack([draw_parts(graph.y, FIRST_SEED + k) for k in range(2)])
    unseen = (parts == TEST).all(axis=0)
    assert unseen.sum() > 100
    y = graph.y.numpy()
    sources = [
        save_npz(tmp_path / "true.npz", graph),
        save_npz(tmp_path / "false.npz", graph, y=np.where(unseen, 1 - y, y)),
    ]
    found = [
        tune(Search(str(s), fixed=QUICK, space=SPACE, splits=2), 3, tmp_path / s.stem)
        for s in sources
    ]
    assert found[0] == found[1]


def test_trials_that_fail_are_left_out(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_search: Search, trial: dict[str, Any]) -> float:
        return math.nan if trial["epochs"] == 30 else 0.4

    monkeypatch.setattr(module, "_score", fails)
    best = tune(search(source), 12, tmp_path / "tuned")
    assert (best.settings["epochs"], best.score) == (1, 0.4)
    assert "" in {row["validation_accuracy"] for row in trials_of(tmp_path / "tuned")}
    monkeypatch.setattr(module, "_score", lambda *_words: math.nan)
    with pytest.raises(PingdaError, match="all 2 trials failed"):
        tune(search(source), 2, tmp_path / "other")


def test_what_cannot_be_searched_is_said_before_training(
    tmp_path: Path, source: str
) -> None:
    for changes, sentence in (
        ({"space": {"taus": (1, 2)}}, "unknown setting 'taus'.*did you mean 'tau'"),
        ({"space": {"tau": (0.3, -1)}}, "tau"),
        ({"space": {"tau": (0.3,)}}, "nothing to search"),
        ({"space": {"tau": (0.3, 0.4)}, "fixed": {"tau": 0.3}}, "nothing to search"),
    ):
        with pytest.raises(PingdaError, match=sentence):
            tune(Search(source, **changes), 1, tmp_path / "none")
    unlabelled = save_npz(tmp_path / "plain.npz", make_toy(), y=None)
    with pytest.raises(PingdaError, match="has no labels"):
        tune(search(str(unlabelled)), 1, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_another_search_in_the_same_folder_is_refused(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_score", lambda *_words: 0.5)
    assert tune(search(source), 1, tmp_path / "tuned").score == 0.5
    with pytest.raises(PingdaError, match="holds another search"):
        tune(search(source, seed=1), 2, tmp_path / "tuned")


def test_the_default_space_is_the_papers_grid() -> None:
    assert Search("cora").choices() == PiNGDASettings.SPACE
    assert Trial({}, 1.0).settings == {}

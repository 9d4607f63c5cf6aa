"""Search for settings by validation accuracy; labels of test nodes are never read."""

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pingda.errors import PingdaError, did_you_mean
from pingda.evaluation.strict import validation_accuracies
from pingda.experiments.fit import fit
from pingda.experiments.recipe import Recipe
from pingda.files import write_text, write_yaml
from pingda.graph.source import load_source
from pingda.graph.splits import draw_parts, labelled
from pingda.methods.registry import method_class
from pingda.methods.settings import keys_of, resolve

if TYPE_CHECKING:
    import optuna

Space: TypeAlias = Mapping[str, Sequence[Any]]
"""Values to choose from, by dotted key."""

SPLITS = 5
# Splits of these seeds are for choosing; those that are reported on begin at 0.
FIRST_SEED = 10_000

Told = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Trial:
    """Settings that were tried, and their mean validation accuracy (nan: failed)."""

    settings: dict[str, Any]
    score: float


@dataclass(frozen=True)
class Search:
    """All that decides over a search.

    Args:
        source: The graph, by a name or path.
        method: Name of the method.
        fixed: Settings that are not searched.
        space: Settings that are; None: the method's own space.
        seed: Seed of the search and of every run.
        splits: Splits on whose validation part a run is scored.
    """

    source: str
    method: str = "pingda"
    fixed: Mapping[str, Any] = field(default_factory=dict)
    space: Space | None = None
    seed: int = 0
    splits: int = SPLITS

    def choices(self) -> Space:
        """Return the space without what is fixed, every value checked.

        Raises:
            PingdaError: A key or a value cannot be, or there is nothing to choose.
        """
        settings = method_class(self.method).settings_class
        space = settings.SPACE if self.space is None else self.space
        known = dict(keys_of(settings))
        for key in space:
            if key not in known:
                raise PingdaError(
                    f"unknown setting {key!r} in the search{did_you_mean(key, known)}"
                )
        found = {key: tuple(v) for key, v in space.items() if key not in self.fixed}
        for key, values in found.items():
            for value in values:
                resolve(settings, {}, {**self.fixed, key: value})
        if not any(len(values) > 1 for values in found.values()):
            raise PingdaError("there is nothing to search: every setting is fixed")
        return found


def tune(
    search: Search,
    trials: int,
    out: Path,
    storage: str | None = None,
    tick: Told = lambda _done, _total, _remark: None,
) -> Trial:
    """Search until so many trials are done, and return the best one.

    What was done before in the same folder or storage counts, so an interrupted search
    goes on, and several processes or machines with one storage share the work.

    Args:
        search: What is searched.
        trials: Trials in all.
        out: Folder for ``trials.csv``, ``recipe.yaml`` and, unless there is another
            storage, ``trials.db``.
        storage: Where optuna keeps the trials, as a URL.
        tick: Told of each finished trial.

    Raises:
        PingdaError: optuna is missing, the search is not possible, or all trials fail.
    """
    space = search.choices()
    labelled(load_source(search.source))  # says at once that labels are missing
    out.mkdir(parents=True, exist_ok=True)
    study = _study(search, space, storage or f"sqlite:///{out / 'trials.db'}")
    while (done := _finished(study)) < trials:
        asked = study.ask()
        trial = _ask(asked, space)
        score = _known(study, asked.params)
        if score is None:
            score = _score(search, trial)
        _tell(study, asked, score)
        tick(done + 1, trials, f"best {best_of(study, space).score:.4f}")
    best = best_of(study, space)
    if math.isnan(best.score):
        raise PingdaError(f"all {len(study.trials)} trials failed; see {out}")
    _write(search, space, study, best, out)
    return best


def _finished(study: "optuna.Study") -> int:
    """Count trials that came to an end; one that was killed did not."""
    return sum(trial.state.is_finished() for trial in study.trials)


def best_of(study: "optuna.Study", space: Space) -> Trial:
    """Return the best trial so far; nan if all have failed."""
    done = [t for t in study.trials if t.values]
    if not done:
        return Trial({}, math.nan)
    best = max(done, key=lambda t: t.values[0])
    return Trial(_values(best.params, space), best.values[0])


def _study(search: Search, space: Space, storage: str) -> "optuna.Study":
    try:
        import optuna  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise PingdaError(
            "searching needs optuna: pip install 'pingda[tune]'"
        ) from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    # Another space under the same name would mix trials that cannot be compared.
    asked = repr((search.source, search.method, search.fixed, space, search.seed))
    study = optuna.create_study(
        storage=storage, study_name="pingda", direction="maximize", load_if_exists=True
    )
    # The same seed again would propose again what has been tried.
    seed = search.seed + len(study.trials)
    study.sampler = optuna.samplers.TPESampler(seed=seed)
    there = study.user_attrs.get("search", asked)
    if there != asked:
        raise PingdaError(
            f"{storage} holds another search: {there} there, {asked} here; choose "
            "another folder"
        )
    study.set_user_attr("search", asked)
    return study


def _ask(asked: "optuna.Trial", space: Space) -> dict[str, Any]:
    """Return settings to try; the search itself knows places in the space alone."""
    for key, values in space.items():
        asked.suggest_categorical(key, list(range(len(values))))
    return _values(asked.params, space)


def _values(params: Mapping[str, int], space: Space) -> dict[str, Any]:
    return {key: space[key][place] for key, place in params.items()}


def _known(study: "optuna.Study", params: Mapping[str, int]) -> float | None:
    """Return the score of the same settings, if they were tried before."""
    scores = [t.values[0] for t in study.trials if t.values and t.params == params]
    return scores[0] if scores else None


def _score(search: Search, trial: Mapping[str, Any]) -> float:
    """Train with settings and return the mean validation accuracy; nan: it failed."""
    settings = {"meter": 0, **search.fixed, **trial}
    try:
        run = fit(search.source, search.method, settings=settings, seed=search.seed)
    except PingdaError:
        return math.nan
    seeds = range(FIRST_SEED, FIRST_SEED + search.splits)
    assert run.graph is not None  # noqa: S101 - a run that was just fitted has one
    y = labelled(run.graph)
    parts = np.stack([draw_parts(y, seed) for seed in seeds])
    return float(np.mean(validation_accuracies(run.embeddings, y.numpy(), parts)))


def _tell(study: "optuna.Study", asked: "optuna.Trial", score: float) -> None:
    from optuna.trial import TrialState  # noqa: PLC0415 - an optional extra

    if math.isnan(score):
        study.tell(asked, state=TrialState.FAIL)
    else:
        study.tell(asked, score)


def _write(
    search: Search, space: Space, study: "optuna.Study", best: Trial, out: Path
) -> None:
    """Write all trials as a table and the best one as a recipe."""
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["validation_accuracy", *space])
    for trial in study.trials:
        values = _values(trial.params, space)
        score = trial.values[0] if trial.values else ""
        writer.writerow([score, *(values.get(key, "") for key in space)])
    write_text(out / "trials.csv", table.getvalue())
    settings = {**search.fixed, **best.settings}
    found = (
        f"mean validation accuracy {best.score:.4f} over {search.splits} splits of "
        f"seeds from {FIRST_SEED}, run of seed {search.seed}"
    )
    recipe = Recipe(
        method=search.method,
        data=search.source,
        source=f"search on validation accuracy, {len(study.trials)} trials",
        profiles=[str(settings.get("profile", "paper"))],
        comments=[found],
        settings=settings,
    )
    write_yaml(out / "recipe.yaml", recipe.model_dump(mode="json", exclude_none=True))

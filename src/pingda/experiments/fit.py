"""From a source to a finished run."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pingda.errors import PingdaError
from pingda.experiments.config import DataSummary, RunConfig
from pingda.experiments.job import Job
from pingda.experiments.recipe import default_recipe, load_recipe
from pingda.experiments.run import Run, load
from pingda.files import write_json
from pingda.graph.graph import Graph
from pingda.graph.source import load_source, normalised_by_default
from pingda.methods.registry import method_class
from pingda.methods.settings import flatten, resolve
from pingda.training.checkpoint import Checkpointer
from pingda.training.environment import describe_environment
from pingda.training.folder import RunFolder
from pingda.training.loop import Callback, TrainingState, embed, train


class StoppedError(PingdaError):
    """Training was asked to stop and can be resumed."""


def fit(
    source: Any,
    method: str = "pingda",
    *,
    recipe: str | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    callbacks: Sequence[Callback] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Run:
    """Learn embeddings of a graph's nodes, without labels.

    Args:
        source: A name of the catalogue, the path of a file, or a PyG ``Data``.
        method: Name of the method.
        recipe: Name or path of a recipe; None takes the one made for this method and
            source, if there is one.
        settings: Dotted keys and values that override the recipe, for example
            ``{"epochs": 100, "noise.edge": "random"}``.
        seed: Seed of everything that is drawn.
        out: Folder to keep the run in, safe against interruption.
        resume: Go on with an unfinished run in ``out``; a finished one is loaded.
        callbacks: Told of each finished epoch.
        stop: Asked after each epoch whether to stop, keeping the state in ``out``.

    Raises:
        PingdaError: The input is not usable; nothing was written over.
    """
    config, graph = _configure(source, method, recipe, settings or {}, seed)
    folder = None if out is None else RunFolder(Path(out))
    if folder is not None and folder.begun:
        _check_same_run(folder, config, resume)
        if folder.finished:
            return load(folder.path)
    job = Job(config)
    log: list[dict[str, float]] = []

    def record(_state: TrainingState, metrics: dict[str, float]) -> None:
        log.append(metrics)
        if folder is not None:
            folder.log(metrics)

    watchers: list[Callback] = [record, *callbacks]
    if folder is not None:
        if folder.begun:
            log.extend(folder.restore(job.state))
        else:
            write_json(folder.environment, describe_environment(job.device))
            folder.rewrite_metrics([])
            folder.write_config(config.model_dump(mode="json"))
        watchers.insert(1, Checkpointer(folder.checkpoint))
    view, begin = job.view(graph), time.monotonic()
    train(job.state, view, watchers, job.labels_for_log(graph), stop)
    if job.state.epoch < job.state.epochs:
        _leave(folder, job.state)
    z = embed(job.state.method, view).float().cpu().numpy()
    seconds = time.monotonic() - begin
    run = Run(config, job, graph, z, graph.identifiers(), log, seconds)
    if folder is not None:
        run.save(folder.path)
    return run


def _configure(
    source: Any,
    method: str,
    recipe: str | None,
    chosen: Mapping[str, Any],
    seed: int,
) -> tuple[RunConfig, Graph]:
    """Settle all settings and load the graph."""
    settings_class = method_class(method).settings_class
    name = recipe or default_recipe(method, source)
    from_recipe: Mapping[str, Any] = {}
    if name is not None:
        found = load_recipe(name)
        if found.method != method:
            raise PingdaError(f"recipe {name} is for {found.method}, not for {method}")
        from_recipe = found.settings
    settings = resolve(settings_class, from_recipe, chosen)
    if settings.normalize_features is None:
        normalise = normalised_by_default(source) and settings.features is None
        settings = settings.model_copy(update={"normalize_features": normalise})
    graph = load_source(source, settings.features, settings.normalize_features)
    config = RunConfig(
        source=str(source) if isinstance(source, str | Path) else None,
        method=method,
        recipe=name,
        seed=seed,
        settings=flatten(settings),
        data=DataSummary.of(graph),
    )
    return config, graph


def _check_same_run(folder: RunFolder, config: RunConfig, resume: bool) -> None:
    """Raise if the folder's run may not be continued as this one."""
    if not resume:
        state = "a finished" if folder.finished else "an unfinished"
        raise PingdaError(
            f"{folder.path} already holds {state} run; choose another folder, or go on "
            "with --resume"
        )
    there = RunConfig.read(folder.read_config(), str(folder.config))
    difference = there.difference(config)
    if difference is not None:
        raise PingdaError(
            f"{folder.path} holds another run, which --resume cannot change: "
            f"{difference}"
        )


def _leave(folder: RunFolder | None, state: TrainingState) -> None:
    """Keep the state of a run that was asked to stop, and say how to go on."""
    if folder is None:
        raise StoppedError(f"stopped after epoch {state.epoch}; nothing was kept")
    folder.checkpoint(state)
    raise StoppedError(
        f"stopped after epoch {state.epoch}; the same command with --resume "
        f"-o {folder.path} goes on from there"
    )

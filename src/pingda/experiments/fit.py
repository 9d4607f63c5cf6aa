"""From a source to a finished run."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pingda import processes
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
from pingda.training.loop import Callback, embed, train
from pingda.training.memory import plan_memory
from pingda.training.state import TrainingState


class StoppedError(PingdaError):
    """Training was asked to stop and can be resumed."""


def _nothing(_sentence: str) -> None:
    pass


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
    say: Callable[[str], None] = _nothing,
) -> Run:
    """Learn embeddings of a graph's nodes, without labels.

    Under ``torchrun``, every process calls it with the same arguments, and the first
    one writes the folder.

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
        stop: Asked after each batch whether to stop, keeping the state in ``out``.
        say: Told before training how it will fit into memory.

    Raises:
        PingdaError: The input is not usable; nothing was written over.
    """
    with processes.joined():
        folder = None if out is None else RunFolder(Path(out))
        chosen = {**(settings or {})}
        if folder is not None and resume and folder.begun:
            chosen = {**_settled_before(folder), **chosen}
        config, graph = _configure(source, method, recipe, chosen, seed, say)
        if folder is not None and folder.begun:
            _check_same_run(folder, config, resume)
            if folder.finished:
                return load(folder.path)
        return _train(config, graph, folder, callbacks, stop)


def _train(
    config: RunConfig,
    graph: Graph,
    folder: RunFolder | None,
    callbacks: Sequence[Callback],
    stop: Callable[[], bool],
) -> Run:
    """Train from the beginning or from the folder's last checkpoint."""
    job = Job(config)
    writes = folder is not None and processes.is_first()
    log: list[dict[str, float]] = []

    def record(_state: TrainingState, metrics: dict[str, float]) -> None:
        log.append(metrics)
        if folder is not None and writes:
            folder.log(metrics)

    watchers: list[Callback] = [record, *callbacks]
    if folder is not None:
        begun = folder.begun
        processes.wait_for_all()  # all have looked before the first one writes
        if begun:
            log.extend(folder.restore(job.state, rewrite=writes))
        elif writes:
            write_json(folder.environment, describe_environment(job.device))
            folder.rewrite_metrics([])
            folder.write_config(config.model_dump(mode="json"))
        if writes:
            watchers.insert(1, Checkpointer(folder.checkpoint))
        processes.wait_for_all()  # all have read before the first one writes again
    view, begin = job.view(graph), time.monotonic()
    train(job.state, job.batches(view), watchers, job.labels_for_log(graph), stop)
    if job.state.epoch < job.state.epochs:
        _leave(folder, job.state, writes)
    z = embed(job.state.method, view).float().cpu().numpy()
    seconds = time.monotonic() - begin
    run = Run(config, job, graph, z, graph.identifiers(), log, seconds)
    if folder is not None and writes:
        run.save(folder.path)
    return run


def _settled_before(folder: RunFolder) -> dict[str, Any]:
    """Return what was settled by the memory that was free when the run began."""
    settings = RunConfig.read(folder.read_config(), str(folder.config)).settings
    return {key: settings[key] for key in ("batch",) if key in settings}


def _configure(
    source: Any,
    method: str,
    recipe: str | None,
    chosen: Mapping[str, Any],
    seed: int,
    say: Callable[[str], None],
) -> tuple[RunConfig, Graph]:
    """Settle all settings and load the graph."""
    settings_class = method_class(method).settings_class
    name = recipe or default_recipe(method, source, chosen.get("profile"))
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
    plan = plan_memory(graph.view(), settings)
    say(plan.sentence)
    settings = settings.model_copy(update={"batch": plan.batch})
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


def _leave(folder: RunFolder | None, state: TrainingState, writes: bool) -> None:
    """Keep the state of a run that was asked to stop, and say how to go on."""
    if folder is None:
        raise StoppedError(f"stopped after epoch {state.epoch}; nothing was kept")
    if writes:
        folder.checkpoint(state)
    raise StoppedError(
        f"stopped after epoch {state.epoch}; the same command with --resume "
        f"-o {folder.path} goes on from there"
    )

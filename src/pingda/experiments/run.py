"""A finished run: ask it, keep it, load it."""

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pingda.errors import PingdaError
from pingda.evaluation.authors import DEFAULT_REPEATS, EVERY, AuthorsRule
from pingda.evaluation.result import Evaluation
from pingda.evaluation.strict import DEFAULT_SPLITS, Tick, evaluate_strict, floors
from pingda.experiments.config import RunConfig
from pingda.experiments.job import Job
from pingda.files import read_json, write_arrays, write_json, write_text
from pingda.graph.graph import Graph
from pingda.graph.source import load_source
from pingda.graph.splits import draw_all_parts, labelled, read_splits, store_splits
from pingda.reporting.report import render_report
from pingda.training.checkpoint import write_state, write_weights
from pingda.training.environment import describe_environment
from pingda.training.folder import RunFolder
from pingda.training.loop import embed, train
from pingda.training.state import TrainingState


def _silent(_done: int, _total: int, _remark: str) -> None:
    pass


@dataclass
class Run:
    """A trained method with its embeddings and its history.

    Args:
        config: Everything needed to repeat it.
        job: The trained method and its state.
        graph: The graph it was fitted on; None until it is needed.
        embeddings: One row a node, float32 [n, dim].
        ids: The user's identifier of each row, [n].
        metrics: The log, one line an epoch.
        seconds: Time that training took.
        evaluations: Results by protocol.
        path: Its folder, if it has one.
    """

    config: RunConfig
    job: Job
    graph: Graph | None
    embeddings: np.ndarray
    ids: np.ndarray
    metrics: list[dict[str, float]]
    seconds: float
    evaluations: dict[str, dict[str, Any]] = field(default_factory=dict)
    path: Path | None = None

    def __repr__(self) -> str:
        nodes, dim = self.embeddings.shape
        config = self.config
        return f"Run({config.method} on {config.data.name}, {nodes}×{dim})"

    def evaluate(
        self,
        protocol: str = "strict",
        splits: int | None = None,
        tick: Tick = _silent,
    ) -> Evaluation:
        """Probe the embeddings and the untrained floors.

        Args:
            protocol: ``strict``, or ``paper`` for the authors' rule: the run is then
                trained again, the same to the bit, and probed at every tenth epoch.
            splits: Number of splits (``strict``, 20) or of repeats (``paper``, 5).
            tick: Told how far it is.

        Raises:
            PingdaError: The graph has no labels that can be split.
        """
        if splits is not None and splits < 1:
            raise PingdaError(f"splits={splits}: at least one split is needed")
        graph = self._labelled_graph()
        if protocol == "strict":
            parts = self._splits(graph, splits or DEFAULT_SPLITS)
            result = evaluate_strict(graph, self.embeddings, parts, tick)
        elif protocol == "paper":
            scores = self._replay(graph, splits or DEFAULT_REPEATS, tick)
            parts = self._splits(graph, DEFAULT_SPLITS)
            raw, ppr = floors(graph, self.embeddings.shape[1], parts)
            result = Evaluation.of("paper", scores, raw=raw, ppr=ppr)
        else:
            raise PingdaError(f"unknown protocol {protocol!r}: choose strict or paper")
        self.evaluations[protocol] = result.to_dict()
        if self.path is not None:
            self._write_result(RunFolder(self.path))
        return result

    def embed(self, source: Any = None) -> np.ndarray:
        """Embed a graph with the trained encoder.

        Args:
            source: A graph with the same feature columns (see :func:`pingda.fit`);
                None returns the embeddings of the fitted graph.

        Returns:
            One row a node, float32 [n, dim].
        """
        return self.embed_with_ids(source)[1]

    def embed_with_ids(self, source: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return identifiers [n] and embeddings [n, dim]; see :meth:`embed`."""
        if source is None:
            return self.ids, self.embeddings
        graph = self._load(source)
        expected = self.config.data.features
        if graph.features != expected:
            raise PingdaError(
                f"{graph.name} has {graph.features} feature columns, but the run was "
                f"fitted on {expected}; give the same columns in the same order"
            )
        view = self.job.view(graph)
        z: np.ndarray = embed(self.job.state.method, view).float().cpu().numpy()
        return graph.identifiers(), z

    def save(self, path: str | Path) -> None:
        """Write the run's folder, each file in one step and ``result.json`` last.

        Raises:
            PingdaError: The folder holds another run, or cannot be written.
        """
        folder = RunFolder(Path(path))
        if folder.begun:
            other = RunConfig.read(folder.read_config(), str(folder.config))
            difference = other.difference(self.config)
            if difference is not None:
                raise PingdaError(f"{path} holds another run: {difference}")
        folder.write_config(self.config.model_dump(mode="json"))
        folder.rewrite_metrics(self.metrics)
        write_json(folder.environment, describe_environment(self.job.device))
        write_state(folder.state, self.job.state)
        write_weights(folder.weights, self.job.state.method)
        write_arrays(folder.embeddings, embeddings=self.embeddings, ids=self.ids)
        if self.graph is not None and self._can_be_split(self.graph):
            parts = draw_all_parts(labelled(self.graph), DEFAULT_SPLITS)
            store_splits(folder.splits, parts)
        self.path = folder.path
        self._write_result(folder)

    def write_report(self) -> Path:
        """Write ``report.html`` into the run's folder and return its path."""
        if self.path is None:
            raise PingdaError("the run has no folder yet; call save(path) first")
        report = RunFolder(self.path).report
        config = self.config.model_dump(mode="json")
        write_text(report, render_report(config, self.metrics, self.evaluations))
        return report

    def _write_result(self, folder: RunFolder) -> None:
        self.write_report()
        last = self.metrics[-1] if self.metrics else {}
        training = {"epochs": len(self.metrics), "seconds": self.seconds, **last}
        write_json(
            folder.result, {"training": training, "evaluations": self.evaluations}
        )

    def _load(self, source: Any) -> Graph:
        settings = self.job.settings
        return load_source(source, settings.features, settings.normalize_features)

    def _labelled_graph(self) -> Graph:
        """Return the fitted graph, loaded again and compared if it was left behind."""
        if self.graph is None:
            if self.config.source is None:
                raise PingdaError(
                    "this run was fitted on a graph in memory, which its folder does "
                    "not hold; evaluate it in the program that fitted it"
                )
            graph = self._load(self.config.source)
            if graph.fingerprint() != self.config.data.fingerprint:
                raise PingdaError(
                    f"{self.config.source} has changed since the run was fitted; fit "
                    "it again, or bring the old data back"
                )
            self.graph = graph
        labelled(self.graph)
        return self.graph

    @staticmethod
    def _can_be_split(graph: Graph) -> bool:
        try:
            labelled(graph)
        except PingdaError:
            return False
        return True

    def _splits(self, graph: Graph, count: int) -> np.ndarray:
        """Return the stored splits, or more of the same sequence."""
        if self.path is not None and RunFolder(self.path).splits.is_file():
            stored = read_splits(RunFolder(self.path).splits)
            if len(stored) >= count and stored.shape[1] == graph.nodes:
                return stored[:count]
        return draw_all_parts(labelled(graph), count)

    def _replay(self, graph: Graph, repeats: int, tick: Tick) -> list[float]:
        """Train the run again and score it by the authors' rule on the way."""
        job = Job(self.config)
        rule = AuthorsRule(labelled(graph), repeats, self.config.seed)
        view = job.view(graph)

        def look(state: TrainingState, _metrics: dict[str, float]) -> None:
            if state.epoch % EVERY == 0 or state.epoch == state.epochs:
                rule.look(embed(state.method, view))
            tick(state.epoch, state.epochs, "training again")

        train(job.state, job.batches(view), [look])
        if not rule.scores:
            rule.look(embed(job.state.method, view))
        again = embed(job.state.method, view).float().cpu().numpy()
        if not np.array_equal(again, self.embeddings):
            warnings.warn(
                "training again did not give the same bits (another machine, thread "
                "count or device?); the paper rule was applied to the new training",
                stacklevel=3,
            )
        return rule.result()


def load(path: str | Path) -> Run:
    """Load a run from its folder; nothing in it is executed.

    Raises:
        PingdaError: There is no finished run, or a file of it is damaged.
    """
    folder = RunFolder(Path(path))
    config = RunConfig.read(folder.read_config(), str(folder.config))
    if not folder.finished:
        raise PingdaError(
            f"the run in {path} is not finished; go on with: pingda fit "
            f"{config.source or 'SOURCE'} -o {path} --resume, and the same settings"
        )
    result = read_json(folder.result)
    job = Job(config)
    folder.load_state(job.state)
    embeddings, ids = folder.read_embeddings()
    return Run(
        config,
        job,
        graph=None,
        embeddings=embeddings,
        ids=ids,
        metrics=folder.read_metrics(),
        seconds=float(result.get("training", {}).get("seconds", 0.0)),
        evaluations=dict(result.get("evaluations", {})),
        path=folder.path,
    )

"""The protocol ``strict``: stored splits, and every choice made on validation."""

from collections.abc import Callable

import numpy as np

from pingda.evaluation.floors import ppr_features, raw_features
from pingda.evaluation.probe import Exam, Rows, choose_probe, unit_length
from pingda.evaluation.result import Evaluation
from pingda.graph.graph import Graph
from pingda.graph.splits import Split, labelled

DEFAULT_SPLITS = 20

Tick = Callable[[int, int, str], None]
"""Is told of finished steps, of all steps, and of what is being done."""


def accuracies(
    z: np.ndarray,
    y: np.ndarray,
    parts: np.ndarray,
    tick: Tick | None = None,
    remark: str = "",
) -> list[float]:
    """Return the test accuracy on each split.

    Args:
        z: Embeddings [n, d]; rows are scaled to unit length.
        y: Class of each node [n].
        parts: Part of each node in each split, uint8 [splits, n].
        tick: Told of each finished split.
        remark: What it is told.
    """
    z = unit_length(z)
    results = []
    for number, row in enumerate(parts, start=1):
        exam = Exam.of_split(z, y, Split.of_parts(row))
        probe = choose_probe(exam.train, exam.validation)
        results.append(probe.accuracy(exam.test))
        if tick is not None:
            tick(number, len(parts), remark)
    return results


def validation_accuracies(
    z: np.ndarray, y: np.ndarray, parts: np.ndarray
) -> list[float]:
    """Return the best validation accuracy on each split, for choosing settings.

    Labels of test nodes are not read: of each split, only the other parts are taken.

    Args:
        z: Embeddings [n, d]; rows are scaled to unit length.
        y: Class of each node [n].
        parts: Part of each node in each split, uint8 [splits, n].
    """
    z = unit_length(z)
    results = []
    for row in parts:
        split = Split.of_parts(row)
        train, validation = (
            Rows(z[part], y[part]) for part in (split.train, split.validation)
        )
        results.append(choose_probe(train, validation).validation_accuracy)
    return results


def evaluate_strict(
    graph: Graph,
    embeddings: np.ndarray,
    parts: np.ndarray,
    tick: Tick | None = None,
) -> Evaluation:
    """Probe embeddings and both untrained floors on the same splits.

    Args:
        graph: The graph with its labels.
        embeddings: One row a node, [n, d].
        parts: The stored splits, uint8 [splits, n].
        tick: Told how far it is.
    """
    found = accuracies(embeddings, labelled(graph).numpy(), parts, tick, "embeddings")
    raw, ppr = floors(graph, embeddings.shape[1], parts, tick)
    return Evaluation.of("strict", found, raw=raw, ppr=ppr)


def floors(
    graph: Graph,
    width: int,
    parts: np.ndarray,
    tick: Tick | None = None,
) -> tuple[list[float], list[float]]:
    """Return the accuracies of the raw and of the propagated features.

    Args:
        graph: The graph with its labels.
        width: Width of the embedding that they are compared with.
        parts: The stored splits, uint8 [splits, n].
        tick: Told how far it is.
    """
    y = labelled(graph).numpy()
    raw = accuracies(raw_features(graph, width), y, parts, tick, "raw")
    ppr = accuracies(ppr_features(graph, width), y, parts, tick, "ppr")
    return raw, ppr

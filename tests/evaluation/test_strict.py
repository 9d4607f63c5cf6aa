import numpy as np
import pytest
import torch

from pingda.errors import PingdaError
from pingda.evaluation.strict import accuracies, evaluate_strict, validation_accuracies
from pingda.graph import Graph
from pingda.graph.splits import TEST, draw_all_parts


@pytest.fixture
def wide() -> Graph:
    from conftest import make_toy  # noqa: PLC0415

    return make_toy(nodes=200)


def test_labels_as_embeddings_are_always_right(wide: Graph) -> None:
    assert wide.y is not None
    z = np.eye(2)[wide.y.numpy()]
    parts = draw_all_parts(wide.y, 4)
    result = evaluate_strict(wide, z, parts)
    assert result.mean == 1.0
    assert result.std == 0.0
    assert result.n == 4
    assert len(result.per_split) == 4
    assert 0.5 < result.raw_features_mean <= 1.0
    assert 0.5 < result.ppr_features_mean <= 1.0


def test_random_embeddings_are_right_by_chance(wide: Graph) -> None:
    assert wide.y is not None
    z = np.random.default_rng(0).normal(size=(200, 8))
    found = accuracies(z, wide.y.numpy(), draw_all_parts(wide.y, 10))
    assert abs(np.mean(found) - 0.5) < 0.06


def test_poisoning_the_test_labels_flips_only_the_verdict(wide: Graph) -> None:
    """With two classes, flipped test labels turn accuracy a into 1 − a exactly."""
    assert wide.y is not None
    assert isinstance(wide.x, torch.Tensor)
    y, z = wide.y.numpy(), wide.x.numpy()
    parts = draw_all_parts(wide.y, 5)
    honest = accuracies(z, y, parts)
    for row, accuracy in zip(parts, honest, strict=True):
        poisoned = np.where(row == TEST, 1 - y, y)
        (found,) = accuracies(z, poisoned, row[None])
        assert found == pytest.approx(1 - accuracy)


def test_choosing_settings_never_reads_a_test_label(wide: Graph) -> None:
    assert wide.y is not None
    assert isinstance(wide.x, torch.Tensor)
    y, z = wide.y.numpy(), wide.x.numpy()
    parts = draw_all_parts(wide.y, 3)
    found = validation_accuracies(z, y, parts)
    for row, accuracy in zip(parts, found, strict=True):
        poisoned = np.where(row == TEST, 77, y)
        assert validation_accuracies(z, poisoned, row[None]) == [accuracy]
    perfect = validation_accuracies(np.eye(2)[y], y, parts)
    assert perfect == [1.0, 1.0, 1.0]


def test_the_scale_of_an_embedding_does_not_matter(wide: Graph) -> None:
    assert wide.y is not None
    assert isinstance(wide.x, torch.Tensor)
    z, y = wide.x.numpy().astype(np.float64), wide.y.numpy()
    parts = draw_all_parts(wide.y, 3)
    assert accuracies(z, y, parts) == accuracies(1024 * z, y, parts)


def test_progress_is_told(wide: Graph) -> None:
    assert wide.y is not None
    told: list[tuple[int, int, str]] = []
    parts = draw_all_parts(wide.y, 2)
    evaluate_strict(wide, np.eye(2)[wide.y.numpy()], parts, lambda *t: told.append(t))
    assert told == [
        (i, 2, name) for name in ("embeddings", "raw", "ppr") for i in (1, 2)
    ]


def test_labels_are_needed(wide: Graph) -> None:
    from dataclasses import replace  # noqa: PLC0415

    with pytest.raises(PingdaError, match="no labels"):
        evaluate_strict(replace(wide, y=None), np.ones((200, 2)), np.zeros((1, 200)))

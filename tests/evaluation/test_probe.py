import inspect

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pingda.evaluation.probe import (
    STRENGTHS,
    Exam,
    Rows,
    choose_probe,
    unit_length,
)
from pingda.graph.splits import Split


def blobs(
    seed: int, n: int = 120, spread: float = 1.5
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, 5)) * spread + np.eye(3, 5)[y] * 3, y


def exam(z: np.ndarray, y: np.ndarray) -> Exam:
    order = np.random.default_rng(0).permutation(len(y))
    return Exam.of_split(z, y, Split(order[:30], order[30:60], order[60:]))


class Forbidden:
    """Breaks whoever looks at it."""

    def __getattribute__(self, name: str) -> object:
        raise AssertionError(f"the test part was looked at ({name})")


def test_the_choice_cannot_reach_the_test() -> None:
    z, y = blobs(0)
    whole = exam(z, y)
    sealed = Exam(whole.train, whole.validation, test=Forbidden())
    probe = choose_probe(sealed.train, sealed.validation)
    assert probe.accuracy(whole.test) > 0.5
    assert list(inspect.signature(choose_probe).parameters) == ["train", "validation"]


@pytest.mark.parametrize("seed", range(5))
def test_poisoned_test_labels_change_no_answer(seed: int) -> None:
    z, y = blobs(seed)
    honest = exam(z, y)
    poisoned = Exam(
        honest.train, honest.validation, Rows(honest.test.z, 2 - honest.test.y)
    )
    one, other = (choose_probe(e.train, e.validation) for e in (honest, poisoned))
    assert one.strength == other.strength
    answers = one.classifier.predict(honest.test.z)
    assert np.array_equal(answers, other.classifier.predict(poisoned.test.z))


def test_the_best_strength_on_validation_is_kept_and_ties_go_to_the_strongest() -> None:
    whole = exam(*blobs(1))
    scores = [
        LogisticRegression(C=c, max_iter=1000)
        .fit(whole.train.z, whole.train.y)
        .score(whole.validation.z, whole.validation.y)
        for c in STRENGTHS
    ]
    probe = choose_probe(whole.train, whole.validation)
    assert probe.validation_accuracy == max(scores)
    assert probe.strength == STRENGTHS[scores.index(max(scores))]
    easy = exam(*blobs(1, spread=1e-3))
    assert choose_probe(easy.train, easy.validation).strength == STRENGTHS[0]


def test_a_training_part_of_one_class_answers_that_class() -> None:
    z, y = blobs(2)
    rows = Rows(z[y == 1], y[y == 1])
    probe = choose_probe(rows, Rows(z, y))
    assert set(probe.classifier.predict(z)) == {1}


def test_unit_length() -> None:
    z = unit_length(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert z.tolist() == [[0.6, 0.8], [0.0, 0.0]]

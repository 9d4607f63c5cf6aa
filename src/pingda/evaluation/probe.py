"""The strict probe: l2-regularised logistic regression, chosen without the test."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from pingda.graph.splits import Split

# Inverse strengths of the regularisation, half a decade apart, strongest first.
STRENGTHS = tuple(10.0 ** (k / 2) for k in range(-4, 9))


@dataclass(frozen=True)
class Rows:
    """Embeddings [m, d] and the classes [m] of the same nodes."""

    z: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Exam:
    """One split, taken apart: what may be seen before the choice, and the test.

    The choice of a probe is a function of ``train`` and ``validation`` alone: it is
    never handed this object, so it cannot reach the test.
    """

    train: Rows
    validation: Rows
    test: Rows

    @classmethod
    def of_split(cls, z: np.ndarray, y: np.ndarray, split: Split) -> "Exam":
        """Cut embeddings and classes into the three parts."""
        parts = (split.train, split.validation, split.test)
        return cls(*(Rows(z[part], y[part]) for part in parts))


class Classifier(Protocol):
    """What is needed of scikit-learn's classifiers."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:  # noqa: N803 - their name
        """Learn from rows and classes."""

    def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803 - their name
        """Return the class of each row."""


@dataclass(frozen=True)
class Probe:
    """A fitted classifier and the strength it was chosen with."""

    classifier: Classifier
    strength: float
    validation_accuracy: float

    def accuracy(self, rows: Rows) -> float:
        """Return the share of right answers."""
        return float(np.mean(self.classifier.predict(rows.z) == rows.y))


def unit_length(z: np.ndarray) -> np.ndarray:
    """Divide each row by its Euclidean length; empty rows stay empty."""
    lengths = np.linalg.norm(z, axis=1, keepdims=True)
    scaled: np.ndarray = z / np.maximum(lengths, 1e-12)
    return scaled


def choose_probe(train: Rows, validation: Rows) -> Probe:
    """Fit a probe for each strength and keep the best one on the validation part.

    Among equals the most regularised one is kept. Where the training part holds one
    class only, the probe can but answer that class.
    """
    best: Probe | None = None
    # The products are small: more threads than one only wait for each other.
    with threadpool_limits(limits=1):
        for strength in STRENGTHS:
            probe = _fit(train, validation, strength)
            if best is None or probe.validation_accuracy > best.validation_accuracy:
                best = probe
    assert best is not None  # noqa: S101 - STRENGTHS is not empty
    return best


def _fit(train: Rows, validation: Rows, strength: float) -> Probe:
    from sklearn.dummy import DummyClassifier  # noqa: PLC0415 - slow to import
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    one_class = np.unique(train.y).size == 1
    classifier: Classifier = (
        DummyClassifier(strategy="most_frequent")
        if one_class
        else LogisticRegression(C=strength, max_iter=1000)
    )
    classifier.fit(train.z, train.y)
    right = float(np.mean(classifier.predict(validation.z) == validation.y))
    return Probe(classifier, strength, right)

"""Cases where it is known whether noise knows where to go."""

from typing import Any

import pytest
import torch
from torch import Generator, Tensor, nn

from conftest import make_toy
from pingda.experiments.fit import fit
from pingda.graph import Graph, GraphView
from pingda.losses.entropy import task_entropy
from pingda.methods.meter import Information, measure_information, verdict
from pingda.methods.pingda import PiNGDA, PiNGDASettings
from pingda.methods.settings import resolve
from pingda.noise.pair import NoisePair
from pingda.seeding import Streams, initialise
from pingda.training.loop import train
from pingda.training.state import TrainingState

EDGES_ALONE = {"noise.feature": "none", "noise.edge_rate": (0.4, 0.4)}


class Oracle(nn.Module):
    """Scores pairs by labels that no method sees: the higher, the rather kept."""

    def __init__(self, y: Tensor, same: float) -> None:
        super().__init__()
        self.y, self.same = y, same

    def forward(self, _x: Any, ends: Tensor, symmetric: bool) -> Tensor:
        alike = self.y[ends[0]] == self.y[ends[1]]
        return torch.where(alike, self.same, -self.same)


@pytest.fixture(scope="module")
def trained() -> tuple[Graph, PiNGDA]:
    """A graph of two classes, and an encoder trained under random noise."""
    graph = make_toy(nodes=200)
    chosen = {"hidden": 32, "dim": 16, "lr": 5e-3, "noise.edge": "random"}
    settings = resolve(PiNGDASettings, {}, {**EDGES_ALONE, **chosen})
    streams = Streams(0, torch.device("cpu"))
    method = PiNGDA(12, settings)
    initialise(method, streams["init"])
    train(TrainingState(method, streams, 100), [graph.view()])
    return graph, method


def measured(trained: tuple[Graph, PiNGDA], same: float, rate: float) -> Information:
    graph, method = trained
    noise = {"noise.edge_rate": (rate, rate), "noise.feature": "none"}
    settings = resolve(PiNGDASettings, {}, {"profile": "budgeted", **noise})
    pair = NoisePair(12, settings.noise)
    if pair.edge_noise is not None:
        assert graph.y is not None
        pair.edge_noise.scorer = Oracle(graph.y, same)

    def entropy(anchor: GraphView, noisy: GraphView, _generator: Generator) -> Tensor:
        p, q = (method.projector(method.encoder(view)) for view in (anchor, noisy))
        return task_entropy(p, q, 0.3)

    source = Generator().manual_seed(3)
    return measure_information(pair, entropy, graph.view(), source, draws=16)


def test_noise_that_drops_what_others_say_as_well_is_beneficial(
    trained: tuple[Graph, PiNGDA],
) -> None:
    """Of many neighbours of a kind, one more or less hardly changes a node."""
    found = measured(trained, same=-3.0, rate=0.15)
    assert found.information > 5 * found.error
    assert verdict(found.line()).startswith("beneficial: I(T;E) = 0.")


def test_noise_that_drops_what_tells_nodes_apart_is_harmful(
    trained: tuple[Graph, PiNGDA],
) -> None:
    """The few neighbours of another kind are what makes a node unlike the others."""
    found = measured(trained, same=3.0, rate=0.15)
    assert found.information < -5 * found.error
    assert verdict(found.line()).startswith("harmful")


def test_noise_that_knows_nothing_has_no_information(
    trained: tuple[Graph, PiNGDA],
) -> None:
    found = measured(trained, same=0.0, rate=0.15)
    assert (found.information, found.error) == (0, 0)
    assert found.blind_entropy > found.clean_entropy
    assert verdict(found.line()).startswith("not beneficial: I(T;E) = 0.0000")


def test_collapsed_noise_is_not_beneficial(trained: tuple[Graph, PiNGDA]) -> None:
    """However well it knows where to go: there is next to nothing that goes there."""
    found = measured(trained, same=-3.0, rate=1e-4)
    assert verdict(found.line()).startswith("not beneficial: there is hardly any")


def test_the_collapse_of_the_paper_is_seen() -> None:
    """Its noise, on a real graph, learning fast enough to fade within 40 epochs."""
    fast = {"noise.edge_lr": 0.01, "noise.feature_lr": 0.01, "hidden": 64, "dim": 32}
    run = fit("digits", settings={**fast, "epochs": 40})
    last = run.metrics[-1]
    assert last["keep_mean"] > 0.95
    assert verdict(last).startswith("not beneficial")


def test_training_does_not_depend_on_the_meter(toy: Graph) -> None:
    found = []
    for meter in (0, 2):
        settings = resolve(PiNGDASettings, {}, {"hidden": 16, "dim": 8})
        streams = Streams(0, torch.device("cpu"))
        method = PiNGDA(12, settings)
        initialise(method, streams["init"])
        lines: list[dict[str, float]] = []
        state = TrainingState(method, streams, 5, meter=meter)
        train(state, [toy.view()], [lambda _state, line: lines.append(line)])  # noqa: B023
        told = [line["epoch"] for line in lines if "information" in line]
        assert told == ([] if meter == 0 else [2, 4, 5])
        found.append([p.detach().clone() for p in method.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_the_methods_entropy_is_that_of_the_theory(toy: Graph) -> None:
    """Full negatives, one direction: ½ log(2πe) + ½ L by plain matrices."""
    settings = resolve(
        PiNGDASettings, {}, {"symmetric_loss": False, "precision": "fp32"}
    )
    method, view = PiNGDA(12, settings), toy.view()
    noisy = view.with_edge_weight(torch.rand(view.edge_index.shape[1]))
    p, q = (method.projector(method.encoder(side)) for side in (view, noisy))
    expected = task_entropy(p, q, settings.tau)
    found = method._task_entropy(view, noisy, Generator())
    assert torch.allclose(found, expected, rtol=1e-5)

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD, Optimizer

from pingda.errors import PingdaError
from pingda.graph import Graph, GraphView
from pingda.methods.base import Method, Update
from pingda.methods.settings import MethodSettings
from pingda.seeding import Streams
from pingda.training.loop import embed, train
from pingda.training.state import TrainingState, pack


class Alternating(Method):
    """Two players: each update names one learner, the second sees the first's step."""

    title = "a method for tests"
    settings_class = MethodSettings

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.tensor(1.0))
        self.b = nn.Parameter(torch.tensor(1.0))
        self.seen: list[float] = []

    def learners(self) -> dict[str, Optimizer]:
        return {"a": SGD([self.a], lr=0.1), "b": SGD([self.b], lr=0.1)}

    def updates(self, view: GraphView, streams: Streams) -> Iterator[Update]:
        yield Update(self.a * self.b, learners=("a",))
        self.seen.append(float(self.a.detach()))
        yield Update(-self.a * self.b, learners=("b",))

    def embed(self, view: GraphView) -> Tensor:
        return self.a.expand(view.nodes, 1) * (2.0 if self.training else 1.0)


def state_of(method: Method, epochs: int) -> TrainingState:
    return TrainingState(method, Streams(0, torch.device("cpu")), epochs)


def test_updates_move_their_own_learners_one_after_the_other(toy: Graph) -> None:
    method = Alternating()
    train(state_of(method, 1), [toy.view()])
    assert method.seen == [pytest.approx(0.9)]
    assert float(method.a.detach()) == pytest.approx(0.9)
    assert float(method.b.detach()) == pytest.approx(1 + 0.1 * 0.9)


def test_callbacks_see_every_epoch_and_stop_is_asked(toy: Graph) -> None:
    rows: list[dict[str, float]] = []
    state = state_of(Alternating(), 10)
    train(
        state,
        [toy.view()],
        [lambda _state, row: rows.append(row)],
        stop=lambda: len(rows) == 4,
    )
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4]
    assert state.epoch == 4
    train(state, [toy.view()])
    assert state.epoch == 10


def test_a_loss_that_is_no_number_stops_before_any_step(toy: Graph) -> None:
    method = Alternating()
    method.a.data.fill_(float("nan"))
    with pytest.raises(PingdaError, match="loss became nan in epoch 1; lower lr"):
        train(state_of(method, 1), [toy.view()])
    assert float(method.b.detach()) == 1.0


def test_embedding_is_done_in_evaluation_mode_without_gradients(toy: Graph) -> None:
    z = embed(Alternating(), toy.view())
    assert not z.requires_grad
    assert float(z[0]) == 1.0


def test_a_stop_between_batches_takes_the_unfinished_epoch_back(toy: Graph) -> None:
    method = Alternating()
    state = state_of(method, 5)
    rows: list[dict[str, float]] = []
    asked = iter([False, False, False, False, True])
    train(
        state,
        [toy.view()] * 3,
        [lambda _state, row: rows.append(row)],
        stop=lambda: next(asked),
    )
    whole = state_of(Alternating(), 1)
    train(whole, [toy.view()] * 3)
    assert state.epoch == 1
    assert len(rows) == 1
    assert len(method.seen) == 5  # two batches of the second epoch were computed
    expected, found = pack(whole), pack(state)
    assert all(torch.equal(expected[key], found[key]) for key in expected)


def test_a_batched_epoch_logs_the_mean_of_its_batches(toy: Graph) -> None:
    rows: list[dict[str, float]] = []
    method = Alternating()
    train(
        state_of(method, 1),
        [toy.view()] * 2,
        [lambda _state, row: rows.append(row)],
    )
    # Of two updates the later one's loss is logged, −a·b before its step.
    losses = [-0.9, -(0.9 - 0.1 * 1.09) * 1.09]
    assert rows[0]["loss"] == pytest.approx(sum(losses) / 2)

"""The one training loop, for all methods."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import torch
from torch import Tensor
from torch.optim import Optimizer

from pingda.errors import PingdaError
from pingda.graph.view import GraphView
from pingda.hardware import Precision, products_in
from pingda.methods.base import Method, Update
from pingda.seeding import Streams
from pingda.training.diagnostics import summarise


@dataclass
class TrainingState:
    """All that changes while a method is trained.

    Args:
        method: The method with its parameters.
        streams: The random numbers.
        epochs: Epochs to train in all.
        epoch: Finished epochs.
        precision: Type of the products.
    """

    method: Method
    streams: Streams
    epochs: int
    epoch: int = 0
    precision: Precision = "fp32"
    learners: dict[str, Optimizer] = field(init=False)

    def __post_init__(self) -> None:
        self.learners = self.method.learners()


Callback: TypeAlias = Callable[[TrainingState, dict[str, float]], None]
"""Is told of each finished epoch, with its line of the log."""


def train(
    state: TrainingState,
    view: GraphView,
    callbacks: Sequence[Callback] = (),
    labels_for_log: Tensor | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Train until all epochs are finished, or ``stop`` says so after one.

    Args:
        state: Where to begin; changed in place.
        view: The clean graph.
        callbacks: Told of each finished epoch, in order.
        labels_for_log: Classes [n] by which the log splits edges into those inside
            and between classes. No method sees them.
        stop: Asked after each epoch.

    Raises:
        PingdaError: The loss is no finite number.
    """
    device = view.edge_index.device
    while state.epoch < state.epochs:
        state.method.train()
        metrics: dict[str, float] = {}
        with products_in(state.precision, device):
            for update in state.method.updates(view, state.streams):
                _carry_out(update, state)
                metrics |= summarise(update, view.edge_index, labels_for_log)
        state.epoch += 1
        for callback in callbacks:
            callback(state, {"epoch": state.epoch, **metrics})
        if stop():
            return


def _carry_out(update: Update, state: TrainingState) -> None:
    """Descend once on the update's loss with the learners that it names."""
    if not bool(torch.isfinite(update.loss)):
        raise PingdaError(
            f"the loss became {float(update.loss.detach())} in epoch "
            f"{state.epoch + 1}; lower lr, or raise tau"
        )
    names = update.learners or tuple(state.learners)
    for learner in state.learners.values():
        learner.zero_grad(set_to_none=True)
    update.loss.backward()
    for name in names:
        state.learners[name].step()


@torch.no_grad()
def embed(method: Method, view: GraphView) -> Tensor:
    """Embed every node of a clean view, without noise or gradients, [n, dim]."""
    method.eval()
    return method.embed(view)

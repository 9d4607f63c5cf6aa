"""The one training loop, for all methods."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Protocol, TypeAlias

import torch
from torch import Tensor

from pingda import processes
from pingda.errors import PingdaError
from pingda.graph.view import GraphView
from pingda.hardware import products_in
from pingda.methods.base import Method, Update
from pingda.training.diagnostics import summarise
from pingda.training.state import TrainingState, pack, unpack

Callback: TypeAlias = Callable[[TrainingState, dict[str, float]], None]
"""Is told of each finished epoch, with its line of the log."""


class Batches(Protocol):
    """What an epoch goes through, anew each time: ``[view]``, or parts of it."""

    def __len__(self) -> int:
        """Return the number of batches in an epoch."""

    def __iter__(self) -> Iterator[GraphView]:
        """Yield the batches of one epoch."""


def train(
    state: TrainingState,
    batches: Batches,
    callbacks: Sequence[Callback] = (),
    labels_for_log: Tensor | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Train until all epochs are finished, or ``stop`` says so.

    A stop between two batches takes back what the unfinished epoch did, so that the
    state is always that of a finished one.

    Args:
        state: Where to begin; changed in place.
        batches: The clean graph, whole or in parts.
        callbacks: Told of each finished epoch, in order.
        labels_for_log: Classes [n] by which the log splits edges into those inside
            and between classes. No method sees them.
        stop: Asked after each batch.

    Raises:
        PingdaError: The loss is no finite number.
    """
    several = len(batches) > 1
    while state.epoch < state.epochs:
        state.method.train()
        begin = {k: v.clone() for k, v in pack(state).items()} if several else {}
        lines = []
        for batch in batches:
            with products_in(state.precision, state.device):
                lines.append(_step(state, batch, labels_for_log))
            if len(lines) < len(batches) and processes.any_of(stop()):
                unpack(begin, state)
                return
        state.epoch += 1
        line = _mean(lines) | _measured(state, batch)
        for callback in callbacks:
            callback(state, {"epoch": state.epoch, **line})
        if processes.any_of(stop()):
            return


def _step(
    state: TrainingState, batch: GraphView, labels: Tensor | None
) -> dict[str, float]:
    """Carry out the method's updates on one batch and return their log line."""
    if labels is not None and batch.origin is not None:
        labels = labels.index_select(0, batch.origin)
    line: dict[str, float] = {}
    for update in state.method.updates(batch, state.streams):
        _carry_out(update, state, batch.hops is not None)
        line |= summarise(update, batch.edge_index, labels)
    return line


def _measured(state: TrainingState, view: GraphView) -> dict[str, float]:
    """Return the method's own measurements where this epoch's turn has come."""
    epoch = state.epoch
    if state.meter == 0 or (epoch % state.meter != 0 and epoch != state.epochs):
        return {}
    with torch.no_grad(), products_in(state.precision, state.device):
        return state.method.measure(view, state.streams)


def _mean(lines: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each column over the lines that have it."""
    if len(lines) == 1:
        return lines[0]
    columns: dict[str, list[float]] = {}
    for line in lines:
        for key, value in line.items():
            columns.setdefault(key, []).append(value)
    return {key: sum(values) / len(values) for key, values in columns.items()}


def _carry_out(update: Update, state: TrainingState, divided: bool) -> None:
    """Descend once on the update's loss with the learners that it names.

    Args:
        update: The loss and who learns from it.
        state: Changed in place.
        divided: Whether each process encoded other nodes; then each holds a share of
            the gradient.
    """
    if not bool(torch.isfinite(update.loss)):
        raise PingdaError(
            f"the loss became {float(update.loss.detach())} in epoch "
            f"{state.epoch + 1}; lower lr, or raise tau"
        )
    names = update.learners or tuple(state.learners)
    for learner in state.learners.values():
        learner.zero_grad(set_to_none=True)
    update.loss.backward()
    if divided:
        processes.add_up(*(p.grad for p in state.method.parameters()))
    for name in names:
        state.learners[name].step()


@torch.no_grad()
def embed(method: Method, view: GraphView) -> Tensor:
    """Embed every node of a clean view, without noise or gradients, [n, dim].

    It is computed where the view is: a graph that is trained in parts stays whole in
    the memory of the host.
    """
    place = view.edge_index.device
    if any(parameter.device != place for parameter in method.parameters()):
        method = deepcopy(method).to(place)
    method.eval()
    return method.embed(view)

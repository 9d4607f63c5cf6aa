"""What a method is to the training loop."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.optim import Adam, Optimizer

from pingda import processes
from pingda.graph.view import GraphView
from pingda.methods.settings import MethodSettings
from pingda.noise.base import Draw
from pingda.seeding import Streams


@dataclass(frozen=True)
class Update:
    """One step that a method asks for: descend on a loss with some of its learners.

    Args:
        loss: A scalar; its gradient is computed once.
        draws: The noise behind the loss, for the log.
        metrics: Further scalars for the log.
        learners: Names of the optimisers that step; empty means all.
    """

    loss: Tensor
    draws: tuple[Draw, ...] = ()
    metrics: Mapping[str, Tensor] = field(default_factory=dict)
    learners: tuple[str, ...] = ()


def adam(parameters: Iterable[nn.Parameter], lr: float, decay: float) -> Adam:
    """Return Adam with weight decay, its step one fused pass over the parameters.

    Its moments are made at once: made in the first step, they would lie scattered
    between tensors that come and go, and split the memory for good.
    """
    learner = Adam(parameters, lr=lr, weight_decay=decay, fused=True)
    for group in learner.param_groups:
        for parameter in group["params"]:
            learner.state[parameter] = {
                "step": torch.zeros((), device=parameter.device),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }
    return learner


def contrasted(view: GraphView, h: Tensor, head: nn.Module) -> Tensor:
    """Return the rows that a loss compares, [m, d].

    The head's rows for a whole graph; for a batch, those of its seeds, and where
    several processes each encoded some of them, the seeds of all.

    Args:
        view: What was encoded.
        h: Embedding of every node of the view, or of its seeds alone, [·, dim].
        head: From embeddings to what is compared.
    """
    rows: Tensor = head(h[: view.within(0)])
    return rows if view.hops is None else processes.gather(rows)


class Method(nn.Module, ABC):
    """A way to learn embeddings of nodes.

    A method never sees labels, and knows nothing of epochs on disk, devices or
    evaluation: it names its updates, and the one training loop carries them out.
    """

    title: ClassVar[str]
    """One line for lists and help."""

    settings_class: ClassVar[type[MethodSettings]]

    @abstractmethod
    def learners(self) -> dict[str, Optimizer]:
        """Return the optimisers by name."""

    def prepare(self, view: GraphView) -> None:
        """Look at the whole clean graph once, before the first epoch.

        What is found is kept in buffers, so that it is stored with the parameters.
        """

    @abstractmethod
    def updates(self, view: GraphView, streams: Streams) -> Iterator[Update]:
        """Yield the updates of one epoch.

        The loop carries each out before it asks for the next, so a later update sees
        the parameters that an earlier one left.
        """

    def measure(self, _view: GraphView, _streams: Streams) -> dict[str, float]:
        """Return what the log is told now and then, beside every epoch's line.

        Training does not depend on it: it draws from the stream ``meter`` alone.
        """
        return {}

    @abstractmethod
    def embed(self, view: GraphView) -> Tensor:
        """Return the embedding of every node of a clean view, [n, dim]."""

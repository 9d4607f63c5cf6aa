"""From a configuration and a graph to a state that can be trained."""

from typing import Literal

import torch
from torch import Tensor

from pingda.experiments.config import RunConfig
from pingda.graph.graph import Graph
from pingda.graph.topology import extended
from pingda.graph.view import GraphView
from pingda.methods.registry import method_class
from pingda.methods.settings import MethodSettings, resolve
from pingda.seeding import Streams, initialise
from pingda.training.device import choose_device
from pingda.training.loop import Batches
from pingda.training.neighbours import NeighbourBatches
from pingda.training.partitions import PartitionBatches
from pingda.training.state import TrainingState


class Job:
    """A method on a graph, freshly drawn from the configuration's seed.

    The same configuration gives the same bits on the same machine.

    Args:
        config: Method, settings, seed and number of features.
    """

    def __init__(self, config: RunConfig) -> None:
        chosen = method_class(config.method)
        self.settings: MethodSettings = resolve(
            chosen.settings_class, {}, config.settings
        )
        self.device: torch.device = choose_device(self.settings.device)
        streams = Streams(config.seed, self.device)
        method = chosen(config.data.features, self.settings).to(self.device)
        initialise(method, streams["init"])
        self.state = TrainingState(
            method,
            streams,
            self.settings.epochs,
            precision=self.settings.precision,
            meter=self.settings.meter,
        )

    def view(self, graph: Graph) -> GraphView:
        """Return the graph as the method sees it.

        It is on the job's device, or on the host if only parts of it go there at once.
        """
        choice = self.settings
        in_parts = choice.parts is not None or self._batch() != "full"
        view = graph.view().to(torch.device("cpu") if in_parts else self.device)
        return extended(view, choice.topology, choice.similarity, choice.neighbours)

    def batches(self, view: GraphView) -> Batches:
        """Return what an epoch goes through, once the method has seen the graph."""
        if self.state.epoch == 0:
            self.state.method.prepare(view)
        generator, batch = self.state.streams["sampling"], self._batch()
        if self.settings.parts is not None:
            return PartitionBatches(view, self.settings.parts, generator, self.device)
        if batch == "full":
            return [view]
        return NeighbourBatches(
            view, batch, self.settings.fanout, generator, self.device
        )

    def labels_for_log(self, graph: Graph) -> Tensor | None:
        """Return labels for the log on the job's device, where there are any."""
        return None if graph.y is None else graph.y.to(self.device)

    def _batch(self) -> Literal["full"] | int:
        """Return the size of a batch; nobody settled it for a run made by hand."""
        batch = self.settings.batch
        return "full" if batch == "auto" else batch

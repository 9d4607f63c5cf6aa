"""From a configuration and a graph to a state that can be trained."""

import torch
from torch import Tensor

from pingda.experiments.config import RunConfig
from pingda.graph.graph import Graph
from pingda.graph.view import GraphView
from pingda.methods.registry import method_class
from pingda.methods.settings import MethodSettings, resolve
from pingda.seeding import Streams, initialise
from pingda.training.device import choose_device
from pingda.training.loop import TrainingState


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
        )

    def view(self, graph: Graph) -> GraphView:
        """Return the graph as the method sees it, on the job's device."""
        return graph.view().to(self.device)

    def labels_for_log(self, graph: Graph) -> Tensor | None:
        """Return labels for the log on the job's device, where there are any."""
        return None if graph.y is None else graph.y.to(self.device)

"""How much memory a run needs, told before it starts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil
import torch

from pingda.errors import PingdaError
from pingda.graph.sparse import SparseFeatures
from pingda.graph.view import GraphView
from pingda.methods.settings import MethodSettings
from pingda.training.device import choose_device

CHOSEN_BATCH = 1024
# The rest is for the system, and for what the estimate does not know.
USABLE = 0.8
_CGROUP = Path("/sys/fs/cgroup")
GIGABYTE = 1e9


@dataclass(frozen=True)
class Size:
    """What the memory of a training step depends on.

    Args:
        nodes: Nodes that a step encodes.
        edges: Directed edges among them.
        features: Feature columns.
        stored: Numbers that the features are stored as.
        hidden: Width of the hidden layer.
        dim: Width of the embedding.
    """

    nodes: int
    edges: int
    features: int
    stored: int
    hidden: int
    dim: int

    @classmethod
    def of(cls, view: GraphView, settings: MethodSettings) -> "Size":
        """Measure a graph, with the edges that will be added to it."""
        x = view.x
        # A sparse entry stands as a value and two places of 8 bytes each.
        stored = 5 * x.values.numel() if isinstance(x, SparseFeatures) else view.x.shape
        numbers = stored if isinstance(stored, int) else stored[0] * stored[1]
        edges = view.edge_index.shape[1]
        if settings.topology != "given":
            edges += 2 * settings.neighbours * view.nodes
        width, dim = settings.hidden, settings.dim
        return cls(view.nodes, edges, int(x.shape[1]), numbers, width, dim)


# Interpreter and libraries, measured after a first small step.
BASE_BYTES = 450e6
# Rows of width ``hidden`` and ``dim`` alive at the peak of a step, numbers an edge, and
# numbers a parameter (itself, its gradient and two moments), fitted to measured peaks
# of profile paper (benchmarks/RESULTS.md).
HIDDEN_ROWS, DIM_ROWS, EDGE_NUMBERS, PARAMETER_NUMBERS = 8, 12, 10, 4


def estimated_bytes(size: Size) -> float:
    """Return the peak of a run whose steps encode the whole graph at once."""
    rows = size.nodes * (HIDDEN_ROWS * size.hidden + DIM_ROWS * size.dim)
    parameters = size.features * (size.hidden + 6 * 256) * PARAMETER_NUMBERS
    return BASE_BYTES + 4 * (
        rows + EDGE_NUMBERS * size.edges + size.stored + parameters
    )


def available_bytes(device: torch.device) -> float:
    """Return the memory that is free for this process, cgroup limits included."""
    if device.type == "cuda":
        return float(torch.cuda.mem_get_info(device)[0])
    free = float(psutil.virtual_memory().available)
    try:
        limit = (_CGROUP / "memory.max").read_text(encoding="ascii").strip()
        used = (_CGROUP / "memory.current").read_text(encoding="ascii").strip()
        return min(free, float(limit) - float(used))
    except (OSError, ValueError):  # no cgroup, or "max"
        return free


@dataclass(frozen=True)
class Plan:
    """How a run goes over its graph, and why."""

    batch: Literal["full"] | int
    sentence: str


def plan_memory(view: GraphView, settings: MethodSettings) -> Plan:
    """Choose between the whole graph and batches before anything is computed.

    Args:
        view: The graph that will be trained on.
        settings: Widths, device, and what was asked for.

    Raises:
        PingdaError: The whole graph was asked for and does not fit.
    """
    size = Size.of(view, settings)
    device = choose_device(settings.device)
    return choose(estimated_bytes(size), available_bytes(device), settings)


def choose(needed: float, free: float, settings: MethodSettings) -> Plan:
    """Choose by bytes that are needed for the whole graph, and free ones."""
    batch = settings.batch
    figures = (
        f"memory: about {needed / GIGABYTE:.1f} GB for the whole graph at once, "
        f"{free / GIGABYTE:.1f} GB free"
    )
    if settings.parts is not None:
        return Plan("full", f"{figures}; {settings.parts} parts in turn, as asked")
    if isinstance(batch, int):
        return Plan(batch, f"{figures}; batches of {batch} nodes, as asked")
    if needed <= USABLE * free:
        return Plan("full", f"{figures}; the whole graph at once")
    if batch == "full":
        raise PingdaError(
            f"this run would not fit: {figures}; use --set batch={CHOSEN_BATCH}"
        )
    return Plan(
        CHOSEN_BATCH,
        f"{figures}, which is too much: batches of {CHOSEN_BATCH} nodes instead",
    )

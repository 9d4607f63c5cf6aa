"""Does learned noise beat random noise? Arms with equal searches, paired by seed."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pingda.errors import PingdaError, did_you_mean
from pingda.evaluation.floors import ppr_features, raw_features
from pingda.evaluation.strict import accuracies
from pingda.experiments.fit import fit
from pingda.experiments.run import Run
from pingda.experiments.tune import Search, Space, tune
from pingda.files import write_text
from pingda.graph.graph import Graph
from pingda.graph.splits import draw_parts, labelled
from pingda.methods.two_views import TwoViewContrast

DATASETS = (
    "cora",
    "citeseer",
    "pubmed",
    "amazon-photo",
    "coauthor-cs",
    "texas",
    "cornell",
    "wisconsin",
)

# What every arm may choose: the noise is compared, not the ground it stands on.
COMMON: Space = {
    "encoder": ("gcn", "channels"),
    "topology": ("given", "both", "similar"),
    "similarity": ("features", "propagated"),
    "readout": ("encoder", "encoder+ego", "encoder+near", "encoder+ego+near"),
    "tau": (0.3, 0.5),
    "lr": (5e-4, 2e-3),
    "epochs": (100, 300),
}
# On graphs of more than 7,000 nodes, for every arm, negatives are sampled and a trial
# is scored on fewer splits.
LARGE = ("pubmed", "amazon-photo", "coauthor-cs", "coauthor-physics")
RATES: Space = {
    "noise.edge_rate": ([0.2, 0.4], [0.5, 0.6]),
    "noise.feature_rate": ([0.1, 0.2], [0.4, 0.4]),
}


@dataclass(frozen=True)
class Arm:
    """One kind of noise.

    Args:
        settings: What makes it.
        space: What it may choose beside :data:`COMMON`.
    """

    settings: Mapping[str, Any]
    space: Space = field(default_factory=dict)


ARMS: Mapping[str, Arm] = {
    "none": Arm({"profile": "paper", "noise.edge": "none", "noise.feature": "none"}),
    "random": Arm(
        {"profile": "paper", "noise.edge": "random", "noise.feature": "random"}, RATES
    ),
    "paper": Arm({"profile": "paper"}),
    "released": Arm({"profile": "released"}),
    "budgeted": Arm({"profile": "budgeted"}, RATES),
    "budgeted-random-edges": Arm(
        {"profile": "budgeted", "noise.edge": "random"}, RATES
    ),
    "budgeted-random-features": Arm(
        {"profile": "budgeted", "noise.feature": "random"}, RATES
    ),
}


@dataclass(frozen=True)
class Cell:
    """One run of an arm under ``strict``, beside the floors at its width.

    ``accuracy``, ``raw`` and ``ppr`` are means over ``splits`` splits of the seed,
    which no other seed has. ``validation`` is the score that chose the settings, and
    ``edge_auc`` how well the learned probability to drop tells edges between classes
    from edges inside them (None: edges are not learned).
    """

    dataset: str
    arm: str
    seed: int
    accuracy: float
    raw: float
    ppr: float
    splits: int
    width: int
    validation: float
    information: float | None
    information_error: float | None
    edge_auc: float | None
    settings: dict[str, Any]


@dataclass(frozen=True)
class Study:
    """What is run.

    Args:
        datasets: Names of the catalogue.
        arms: Names of :data:`ARMS`.
        seeds: Number of seeds, from 0.
        trials: Trials of each arm's search.
        splits: Splits a seed.
    """

    datasets: Sequence[str] = DATASETS
    arms: Sequence[str] = tuple(ARMS)
    seeds: int = 10
    trials: int = 16
    splits: int = 4

    def check(self) -> None:
        """Raise if an arm is unknown or a number makes no study."""
        for arm in self.arms:
            if arm not in ARMS:
                raise PingdaError(
                    f"unknown arm {arm!r}{did_you_mean(arm, ARMS)}; the arms are "
                    f"{', '.join(ARMS)}"
                )
        if min(self.seeds, self.trials, self.splits) < 1:
            raise PingdaError("seeds, trials and splits are at least 1 each")


def run_study(
    study: Study, out: Path, tick: Callable[[int, int, str], None]
) -> list[Cell]:
    """Search and run all cells that ``out`` does not hold yet; return all of them.

    Args:
        study: What is run.
        out: Folder of ``study.jsonl`` and of the searches.
        tick: Told of each finished cell.
    """
    study.check()
    out.mkdir(parents=True, exist_ok=True)
    log = out / "study.jsonl"
    cells = read_cells(log)
    done = {(cell.dataset, cell.arm, cell.seed): cell for cell in cells}
    wanted = [
        (dataset, arm, seed)
        for dataset in study.datasets
        for arm in study.arms
        for seed in range(study.seeds)
    ]
    floors: dict[tuple[str, int, int], tuple[float, float]] = {}
    for number, key in enumerate(wanted, start=1):
        if key not in done:
            done[key] = _cell(study, *key, out, floors)
            cells = list(done.values())
            lines = (json.dumps(asdict(cell)) + "\n" for cell in cells)
            write_text(log, "".join(lines))
        tick(number, len(wanted), f"{key[0]}, {key[1]}: {done[key].accuracy:.4f}")
    return [done[key] for key in wanted]


def read_cells(log: Path) -> list[Cell]:
    """Read what an earlier study has left."""
    if not log.is_file():
        return []
    try:
        lines = log.read_text(encoding="utf-8").splitlines()
        return [Cell(**json.loads(line)) for line in lines]
    except (ValueError, TypeError) as error:
        raise PingdaError(
            f"{log} holds no cells of a study: {error}; choose another folder"
        ) from error


def _cell(
    study: Study,
    dataset: str,
    name: str,
    seed: int,
    out: Path,
    floors: dict[tuple[str, int, int], tuple[float, float]],
) -> Cell:
    arm = ARMS[name]
    fixed, splits = dict(arm.settings), 20
    if dataset in LARGE:
        fixed["negatives"], splits = "sampled", 5
    space = {**COMMON, **arm.space}
    search = Search(dataset, fixed=fixed, space=space, splits=splits)
    folder = out / "tuned" / Path(dataset).stem.replace(":", "-") / name
    best = tune(search, study.trials, folder)
    run = fit(dataset, settings={**fixed, **best.settings}, seed=seed)
    graph = run.graph
    assert graph is not None  # noqa: S101 - a run that was just fitted has one
    y = labelled(graph)
    first = seed * study.splits
    parts = np.stack([draw_parts(y, first + k) for k in range(study.splits)])
    width = run.embeddings.shape[1]
    key = (dataset, width, seed)
    if key not in floors:
        untrained = (raw_features(graph, width), ppr_features(graph, width))
        raw, ppr = (np.mean(accuracies(z, y.numpy(), parts)) for z in untrained)
        floors[key] = float(raw), float(ppr)
    last = run.metrics[-1] if run.metrics else {}
    return Cell(
        dataset,
        name,
        seed,
        float(np.mean(accuracies(run.embeddings, y.numpy(), parts))),
        *floors[key],
        study.splits,
        width,
        best.score,
        last.get("information"),
        last.get("information_error"),
        edge_auc(run, graph),
        best.settings,
    )


@torch.no_grad()
def edge_auc(run: Run, graph: Graph) -> float | None:
    """Return the area under the curve of Pr(drop) for edges between classes.

    ½ is what ignorance reaches, 1 what labels would. Edges that were added count too.
    """
    method, y = run.job.state.method, graph.y
    if (
        not isinstance(method, TwoViewContrast)
        or method.noise.edge_noise is None
        or y is None
    ):
        return None
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415 - slow to import

    view = run.job.view(graph)
    chance = method.noise.edge_noise.drop_probability(view).float().cpu().numpy()
    source, target = view.edge_index.cpu()
    between = (y[source] != y[target]).numpy()
    return float(roc_auc_score(between, chance))

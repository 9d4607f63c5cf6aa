"""The benchmark graphs by name: where they come from and what they must be."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from pingda.errors import PingdaError, did_you_mean
from pingda.graph import cache, digits
from pingda.graph.graph import Graph
from pingda.graph.raw_files import RawFiles
from pingda.graph.readers import benchmark_npz, ogbn, planetoid, webkb, wikics
from pingda.graph.readers.raw import RawGraph
from pingda.graph.transforms import pack_features, tidy_edges


@dataclass(frozen=True)
class Statistics:
    """What a benchmark must count, after self-loops and repeated edges are gone.

    ``edges`` is the number of undirected edges; None where no trusted source says it.
    """

    nodes: int
    edges: int | None
    features: int
    classes: int


@dataclass(frozen=True)
class Benchmark:
    """One named graph.

    Args:
        name: Its name on the command line.
        origin: Who made it.
        raw: Its raw files; None for the built-in graph.
        read: From the folder of raw files to the graph they describe.
        normalise: Whether rows of features are divided by their sum. Follows the
            published code line: Planetoid, WikiCS and arxiv raw, others normalised.
        expected: Its statistics; None for a family member that nobody pinned.
    """

    name: str
    origin: str
    raw: RawFiles | None
    read: Callable[[Path], RawGraph]
    normalise: bool
    expected: Statistics | None

    def load(self) -> Graph:
        """Load the graph with its features as they are, from the cache if possible."""
        parsed = cache.recall(self.name)
        if parsed is None:
            parsed = self._parse()
            cache.store(self.name, parsed)
        return Graph(
            self.name,
            pack_features(parsed.x),
            torch.from_numpy(parsed.edge_index),
            None if parsed.y is None else torch.from_numpy(parsed.y),
            transforms=("self-loops and repeated edges removed", "symmetrised"),
            benchmark=True,
        )

    def describe(self) -> dict[str, Any]:
        """Return a row for the list of sources."""
        if self.raw is None:
            here = "built in"
        elif cache.cache_path(self.name).is_file():
            here = "cached"
        else:
            here = "raw files" if self.raw.at_hand() else "download"
        expected = self.expected
        return {
            "name": self.name,
            "nodes": expected.nodes if expected else None,
            "edges": expected.edges if expected else None,
            "features": expected.features if expected else None,
            "classes": expected.classes if expected else None,
            "origin": self.origin,
            "here": here,
        }

    def _parse(self) -> RawGraph:
        folder = Path() if self.raw is None else self.raw.locate(self.name)
        try:
            raw = self.read(folder)
        except (ValueError, KeyError, IndexError, TypeError, OSError) as error:
            raise PingdaError(
                f"the raw files of {self.name} in {folder} are damaged: {error}"
            ) from error
        nodes = raw.x.shape[0]
        raw = replace(raw, edge_index=tidy_edges(raw.edge_index, nodes, symmetric=True))
        self._check_statistics(raw)
        return raw

    def _check_statistics(self, raw: RawGraph) -> None:
        if self.expected is None:
            return
        found = Statistics(
            nodes=int(raw.x.shape[0]),
            edges=raw.edge_index.shape[1] // 2 if self.expected.edges else None,
            features=int(raw.x.shape[1]),
            classes=0 if raw.y is None else len(set(raw.y[raw.y >= 0].tolist())),
        )
        if found != self.expected:
            raise PingdaError(
                f"the raw files of {self.name} are not the benchmark: found {found}, "
                f"expected {self.expected}; get them again"
            )


_PLANETOID = "https://github.com/kimiyoung/planetoid/raw/master/data"
_GEOM_GCN = (
    "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/master/new_data"
)
_GNN_BENCHMARK = "https://github.com/shchur/gnn-benchmark/raw/master/data/npz"
_WIKICS = "https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset"
_OGB = "https://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"


def _planetoid(name: str) -> Benchmark:
    raw = RawFiles(f"{name}/raw", planetoid.files(name), _PLANETOID)
    read = partial(planetoid.read, name=name)
    return Benchmark(f"planetoid:{name}", "Planetoid", raw, read, False, None)


def _shchur(family: str, folder: str, file: str) -> Benchmark:
    raw = RawFiles(f"{folder}/raw", (file,), _GNN_BENCHMARK)

    def read(place: Path) -> RawGraph:
        return benchmark_npz.read(place / file)

    return Benchmark(f"{family.lower()}:{folder}", family, raw, read, True, None)


def _amazon(name: str) -> Benchmark:
    return _shchur("Amazon", name, f"amazon_electronics_{name.lower()}.npz")


def _coauthor(name: str) -> Benchmark:
    return _shchur("Coauthor", name, f"ms_academic_{name[:3].lower()}.npz")


def _webkb(name: str) -> Benchmark:
    folder = name.lower()
    raw = RawFiles(f"{folder}/raw", webkb.FILES, f"{_GEOM_GCN}/{folder}")
    return Benchmark(f"webkb:{folder}", "WebKB", raw, webkb.read, True, None)


def _single(
    origin: str, raw: RawFiles | None, read: Callable[[Path], RawGraph]
) -> Benchmark:
    return Benchmark(origin, origin, raw, read, normalise=False, expected=None)


_FAMILIES: dict[str, Callable[[str], Benchmark]] = {
    "planetoid": _planetoid,
    "amazon": _amazon,
    "coauthor": _coauthor,
    "webkb": _webkb,
}


def _pinned() -> dict[str, Benchmark]:
    pins = {
        "cora": (_planetoid("Cora"), Statistics(2708, 5278, 1433, 7)),
        "citeseer": (_planetoid("CiteSeer"), Statistics(3327, 4552, 3703, 6)),
        "pubmed": (_planetoid("PubMed"), Statistics(19717, 44324, 500, 3)),
        "amazon-photo": (_amazon("Photo"), Statistics(7650, 119081, 745, 8)),
        "coauthor-cs": (_coauthor("CS"), Statistics(18333, 81894, 6805, 15)),
        "coauthor-physics": (
            _coauthor("Physics"),
            Statistics(34493, 247962, 8415, 5),
        ),
        "texas": (_webkb("texas"), Statistics(183, 279, 1703, 5)),
        "cornell": (_webkb("cornell"), Statistics(183, 277, 1703, 5)),
        "wisconsin": (_webkb("wisconsin"), Statistics(251, 450, 1703, 5)),
        "wikics": (
            _single(
                "WikiCS", RawFiles("WikiCS/raw", wikics.FILES, _WIKICS), wikics.read
            ),
            Statistics(11701, None, 300, 10),
        ),
        "ogbn-arxiv": (
            _single("OGB", RawFiles("ogbn_arxiv/raw", ogbn.FILES, _OGB), ogbn.read),
            Statistics(169343, 1157799, 128, 40),
        ),
        "digits": (
            _single("scikit-learn", None, lambda _folder: digits.read()),
            Statistics(1797, 9929, 64, 10),
        ),
    }
    return {
        name: replace(benchmark, name=name, expected=expected)
        for name, (benchmark, expected) in pins.items()
    }


BENCHMARKS = _pinned()


def find(name: str) -> Benchmark | None:
    """Return the benchmark of that name or ``family:Name``; None if there is none."""
    if name in BENCHMARKS:
        return BENCHMARKS[name]
    family, _, member = name.partition(":")
    if member and family in _FAMILIES:
        return _FAMILIES[family](member)
    return None


def unknown(name: str) -> PingdaError:
    """Return the error for a source that is neither a name nor a file."""
    hint = did_you_mean(name, BENCHMARKS)
    families = ", ".join(f"{family}:NAME" for family in _FAMILIES)
    return PingdaError(
        f"unknown source {name!r}{hint}: it is no file and no name of the catalogue; "
        f"see 'pingda data list', or use {families}"
    )

import subprocess
import sys
from pathlib import Path

import pytest

from graph import miniatures
from pingda.errors import PingdaError
from pingda.graph import cache, catalogue
from pingda.graph.catalogue import BENCHMARKS, Statistics
from pingda.graph.sparse import SparseFeatures

AT_HAND = [
    "cora",
    "citeseer",
    "pubmed",
    "amazon-photo",
    "coauthor-cs",
    "coauthor-physics",
    "texas",
    "cornell",
    "wisconsin",
]


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", AT_HAND)
def test_real_benchmarks_have_their_published_statistics(name: str) -> None:
    benchmark = BENCHMARKS[name]
    graph = benchmark.load()
    expected = benchmark.expected
    assert expected == Statistics(
        graph.nodes, graph.edges, graph.features, graph.classes
    )
    assert bool((graph.edge_index[0] != graph.edge_index[1]).all())
    again = benchmark.load()  # from the cache
    assert again.fingerprint() == graph.fingerprint()


def test_the_built_in_graph_needs_no_files() -> None:
    graph = BENCHMARKS["digits"].load()
    assert (graph.nodes, graph.features, graph.classes) == (1797, 64, 10)
    assert float(graph.x.max()) == 1.0


def test_normalisation_is_pinned_as_in_the_published_code() -> None:
    raw = {name for name, benchmark in BENCHMARKS.items() if not benchmark.normalise}
    assert raw == {"cora", "citeseer", "pubmed", "wikics", "ogbn-arxiv", "digits"}


@pytest.fixture
def small_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    mirror = tmp_path / "mirror"
    monkeypatch.setenv("PINGDA_MIRROR", str(mirror))
    monkeypatch.setenv("PINGDA_DATA", str(tmp_path / "data"))
    return mirror


def test_a_family_member_is_read_cleaned_and_cached(small_mirror: Path) -> None:
    miniatures.planetoid(small_mirror / "Tiny" / "raw", "tiny")
    benchmark = catalogue.find("planetoid:Tiny")
    assert benchmark is not None
    graph = benchmark.load()
    assert graph.edge_index.T.tolist() == sorted(
        [[1, 0], [0, 1], [2, 1], [1, 2], [5, 2], [5, 3], [2, 5], [3, 5]],
        key=lambda edge: (edge[1], edge[0]),
    )
    assert cache.cache_path("planetoid:Tiny").is_file()


def test_a_damaged_cache_is_rebuilt(small_mirror: Path) -> None:
    miniatures.webkb(small_mirror / "tiny" / "raw")
    benchmark = catalogue.find("webkb:Tiny")
    assert benchmark is not None
    whole = benchmark.load().fingerprint()
    cache.cache_path(benchmark.name).write_bytes(b"damaged")
    assert benchmark.load().fingerprint() == whole
    assert cache.recall(benchmark.name) is not None


def test_directed_benchmarks_are_symmetrised(small_mirror: Path) -> None:
    miniatures.webkb(small_mirror / "tiny" / "raw")
    benchmark = catalogue.find("webkb:tiny")
    assert benchmark is not None
    edges = benchmark.load().edge_index.T.tolist()
    assert edges == [[1, 0], [0, 1], [2, 1], [1, 2]]


@pytest.mark.parametrize(
    ("name", "folder", "write"),
    [
        ("wikics", "WikiCS/raw", miniatures.wikics),
        ("ogbn-arxiv", "ogbn_arxiv/raw", miniatures.ogbn_arxiv),
    ],
)
def test_files_that_are_not_the_benchmark_are_refused(
    small_mirror: Path, name: str, folder: str, write: object
) -> None:
    write(small_mirror / folder)
    with pytest.raises(PingdaError, match="are not the benchmark: found.*nodes=3"):
        BENCHMARKS[name].load()


def test_damaged_raw_files_are_named(small_mirror: Path) -> None:
    miniatures.wikics(small_mirror / "WikiCS" / "raw")
    (small_mirror / "WikiCS" / "raw" / "data.json").write_text("{")
    with pytest.raises(PingdaError, match="raw files of wikics in .* are damaged"):
        BENCHMARKS["wikics"].load()


def test_amazon_and_coauthor_files_are_found_by_their_names(small_mirror: Path) -> None:
    for source, file in (
        ("amazon:Computers", "Computers/raw/amazon_electronics_computers.npz"),
        ("coauthor:Physics", "Physics/raw/ms_academic_phy.npz"),
        ("coauthor:CS", "CS/raw/ms_academic_cs.npz"),
    ):
        path = small_mirror / file
        path.parent.mkdir(parents=True)
        miniatures.benchmark_npz(path)
        benchmark = catalogue.find(source)
        assert benchmark is not None
        assert benchmark.load().edges == 2


def test_what_is_listed() -> None:
    row = BENCHMARKS["digits"].describe()
    assert row["nodes"] == 1797
    assert row["here"] == "built in"
    assert catalogue.find("nonsense") is None
    assert catalogue.find("planetoid:") is None


MEMORY = """
import resource
from pingda.graph.catalogue import BENCHMARKS
import torch, scipy.sparse
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
graph = BENCHMARKS["coauthor-physics"].load()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.usefixtures("mirror")
def test_physics_is_loaded_without_a_dense_copy() -> None:
    """Dense, its features are 1.2 GB; all of the loading stays below 400 MB."""
    graph = BENCHMARKS["coauthor-physics"].load()  # fills the cache
    assert isinstance(graph.x, SparseFeatures)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 400_000  # kilobytes

"""What all tests share: a cache of their own, small graphs, the real command."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import settings

from pingda.graph import Graph
from pingda.graph.source import load_source

settings.register_profile("pingda", deadline=None, max_examples=40)
settings.load_profile("pingda")

Command = Callable[..., subprocess.CompletedProcess[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run tests of minutes")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if config.getoption("--slow"):
        return
    skip = pytest.mark.skip(reason="takes minutes; run with --slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests away from the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PINGDA_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Return the folder of real benchmark files, or skip the test without one."""
    value = os.environ.get("PINGDA_MIRROR")
    if not value:
        pytest.skip("needs the benchmark files: set PINGDA_MIRROR")
    return Path(value)


@pytest.fixture(scope="session")
def cora(mirror: Path) -> Graph:
    return load_source("cora")


@pytest.fixture(scope="session")
def digits() -> Graph:
    return load_source("digits")


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def toy() -> Graph:
    """Two communities of 30 nodes; features tell them apart, with noise."""
    return make_toy()


def make_toy(nodes: int = 60, features: int = 12, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    y = np.arange(nodes) % 2
    same = y[:, None] == y[None, :]
    joined = np.triu(rng.random((nodes, nodes)) < np.where(same, 0.2, 0.02), 1)
    joined[np.arange(nodes - 1), np.arange(1, nodes)] = True  # no node is alone
    u, v = np.nonzero(joined)
    x = rng.normal(size=(nodes, features)) + 1.5 * y[:, None]
    return Graph(
        "toy",
        torch.from_numpy(x.astype(np.float32)),
        torch.from_numpy(np.stack([np.r_[u, v], np.r_[v, u]])),
        torch.from_numpy(y),
    )


def save_npz(path: Path, graph: Graph, **changes: np.ndarray | None) -> Path:
    """Write a graph as the user's own file, some of its arrays changed or left out."""
    assert isinstance(graph.x, torch.Tensor)
    assert graph.y is not None
    arrays: dict[str, np.ndarray | None] = {
        "x": graph.x.numpy(),
        "edge_index": graph.edge_index.numpy(),
        "y": graph.y.numpy(),
    }
    arrays |= changes
    kept = {key: value for key, value in arrays.items() if value is not None}
    np.savez(path, **kept)
    return path


@pytest.fixture
def toy_file(tmp_path: Path, toy: Graph) -> Path:
    return save_npz(tmp_path / "toy.npz", toy)


@pytest.fixture
def pingda(tmp_path: Path) -> Command:
    """Return a function that runs the installed command in an empty folder."""
    executable = Path(sys.executable).with_name("pingda")

    def run(*words: object, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(executable), *(str(word) for word in words)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "160", **env},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return run

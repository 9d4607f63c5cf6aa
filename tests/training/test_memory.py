from dataclasses import replace
from pathlib import Path

import pytest
import torch

from pingda.errors import PingdaError
from pingda.graph import Graph
from pingda.methods.settings import MethodSettings
from pingda.training import memory
from pingda.training.memory import Size, available_bytes, choose, estimated_bytes

GB = 1e9
ARXIV = Size(169_343, 2_315_598, 128, 169_343 * 128, 512, 256)


def test_a_run_that_fits_takes_the_whole_graph() -> None:
    plan = choose(2 * GB, 10 * GB, MethodSettings())
    assert plan.batch == "full"
    assert "about 2.0 GB" in plan.sentence
    assert "10.0 GB free" in plan.sentence


def test_a_run_that_does_not_fit_is_divided_or_refused() -> None:
    plan = choose(9 * GB, 10 * GB, MethodSettings())
    assert plan.batch == memory.CHOSEN_BATCH
    assert "too much: batches of 1024 nodes" in plan.sentence
    with pytest.raises(PingdaError, match="would not fit: .*use --set batch=1024"):
        choose(9 * GB, 10 * GB, MethodSettings(batch="full"))


def test_what_was_asked_for_is_done() -> None:
    assert choose(1, 10 * GB, MethodSettings(batch=64)).batch == 64
    plan = choose(99 * GB, 10 * GB, MethodSettings(parts=7))
    assert (plan.batch, "7 parts in turn" in plan.sentence) == ("full", True)


def test_the_estimate_grows_with_every_size() -> None:
    whole = estimated_bytes(ARXIV)
    for name in ("nodes", "edges", "stored", "hidden", "dim"):
        larger = replace(ARXIV, **{name: 2 * getattr(ARXIV, name)})
        assert estimated_bytes(larger) > whole, name


def test_sizes_are_those_of_the_graph(cora: Graph) -> None:
    size = Size.of(cora.view(), MethodSettings())
    assert (size.nodes, size.edges, size.features) == (2708, 10556, 1433)
    extended = Size.of(cora.view(), MethodSettings(topology="both", neighbours=3))
    assert extended.edges == 10556 + 6 * 2708
    assert size.stored == 5 * 49_216


def test_a_cgroup_limits_what_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu = torch.device("cpu")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    free = available_bytes(cpu)
    assert free > 1e8
    (tmp_path / "memory.max").write_text("5000000\n")
    (tmp_path / "memory.current").write_text("2000000\n")
    assert available_bytes(cpu) == 3e6
    (tmp_path / "memory.max").write_text("max\n")
    assert available_bytes(cpu) == pytest.approx(free, rel=0.2)

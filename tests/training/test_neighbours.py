import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Generator, Tensor
from torch_geometric.sampler.base import BaseSampler, NodeSamplerInput, SamplerOutput

from conftest import make_toy
from pingda.graph import Graph, GraphView
from pingda.graph.propagation import Propagation
from pingda.nn import GCN
from pingda.training import neighbours
from pingda.training.neighbours import NeighbourBatches, NeighbourSampler

CPU = torch.device("cpu")


def batches_of(view: GraphView, size: int, *fanout: int) -> NeighbourBatches:
    return NeighbourBatches(view, size, fanout, Generator().manual_seed(0), CPU)


def sample(
    view: GraphView, seeds: Tensor, fanout: tuple[int, ...], seed: int = 0
) -> SamplerOutput:
    sampler = NeighbourSampler(view.structure, fanout, Generator().manual_seed(seed))
    return sampler.sample_from_nodes(NodeSamplerInput(None, seeds))


def pairs(edge_index: Tensor) -> set[tuple[int, int]]:
    return set(zip(*edge_index.tolist(), strict=True))


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
def test_what_is_sampled_is_a_part_of_the_graph(seed: int, k: int, m: int) -> None:
    view = make_toy(seed=seed).view()
    seeds = torch.randperm(60, generator=Generator().manual_seed(seed))[:7]
    out = sample(view, seeds, (k, m), seed)
    assert torch.equal(out.node[:7], seeds)
    assert len(set(out.node.tolist())) == len(out.node)
    assert sum(out.num_sampled_nodes or []) == len(out.node)
    chosen = torch.stack([out.node[out.row], out.node[out.col]])
    assert pairs(chosen) <= pairs(view.edge_index)
    assert len(pairs(chosen)) == chosen.shape[1]  # each once
    # Each edge enters from one hop further at most, and outermost nodes are entered
    # by the reverse edges alone.
    hop = torch.repeat_interleave(torch.tensor(out.num_sampled_nodes))
    assert int((hop[out.row] - hop[out.col]).max()) <= 1
    outer = hop[out.col] == 2
    assert pairs(chosen[:, outer].flip(0)) <= pairs(chosen)
    entered = torch.unique(out.col[outer])
    assert len(entered) == int((hop == 2).sum())


def test_a_wide_fanout_takes_every_neighbour_and_a_narrow_one_samples() -> None:
    view = make_toy().view()
    seeds = torch.arange(10)
    entering = view.edge_index[1] < 10
    out = sample(view, seeds, (60,))
    found = torch.stack([out.node[out.row], out.node[out.col]])
    assert pairs(view.edge_index[:, entering]) <= pairs(found)
    few = sample(view, seeds, (2,))
    assert len(few.node) <= 30
    others = {tuple(sample(view, seeds, (2,), s).node.tolist()) for s in range(5)}
    assert len(others) > 1


def test_an_epoch_has_every_node_once_as_a_seed() -> None:
    batches = batches_of(make_toy().view(), 13, 3, 3)
    seen = []
    for batch in batches:
        assert batch.hops is not None
        assert batch.origin is not None
        seen += batch.origin[: batch.hops[0]].tolist()
    assert sorted(seen) == list(range(60))
    assert len(batches) == 5
    again = [batch.origin for batch in batches if batch.origin is not None]
    assert torch.cat(again)[:13].tolist() != seen[:13]


def test_a_lone_last_seed_is_no_batch() -> None:
    batches = batches_of(make_toy().view(), 59, 3)
    assert len(batches) == 1
    assert len(list(batches)) == 1


@pytest.mark.parametrize("features", [12, 2])
def test_with_all_neighbours_the_seeds_are_embedded_as_in_the_whole_graph(
    features: int,
) -> None:
    """Trimmed layers, first layer before and after propagation."""
    view = make_toy(features=features).view()
    weighted = view.with_edge_weight(torch.rand(view.edge_index.shape[1]) + 0.5)
    encoder = GCN(features, 8, 5)
    whole = encoder(weighted)
    for batch in batches_of(weighted, 7, 60, 60, 60):
        assert batch.hops is not None
        assert batch.origin is not None
        found = encoder(batch)
        assert len(found) == batch.hops[0] == len(batch.origin[: batch.hops[0]])
        torch.testing.assert_close(found, whole[batch.origin[: batch.hops[0]]])


def test_sampled_messages_have_the_mean_of_all_messages() -> None:
    """One layer: edges are weighed up so that sums and degrees are unbiased."""
    view = make_toy().view()
    h = torch.randn(60, 3, generator=Generator().manual_seed(1))
    source, target = view.edge_index
    whole = torch.zeros(60, 3).index_add_(0, target, h[source])
    found, degrees = [], []
    batches = batches_of(view, 60, 2)
    for _ in range(500):
        (batch,) = batches
        assert batch.origin is not None
        weights, (u, v) = batch.weights(), batch.edge_index
        local = h[batch.origin]
        sums = torch.zeros(60, 3).index_add_(0, v, weights[:, None] * local[u])
        found.append(torch.zeros(60, 3).index_add_(0, batch.origin, sums))
        degrees.append(torch.zeros(60).index_add_(0, batch.origin[v], weights))
    sums = torch.stack(found)
    error = (sums.mean(dim=0) - whole).abs() / (sums.std(dim=0) / 500**0.5 + 1e-5)
    assert float(error.max()) < 4.5
    entering = torch.bincount(target, minlength=60).float()
    torch.testing.assert_close(torch.stack(degrees).mean(dim=0), entering)


def test_the_compiled_sampler_is_used_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Any sampler of PyG's interface can do the walk; its draws follow our seed."""
    drawn = []

    class Compiled(BaseSampler):
        def sample_from_nodes(self, index: NodeSamplerInput) -> SamplerOutput:
            drawn.append(float(torch.rand(())))
            inner = NeighbourSampler(view.structure, (2,), Generator().manual_seed(3))
            inner.compiled = None
            node, edge, found = inner.walk(index)
            return SamplerOutput(node, edge, edge, edge, num_sampled_nodes=found)

        def sample_from_edges(self, *_words: object) -> SamplerOutput:
            raise AssertionError

    view = make_toy().view()
    plain = sample(view, torch.arange(5), (2,), 3)
    real = neighbours.compiled_sampler
    monkeypatch.setattr(neighbours, "compiled_sampler", lambda _s, _f: Compiled())
    before = torch.random.get_rng_state()
    sampler = NeighbourSampler(view.structure, (2,), Generator().manual_seed(5))
    monkeypatch.setattr(neighbours, "compiled_sampler", real)
    outs = [
        sampler.sample_from_nodes(NodeSamplerInput(None, torch.arange(5)))
        for _ in range(2)
    ]
    assert torch.equal(outs[0].node, plain.node)
    assert torch.equal(outs[0].edge, plain.edge)
    assert drawn[0] != drawn[1]
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_batch_carries_its_features_weights_and_hops(cora: Graph) -> None:
    view = cora.view()
    batch = next(iter(batches_of(view, 64, 5, 5)))
    assert batch.origin is not None
    assert batch.hops is not None
    assert batch.hops[-1] == batch.nodes
    whole = view.x.to_dense()[batch.origin]  # type: ignore[union-attr]
    assert torch.equal(batch.x.to_dense(), whole)  # type: ignore[union-attr]
    first = Propagation(batch)(torch.ones(batch.nodes, 1), rows=batch.hops[0])
    assert first.shape == (64, 1)

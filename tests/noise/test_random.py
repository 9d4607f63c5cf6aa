import pytest
import torch

from pingda.graph import Graph, SparseFeatures
from pingda.graph.sparse import dense
from pingda.noise import EdgeDrop, FeatureMask


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("rate", [0.0, 0.2, 0.6])
def test_edges_are_dropped_at_their_rate(
    cora: Graph, rate: float, symmetric: bool
) -> None:
    """The rate is that of dropping; the released code kept edges at it."""
    view = EdgeDrop(rate, symmetric)(cora.view(), torch.Generator().manual_seed(0))
    assert view.edge_weight is not None
    assert set(view.edge_weight.tolist()) <= {0.0, 1.0}
    assert abs(float((view.edge_weight == 0).float().mean()) - rate) < 0.03


def test_pairs_fall_together_or_alone(cora: Graph) -> None:
    for symmetric, expected in ((True, 1.0), (False, 0.5)):
        view = EdgeDrop(0.5, symmetric)(cora.view(), torch.Generator().manual_seed(0))
        _, pair_of_edge = view.structure.pairing
        assert view.edge_weight is not None
        order = pair_of_edge.argsort(stable=True)
        first, second = view.edge_weight[order].view(-1, 2).t()
        assert abs(float((first == second).float().mean()) - expected) < 0.03


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.7])
def test_whole_columns_are_zeroed_at_their_rate(cora: Graph, rate: float) -> None:
    assert isinstance(cora.x, SparseFeatures)
    before = cora.x.to_dense()
    results = []
    for x in (cora.x, before):
        view = cora.view().with_features(x)
        draw = FeatureMask(rate).draw(view, torch.Generator().manual_seed(0))
        after = dense(draw.view.x)
        same = (after == before).all(dim=0)
        gone = (after == 0).all(dim=0)
        assert bool((same | gone).all())
        assert abs(float((~same).float().mean()) - rate) < 0.05
        results.append((after, draw.measure()["noise_to_signal"]))
    assert torch.equal(results[0][0], results[1][0])
    torch.testing.assert_close(results[0][1], results[1][1])
    assert isinstance(FeatureMask(rate)(cora.view()).x, SparseFeatures)

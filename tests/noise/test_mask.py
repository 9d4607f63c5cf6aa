import pytest
import torch

from pingda.graph import Graph, GraphView
from pingda.graph.sparse import dense
from pingda.noise import ColumnMask
from pingda.noise.mask import column_power


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_columns_vanish_for_all_nodes_alike(toy: Graph) -> None:
    view = toy.view()
    noisy = ColumnMask(12, rate=0.4).draw(view, generator()).view
    kept = dense(noisy.x) / dense(view.x)
    assert {round(v, 5) for v in kept.unique().tolist()} == {0.0, 1.0}
    torch.testing.assert_close(kept, kept[:1].expand_as(kept))


def test_equal_scores_are_random_masking_in_distribution(toy: Graph) -> None:
    """The number of masked columns is binomial: its mean and its variance."""
    mask = ColumnMask(12, rate=0.4)
    counts = []
    for seed in range(1500):
        x = dense(mask.draw(toy.view(), generator(seed)).view.x)
        counts.append(float((x.abs().sum(dim=0) == 0).sum()))
    found = torch.tensor(counts)
    assert float(found.mean()) == pytest.approx(12 * 0.4, abs=0.15)
    assert float(found.var()) == pytest.approx(12 * 0.4 * 0.6, rel=0.15)


@pytest.mark.parametrize("rate", [0.2, 0.6])
def test_the_expected_loss_of_power_is_the_budget(toy: Graph, rate: float) -> None:
    """To one per cent, whatever the scores."""
    mask = ColumnMask(12, rate=rate)
    torch.manual_seed(1)
    torch.nn.init.normal_(mask.scores, std=2)
    power = column_power(toy.x)
    p = torch.sigmoid(mask.drop_logits(toy.x))
    assert float(p.detach() @ power / power.sum()) == pytest.approx(rate, rel=0.01)
    total = 0.0
    for seed in range(600):
        noisy = mask.draw(toy.view(), generator(seed))
        total += float(noisy.measure()["noise_to_signal"]) ** 2
    assert total / 600 == pytest.approx(rate, rel=0.06)


def test_gradients_reach_the_scores_of_sparse_and_dense_features(cora: Graph) -> None:
    weight = torch.randn(cora.features, 4, generator=generator())
    found = []
    for x in (cora.x, dense(cora.x)):
        mask = ColumnMask(cora.features, rate=0.3)
        view = GraphView(x, cora.edge_index)
        product = mask.draw(view, generator(5)).view.x @ weight
        product.square().sum().backward()
        assert mask.scores.grad is not None
        found.append((product.detach(), mask.scores.grad))
    assert float(found[0][1].abs().max()) > 0
    torch.testing.assert_close(found[0], found[1], rtol=1e-3, atol=1e-3)


def test_other_budgets_share_the_scores_and_none_is_free(toy: Graph) -> None:
    mask = ColumnMask(12, rate=0.3)
    other = mask.at(0.7)
    assert other.scores is mask.scores
    assert (mask.rate, other.rate) == (0.3, 0.7)
    with torch.no_grad():
        mask.scores.fill_(-50.0)
    p = torch.sigmoid(mask.drop_logits(toy.x).detach())
    assert float(p.mean()) == pytest.approx(0.3)
    free = ColumnMask(12)
    with torch.no_grad():
        free.scores.fill_(-50.0)
    assert torch.equal(free(toy.view(), generator()).x, toy.x)  # collapsed


@pytest.mark.parametrize("rate", [None, 0.3])
def test_uninformed_masks_remove_as_much(toy: Graph, rate: float | None) -> None:
    mask, view = ColumnMask(12, rate=rate), toy.view()
    torch.nn.init.normal_(mask.scores, std=2)
    blind = mask.uninformed(view)
    power = column_power(view.x)

    def removed(noise: ColumnMask) -> float:
        chance = torch.sigmoid(noise.drop_logits(view.x)).detach()
        return float(chance @ power / power.sum())

    assert removed(blind) == pytest.approx(removed(mask), abs=1e-3)
    assert float(blind.drop_logits(view.x).std()) < 1e-5
    assert float(mask.drop_logits(view.x).detach().std()) > 0.5

import pytest
import torch
from torch import Tensor, nn

from pingda.graph import Graph, SparseFeatures
from pingda.graph.transforms import pack_features
from pingda.noise import scorer as scorer_module
from pingda.noise.scorer import PairScorer


def literal(scorer: PairScorer, x: Tensor, ends: Tensor) -> Tensor:
    """The perceptron as the paper writes it, on the concatenation [p, 2f]."""
    if scorer.first is not None and scorer.second is not None:
        x = scorer.second(torch.relu(scorer.first(x)))
    both = torch.cat([x[ends[0]], x[ends[1]]], dim=1)
    return scorer.score(torch.relu(scorer.ends(both))).squeeze(1)


@pytest.fixture(autouse=True, params=[7, scorer_module.CHUNK])
def _chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer_module, "CHUNK", request.param)


@pytest.mark.parametrize("embed", [None, (9, 5)])
def test_the_factored_score_is_the_literal_one(
    toy: Graph, embed: tuple[int, int] | None
) -> None:
    x = torch.randn(60, 12, dtype=torch.float64)
    scorer = PairScorer(12, 16, embed).double()
    one = scorer(x, toy.edge_index, symmetric=False)
    torch.testing.assert_close(one, literal(scorer, x, toy.edge_index))
    both = scorer(x, toy.edge_index, symmetric=True)
    mirrored = literal(scorer, x, toy.edge_index.flip(0))
    torch.testing.assert_close(both, (one + mirrored) / 2)


@pytest.mark.parametrize("embed", [None, (9, 5)])
def test_gradients_of_the_factored_score(
    toy: Graph, embed: tuple[int, int] | None
) -> None:
    x = torch.randn(60, 12, dtype=torch.float64)
    scorer = PairScorer(12, 16, embed).double()
    grads = []
    there, back = toy.edge_index, toy.edge_index.flip(0)
    for score in (
        scorer(x, there, symmetric=True),
        (literal(scorer, x, there) + literal(scorer, x, back)) / 2,
    ):
        scorer.zero_grad()
        score.square().sum().backward()
        grads.append(
            [p.grad.clone() for p in scorer.parameters() if p.grad is not None]
        )
    assert len(grads[0]) == len(list(scorer.parameters()))
    for ours, plain in zip(*grads, strict=True):
        torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-10)


def test_sparse_features_score_as_dense_ones(cora: Graph) -> None:
    assert isinstance(cora.x, SparseFeatures)
    scorer = PairScorer(cora.features, 8)
    sparse = scorer(cora.x, cora.edge_index, symmetric=True)
    full = scorer(cora.x.to_dense(), cora.edge_index, symmetric=True)
    torch.testing.assert_close(sparse, full, rtol=1e-4, atol=1e-5)


def test_the_released_form_has_the_released_widths() -> None:
    scorer = PairScorer(100, embed=(128, 64))
    shapes = [
        tuple(layer.weight.shape)
        for layer in scorer.modules()
        if isinstance(layer, nn.Linear)
    ]
    assert shapes == [(128, 100), (64, 128), (128, 128), (1, 128)]


def test_packing_keeps_scores(toy: Graph) -> None:
    assert isinstance(toy.x, Tensor)
    packed = pack_features(toy.x.numpy())
    scorer = PairScorer(12)
    assert torch.equal(
        scorer(packed, toy.edge_index, symmetric=True),
        scorer(toy.x, toy.edge_index, symmetric=True),
    )

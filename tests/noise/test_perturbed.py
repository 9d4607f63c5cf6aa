import pytest
import torch

from pingda.graph import Graph
from pingda.graph.sparse import dense
from pingda.noise import Compose, FeatureMask, FeatureNoise
from pingda.noise.perturbed import Linear, PerturbedFeatures


def test_a_product_left_open_is_the_product() -> None:
    torch.manual_seed(0)
    hidden, weight, bias = torch.randn(5, 3), torch.randn(7, 3), torch.randn(7)
    opened, right = Linear(hidden, weight, bias), torch.randn(7, 2)
    whole = hidden @ weight.t() + bias
    torch.testing.assert_close(opened.to_dense(), whole)
    start = torch.ones(len(whole), right.shape[1], dtype=whole.dtype)
    found = opened.add_product(start.clone(), right)
    torch.testing.assert_close(found, start + whole @ right)
    torch.testing.assert_close(opened.square_sum(), whole.square().sum())


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("mean", ["learned", "zero"])
def test_recipes_are_the_matrix_that_they_stand_for(
    toy: Graph, masked: bool, mean: str
) -> None:
    noise = FeatureNoise(12, mean=mean, gain=0.7)  # type: ignore[arg-type]
    parts = [noise, FeatureMask(0.5)] if masked else [noise]
    generator = torch.Generator().manual_seed(1)
    x = Compose(parts).draw(toy.view(), generator).view.x
    assert isinstance(x, PerturbedFeatures)
    assert x.shape == (60, 12)
    assert x.dtype == torch.float32
    weight = torch.randn(12, 5)
    torch.testing.assert_close(x @ weight, x.to_dense() @ weight, rtol=1e-4, atol=1e-4)
    assert torch.equal(x @ weight, x @ weight)  # the same noise at every use
    empty = (x.to_dense() == 0).all(dim=0)
    assert bool(empty.any()) == masked


def test_sparse_features_get_dense_noise(cora: Graph) -> None:
    noise = FeatureNoise(cora.features)
    x = noise.draw(cora.view(), torch.Generator().manual_seed(0)).view.x
    weight = torch.randn(cora.features, 8)
    with torch.no_grad():
        torch.testing.assert_close(x @ weight, dense(x) @ weight, rtol=1e-3, atol=1e-3)

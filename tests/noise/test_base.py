import torch
from torch import Generator
from torch_geometric.data import Data

from pingda.graph import Graph, GraphView
from pingda.noise import Compose, Draw, EdgeDrop, EdgeNoise, FeatureMask, Noise


class Half(Noise):
    """Halves every weight."""

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        keep = torch.full_like(view.weights(), 0.5)
        return Draw(view.with_edge_weight(view.weights() * keep), keep=keep)


def test_noise_is_called_on_pyg_data(toy: Graph) -> None:
    view = Half()(Data(x=toy.x, edge_index=toy.edge_index))
    assert isinstance(view, GraphView)
    assert view.edge_weight is not None
    assert float(view.edge_weight.max()) == 0.5


def test_composed_noise_multiplies_and_reports_on_all_parts(toy: Graph) -> None:
    draw = Compose([Half(), Half(), FeatureMask(0.5)]).draw(toy.view())
    assert draw.keep is not None
    assert torch.all(draw.keep == 0.25)
    assert draw.view.edge_weight is not None
    assert torch.all(draw.view.edge_weight == 0.25)
    assert "noise_to_signal" in draw.measure()


def test_learned_and_random_noise_mix_and_nest(toy: Graph) -> None:
    noise = Compose([Compose([EdgeNoise(12), EdgeDrop(0.5)]), FeatureMask(0.3)])
    view = noise(toy.view())
    assert view.edge_weight is not None
    assert 0.3 < float((view.edge_weight == 0).float().mean()) < 0.7
    view.edge_weight.sum().backward()
    assert all(p.grad is not None for p in noise.parameters())


def test_nothing_composed_changes_nothing(toy: Graph) -> None:
    view = toy.view()
    assert Compose()(view) is view

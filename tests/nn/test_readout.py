import pytest
import torch
from torch.nn.functional import normalize

from conftest import make_toy
from pingda.graph import Graph
from pingda.graph.diffusion import diffuse, reduced
from pingda.graph.propagation import Propagation
from pingda.nn.readout import Parts, Readout


def test_the_encoder_alone_is_left_as_it_is(toy: Graph) -> None:
    h = torch.randn(60, 4)
    assert Readout(12, 4, "encoder")(h, toy.view()) is h


@pytest.mark.parametrize(
    ("parts", "columns"),
    [("encoder+ego", 8), ("encoder+near", 8), ("encoder+ego+near", 12)],
)
def test_parts_stand_side_by_side_at_unit_length(
    toy: Graph, parts: Parts, columns: int
) -> None:
    h, view = torch.randn(60, 4), toy.view()
    readout = Readout(12, 4, parts)
    readout.fit(view.x)
    z = readout(h, view)
    assert z.shape == (60, columns)
    cut = reduced(view.x, 4)
    expected = [normalize(h, dim=1)]
    if "ego" in parts:
        expected.append(normalize(cut, dim=1))
    if "near" in parts:
        expected.append(normalize(diffuse(Propagation(view), cut), dim=1))
    assert torch.allclose(z, torch.cat(expected, 1), atol=1e-5)


def test_a_new_graph_is_read_along_the_directions_of_the_old_one(toy: Graph) -> None:
    readout = Readout(12, 4, "encoder+ego")
    readout.fit(toy.x)
    other = make_toy(seed=5)
    whole = readout(torch.randn(60, 4), other.view())
    assert readout.directions is not None
    expected = normalize(other.x @ readout.directions, dim=1)
    assert torch.allclose(whole[:, 4:], expected, atol=1e-6)
    again = Readout(12, 4, "encoder+ego")
    again.load_state_dict(readout.state_dict())
    assert torch.equal(
        again(torch.ones(60, 4), toy.view())[:, 4:],
        normalize(toy.x @ readout.directions, dim=1),
    )


def test_narrow_features_and_few_nodes_lose_nothing() -> None:
    graph = make_toy(seed=1)
    assert Readout(12, 16, "encoder+ego").directions is None
    assert isinstance(graph.x, torch.Tensor)
    few, readout = graph.x[:3], Readout(12, 8, "encoder+ego")
    readout.fit(few)
    assert readout.directions is not None
    cut = few @ readout.directions
    assert torch.allclose(cut @ cut.t(), few @ few.t(), atol=1e-4)

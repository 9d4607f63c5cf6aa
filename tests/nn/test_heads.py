import torch

from pingda.nn import Projector


def test_the_projector_is_two_layers_with_a_relu() -> None:
    head, h = Projector(6, 9), torch.randn(4, 6)
    expected = head.outer(torch.relu(head.inner(h)))
    assert torch.equal(head(h), expected)
    assert head(h).shape == (4, 6)
    assert Projector(6).inner.out_features == 6

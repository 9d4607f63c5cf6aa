from pingda.nn import GCN
from pingda.nn.channels import Channels
from pingda.nn.encoders import make_encoder


def test_names_and_widths() -> None:
    gcn = make_encoder("gcn", 5, 7, 3, "relu")
    assert isinstance(gcn, GCN)
    assert (gcn.first.weight.shape, gcn.second.weight.shape) == ((5, 7), (7, 3))
    channels = make_encoder("channels", 5, 7, 3, "prelu")
    assert isinstance(channels, Channels)
    assert channels.weight.shape == (5, 3)

"""Encoders by name."""

from typing import Literal

from pingda.nn.channels import Channels
from pingda.nn.gcn import GCN, Activation

Architecture = Literal["gcn", "channels"]


def make_encoder(
    name: Architecture, in_channels: int, hidden: int, dim: int, activation: Activation
) -> GCN | Channels:
    """Make an encoder of views.

    Args:
        name: ``gcn``, two graph convolutions, for graphs whose edges join nodes of a
            kind; ``channels`` where they need not (it has one layer, no ``hidden``, and
            PReLU throughout).
        in_channels: Number of node features.
        hidden: Width of the hidden layer.
        dim: Width of the embedding.
        activation: Activation of ``gcn``.
    """
    if name == "channels":
        return Channels(in_channels, dim)
    return GCN(in_channels, hidden, dim, activation)

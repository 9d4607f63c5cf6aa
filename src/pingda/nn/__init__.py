"""Encoders that take edge weights, and heads."""

from pingda.nn.gcn import GCN as GCN
from pingda.nn.heads import Projector as Projector

"""Graphs: where they come from, what they must be, and how the rooms see them."""

from pingda.graph.graph import Graph as Graph
from pingda.graph.sparse import Features as Features
from pingda.graph.sparse import SparseFeatures as SparseFeatures
from pingda.graph.view import GraphView as GraphView

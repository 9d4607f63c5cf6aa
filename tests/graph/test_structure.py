import torch
from hypothesis import given
from hypothesis import strategies as st

from pingda.graph.structure import EdgeStructure

edge_lists = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=40
)


def structure_of(edges: list[tuple[int, int]]) -> EdgeStructure:
    return EdgeStructure(torch.tensor(edges).t().contiguous(), 8)


@given(edge_lists)
def test_the_pattern_sums_what_comes_in(edges: list[tuple[int, int]]) -> None:
    structure = structure_of(edges)
    weights = torch.arange(1.0, len(edges) + 1)
    expected = torch.zeros(8, 8)
    for (source, target), weight in zip(edges, weights, strict=True):
        expected[target, source] += weight
    filled = structure.pattern.filled(structure.sort(weights)).to_dense()
    assert torch.equal(filled, expected)


@given(edge_lists)
def test_both_directions_share_a_pair(edges: list[tuple[int, int]]) -> None:
    pairs, pair_of_edge = structure_of(edges).pairing
    unordered = [tuple(sorted(edge)) for edge in edges]
    assert [tuple(pairs[:, pair].tolist()) for pair in pair_of_edge] == unordered
    assert pairs.shape[1] == len(set(unordered))


def test_sorted_edges_are_not_copied() -> None:
    structure = structure_of([(1, 0), (0, 1), (2, 1)])
    weights = torch.rand(3)
    assert structure.order is None
    assert structure.sort(weights) is weights

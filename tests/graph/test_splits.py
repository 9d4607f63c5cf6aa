from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pingda.errors import PingdaError
from pingda.graph import Graph
from pingda.graph.splits import (
    UNUSED,
    Split,
    draw_all_parts,
    draw_parts,
    labelled,
    read_splits,
    store_splits,
)


@given(st.integers(10, 300), st.integers(0, 50), st.integers(0, 20))
def test_a_split_cuts_the_labelled_nodes_10_10_80(
    known: int, unknown: int, seed: int
) -> None:
    y = torch.cat([torch.arange(known) % 3, torch.full((unknown,), -1)])
    parts = draw_parts(y, seed)
    split = Split.of_parts(parts)
    assert len(split.train) == len(split.validation) == known // 10
    together = np.concatenate([split.train, split.validation, split.test])
    assert sorted(together.tolist()) == list(range(known))
    assert (parts[known:] == UNUSED).all()


def test_splits_depend_on_the_seed_alone(toy: Graph) -> None:
    assert toy.y is not None
    assert np.array_equal(draw_parts(toy.y, 3), draw_parts(toy.y.flip(0), 3))
    assert not np.array_equal(draw_parts(toy.y, 3), draw_parts(toy.y, 4))
    assert np.array_equal(draw_all_parts(toy.y, 5)[3], draw_parts(toy.y, 3))


def test_splits_come_back_from_their_file(tmp_path: Path, toy: Graph) -> None:
    assert toy.y is not None
    parts = draw_all_parts(toy.y, 4)
    store_splits(tmp_path / "splits.npz", parts)
    assert np.array_equal(read_splits(tmp_path / "splits.npz"), parts)
    (tmp_path / "splits.npz").write_bytes(b"damaged")
    with pytest.raises(PingdaError, match="cannot read .*splits.npz"):
        read_splits(tmp_path / "splits.npz")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "has no labels"),
        (torch.full((60,), -1), "has no labels"),
        (torch.zeros(60, dtype=torch.long), "one class only"),
        (torch.tensor([0] * 30 + [1] * 29 + [2]), r"class with one node \(class 2\)"),
        (torch.tensor([0, 0, 1, 1] + [-1] * 56), "4 labelled nodes"),
    ],
)
def test_graphs_that_cannot_be_split(
    toy: Graph, y: torch.Tensor | None, message: str
) -> None:
    with pytest.raises(PingdaError, match=message):
        labelled(replace(toy, y=y))


def test_a_benchmark_with_a_lone_class_is_split_as_it_is(toy: Graph) -> None:
    y = torch.tensor([0] * 30 + [1] * 29 + [2])
    assert labelled(replace(toy, y=y, benchmark=True)) is y

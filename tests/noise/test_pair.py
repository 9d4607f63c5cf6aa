from itertools import product
from typing import get_args

import pytest
import torch

from pingda.graph import Graph
from pingda.graph.sparse import dense
from pingda.noise.base import Draw
from pingda.noise.pair import NoisePair
from pingda.noise.settings import Kind, NoiseSettings


def pair(**values: object) -> NoisePair:
    return NoisePair(12, NoiseSettings.model_validate(values))


def touched(draw: Draw, toy: Graph) -> tuple[bool, bool]:
    """Tell whether edges and features were disturbed."""
    return draw.keep is not None, not torch.equal(dense(draw.view.x), dense(toy.x))


@pytest.mark.parametrize(("edge", "feature"), list(product(get_args(Kind), repeat=2)))
def test_the_ablation_is_three_values_of_two_settings(
    toy: Graph, edge: str, feature: str, generator: torch.Generator
) -> None:
    """Random noise disturbs both views, learned noise the second, none neither."""
    noise = pair(edge=edge, feature=feature)
    anchor, noisy = noise.draw(toy.view(), generator)
    assert touched(anchor, toy) == (edge == "random", feature == "random")
    assert touched(noisy, toy) == (edge != "none", feature != "none")
    assert (noise.edge_noise is not None) == (edge == "learned")
    assert (noise.feature_noise is not None) == (feature == "learned")


def test_learned_noise_in_both_views_is_one_module_drawn_twice(
    toy: Graph, generator: torch.Generator
) -> None:
    noise = pair(edge_views="both", feature_views="both")
    anchor, noisy = noise.draw(toy.view(), generator)
    assert touched(anchor, toy) == (True, True)
    assert anchor.keep is not None
    assert noisy.keep is not None
    assert not torch.equal(anchor.keep, noisy.keep)
    assert noise.anchor_parts == noise.noisy_parts
    names = [name for name, _ in noise.named_parameters()]
    assert len(names) == len(set(names)) == 4 + 8


def test_the_released_views(toy: Graph, generator: torch.Generator) -> None:
    """Feature noise in both views, edge noise in the second alone."""
    anchor, noisy = pair(feature_views="both").draw(toy.view(), generator)
    assert touched(anchor, toy) == (False, True)
    assert touched(noisy, toy) == (True, True)


def test_the_anchor_can_be_disturbed_at_random(
    toy: Graph, generator: torch.Generator
) -> None:
    noise = pair(anchor="random", edge_rate=(0.5, 0.1), feature_rate=(0.5, 0.1))
    anchor, noisy = noise.draw(toy.view(), generator)
    assert anchor.keep is not None
    assert 0.3 < float((anchor.keep == 0).float().mean()) < 0.7
    assert noisy.keep is not None
    assert float((noisy.keep == 0).float().mean()) == 0
    assert touched(anchor, toy) == (True, True)


def test_each_view_has_its_own_rate(cora: Graph) -> None:
    settings = NoiseSettings(edge="random", feature="random", edge_rate=(0.1, 0.7))
    noise = NoisePair(cora.features, settings)
    anchor, noisy = noise.draw(cora.view(), torch.Generator().manual_seed(0))
    assert anchor.keep is not None
    assert noisy.keep is not None
    assert abs(float(anchor.keep.mean()) - 0.9) < 0.03
    assert abs(float(noisy.keep.mean()) - 0.3) < 0.03


@pytest.mark.parametrize("family", ["mask", "gaussian"])
def test_a_budget_disturbs_both_views_each_at_its_rate(
    toy: Graph, generator: torch.Generator, family: str
) -> None:
    noise = pair(
        power="budget",
        sampling="hard",
        mean="zero",
        family=family,
        edge_rate=(0.2, 0.7),
        feature_rate=(0.1, 0.6),
    )
    anchor, noisy = noise.draw(toy.view(), generator)
    assert touched(anchor, toy) == (True, True)
    assert touched(noisy, toy) == (True, True)
    assert anchor.keep is not None
    assert noisy.keep is not None
    assert float(anchor.keep.mean()) == pytest.approx(0.8, abs=0.1)
    assert float(noisy.keep.mean()) == pytest.approx(0.3, abs=0.1)
    names = [name for name, _ in noise.named_parameters()]
    assert len(names) == len(set(names)) == 4 + (1 if family == "mask" else 4)


def test_a_budget_of_nothing_leaves_a_view_clean(
    toy: Graph, generator: torch.Generator
) -> None:
    rates = {"edge_rate": (0.0, 0.5), "feature_rate": (0.0, 0.4)}
    anchor, noisy = pair(power="budget", **rates).draw(toy.view(), generator)
    assert touched(anchor, toy) == (False, False)
    assert touched(noisy, toy) == (True, True)


def test_random_noise_is_its_own_uninformed_noise(toy: Graph) -> None:
    pair = NoisePair(12, NoiseSettings(edge="random", feature="random"))
    blind = pair.uninformed(toy.view())
    assert blind.noisy_parts == pair.noisy_parts
    learned = NoisePair(12, NoiseSettings())
    assert learned.uninformed(toy.view()).noisy_parts != learned.noisy_parts
    assert learned.edge_noise is not None
    assert learned.edge_noise.informed

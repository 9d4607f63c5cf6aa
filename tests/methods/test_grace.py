from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from oracles.infonce import info_nce as plain_loss
from pingda.errors import PingdaError
from pingda.experiments.fit import fit
from pingda.experiments.recipe import load_recipe
from pingda.graph import Graph
from pingda.methods.grace import GRACE, GRACESettings
from pingda.methods.settings import resolve
from pingda.noise import EdgeDrop, EdgeNoise, FeatureMask
from pingda.seeding import Streams, initialise

SMALL = {"hidden": 16, "dim": 8, "epochs": 3, "precision": "fp32"}


def make(features: int, **chosen: Any) -> tuple[GRACE, Streams]:
    settings = resolve(GRACESettings, {}, {**SMALL, **chosen})
    streams = Streams(0, torch.device("cpu"))
    method = GRACE(features, settings)
    initialise(method, streams["init"])
    return method, streams


def test_the_loss_is_that_of_two_random_views(toy: Graph) -> None:
    """By hand: the same draws in the same order, plain modules and a plain loss."""
    method, streams = make(12)
    (update,) = method.updates(toy.view(), streams)
    source = Streams(0, torch.device("cpu"))["noise"]
    sides = []
    for edges, columns in ((0.2, 0.3), (0.4, 0.4)):
        view = EdgeDrop(edges).draw(toy.view(), source).view
        view = FeatureMask(columns).draw(view, source).view
        h = method.encoder(view)
        head = method.projector
        sides.append(head.outer(torch.nn.functional.elu(head.inner(h))))
    torch.testing.assert_close(update.loss, plain_loss(*sides, 0.4), rtol=1e-5, atol=0)


def test_gradients_reach_exactly_what_is_trained(toy: Graph) -> None:
    method, streams = make(12)
    (update,) = method.updates(toy.view(), streams)
    update.loss.backward()
    (learner,) = method.learners().values()
    owned = {id(p) for group in learner.param_groups for p in group["params"]}
    assert owned == {id(p) for p in method.parameters()}
    for name, parameter in method.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


@pytest.mark.parametrize("noise", ["pingda", "budgeted"])
def test_learned_noise_takes_the_place_of_random_noise_by_one_setting(
    toy: Graph, noise: str
) -> None:
    method, streams = make(12, noise=noise)
    assert isinstance(method.noise.edge_noise, EdgeNoise)
    assert set(method.learners()) == {"encoder", "edge_noise", "feature_noise"}
    (update,) = method.updates(toy.view(), streams)
    update.loss.backward()
    for name, parameter in method.named_parameters():
        assert parameter.grad is not None, name
    plain = make(12)[0].settings
    assert method.settings.model_copy(update={"noise": plain.noise}) == plain


def test_a_single_setting_goes_over_the_name() -> None:
    settings = make(12, **{"noise": "pingda", "noise.feature": "none"})[0].settings
    assert (settings.noise.edge, settings.noise.feature) == ("learned", "none")
    assert settings.noise.edge_rate == (0.2, 0.4)
    with pytest.raises(PingdaError, match="unknown noise 'pinda'.*pingda"):
        make(12, noise="pinda")


def test_recipes_hold_the_authors_values() -> None:
    """The second layer is h wide and the first one 2 h; Cora's are the defaults."""
    found = {
        name: resolve(GRACESettings, load_recipe(f"grace_{name}").settings, {})
        for name in ("cora", "citeseer", "pubmed")
    }
    expected = resolve(GRACESettings, {}, {"normalize_features": True})
    assert found["cora"] == expected
    assert expected.noise.edge == expected.noise.feature == "random"
    for settings in found.values():
        assert settings.hidden == 2 * settings.dim
        assert settings.weight_decay == 1e-5
    assert found["citeseer"].noise.edge_rate == (0.2, 0.0)
    assert found["pubmed"].noise.feature_rate == (0.0, 0.2)


@pytest.mark.usefixtures("mirror")
def test_on_cora_it_stands_high_above_the_raw_features() -> None:
    run = fit("cora", "grace", settings={"epochs": 100, "meter": 0})
    result = run.evaluate(splits=5)
    assert result.mean > result.raw_features_mean + 0.1
    assert result.mean > 0.80
    assert run.config.recipe == "grace_cora"


def test_the_same_seed_gives_the_same_bits(toy: Graph) -> None:
    runs = [fit(replace(toy), "grace", settings=SMALL).embeddings for _ in range(2)]
    assert np.array_equal(*runs)

from itertools import product
from typing import Any

import pytest
import torch

from pingda.graph import Graph
from pingda.losses import info_nce
from pingda.methods.pingda import PiNGDA, PiNGDASettings
from pingda.methods.settings import resolve
from pingda.seeding import Streams, initialise
from pingda.training.loop import embed, train
from pingda.training.state import TrainingState

SMALL = {"hidden": 16, "dim": 8, "epochs": 3}


def make(features: int, **chosen: Any) -> tuple[PiNGDA, Streams]:
    settings = resolve(PiNGDASettings, {}, {**SMALL, **chosen})
    streams = Streams(0, torch.device("cpu"))
    method = PiNGDA(features, settings)
    initialise(method, streams["init"])
    return method, streams


@pytest.mark.parametrize("profile", ["paper", "released", "budgeted"])
def test_one_backward_reaches_encoder_and_both_generators(
    toy: Graph, profile: str
) -> None:
    method, streams = make(12, profile=profile)
    (update,) = method.updates(toy.view(), streams)
    update.loss.backward()
    learners = method.learners()
    assert list(learners) == ["encoder", "edge_noise", "feature_noise"]
    owned = [p for o in learners.values() for g in o.param_groups for p in g["params"]]
    assert {id(p) for p in owned} == {id(p) for p in method.parameters()}
    assert len(owned) == len(list(method.parameters()))
    for name, parameter in method.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_rates_of_the_three_optimisers() -> None:
    learners = make(12)[0].learners()
    found = {
        name: (o.param_groups[0]["lr"], o.param_groups[0]["weight_decay"])
        for name, o in learners.items()
    }
    assert found == {
        "encoder": (5e-4, 1e-4),
        "edge_noise": (1e-4, 1e-4),
        "feature_noise": (1e-3, 1e-4),
    }


def test_the_loss_is_that_of_clean_against_noisy(toy: Graph) -> None:
    """§1.2b by hand: same draws, plain tensors."""
    method, streams = make(12)
    (update,) = method.updates(toy.view(), streams)
    again = Streams(0, torch.device("cpu"))["noise"]
    anchor, noisy = method.noise.draw(toy.view(), again)
    assert anchor.view.edge_weight is None
    assert anchor.view.x is toy.x
    p, q = (method.projector(method.encoder(d.view)) for d in (anchor, noisy))
    expected = info_nce(p, q, 0.3, symmetric=True, precision="auto")
    torch.testing.assert_close(update.loss, expected)


def test_the_embedding_is_the_encoder_on_the_clean_graph(toy: Graph) -> None:
    method, _ = make(12)
    view = toy.view()
    assert torch.equal(embed(method, view), method.encoder(view))
    assert torch.equal(embed(method, view), embed(method, view))


def options() -> list[dict[str, Any]]:
    kinds = ("none", "random", "learned")
    return [
        *({"noise.edge": e, "noise.feature": f} for e, f in product(kinds, kinds)),
        {"noise.feature_views": "both", "noise.edge_views": "both"},
        {"noise.mean": "zero"},
        {"noise.sampling": "hard"},
        {"noise.symmetric": False},
        {"noise.degrees": "clean"},
        {"noise.deviation": "softplus"},
        {"noise.deviation": "exp"},
        {"noise.gain": 0.1},
        {"noise.temperature": 0.5},
        {"noise.anchor": "random"},
        {"noise.scorer": "embed"},
        {"noise.power": "budget"},
        {"noise.power": "budget", "noise.family": "mask"},
        {"noise.family": "laplace"},
        {"noise.family": "uniform"},
        {"noise.family": "mask"},
        {"negatives": "minibatch"},
        {"symmetric_loss": False},
        {"activation": "relu"},
    ]


@pytest.mark.parametrize("chosen", options(), ids=str)
def test_every_option_trains_and_is_another_method(
    toy: Graph, chosen: dict[str, Any]
) -> None:
    results = []
    for values in (chosen, {}):
        method, streams = make(12, **values)
        state = TrainingState(method, streams, 3)
        train(state, [toy.view()])
        results.append(embed(method, toy.view()))
    assert torch.isfinite(results[0]).all()
    default = chosen == {"noise.edge": "learned", "noise.feature": "learned"}
    # With 60 nodes, a block of 256 is the whole graph: only the order differs.
    if chosen != {"negatives": "minibatch"}:
        assert torch.equal(results[0], results[1]) == default


def test_joint_minimisation_lets_the_noise_fade(digits: Graph) -> None:
    """The paper's objective is minimised by no noise; the log must show the way."""
    method, streams = make(
        64, hidden=64, dim=32, **{"noise.edge_lr": 1e-3, "noise.feature_lr": 1e-2}
    )
    rows: list[dict[str, float]] = []
    state = TrainingState(method, streams, 40)
    train(state, [digits.view()], [lambda _state, row: rows.append(row)], digits.y)
    assert 0.4 < rows[0]["keep_mean"] < 0.6  # logits are small at the start
    assert rows[-1]["keep_mean"] > 0.75
    assert rows[-1]["deviation"] < 0.5 * rows[0]["deviation"]
    assert rows[-1]["keep_below_half"] < rows[0]["keep_below_half"]
    assert {"keep_intra_class", "keep_inter_class", "positive_cosine"} <= rows[
        -1
    ].keys()


def test_a_budget_keeps_the_noise_alive_where_free_noise_fades(digits: Graph) -> None:
    method, streams = make(64, profile="budgeted", hidden=64, dim=32)
    rows: list[dict[str, float]] = []
    state = TrainingState(method, streams, 40)
    train(state, [digits.view()], [lambda _state, row: rows.append(row)], digits.y)
    for row in rows:
        assert row["keep_mean"] == pytest.approx(0.4, abs=0.03)
        assert row["noise_to_signal"] > 0.3
    # The probabilities moved: edges between classes are now dropped more often.
    last = rows[-5:]
    kept = [sum(row[f"keep_{k}_class"] for row in last) for k in ("inter", "intra")]
    assert kept[0] < kept[1]


@pytest.mark.parametrize("encoder", ["gcn", "channels"])
@pytest.mark.parametrize("profile", ["paper", "budgeted"])
def test_noise_on_edges_and_features_reaches_every_encoder(
    toy: Graph, encoder: str, profile: str
) -> None:
    method, streams = make(12, profile=profile, encoder=encoder)
    (update,) = method.updates(toy.view(), streams)
    update.loss.backward()
    for name, parameter in method.noise.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_the_readout_is_a_part_of_the_method(toy: Graph) -> None:
    method, streams = make(12, readout="encoder+ego+near", epochs=1)
    method.prepare(toy.view())
    train(TrainingState(method, streams, 1), [toy.view()])
    z = embed(method, toy.view())
    assert z.shape == (60, 3 * 8)
    assert torch.allclose(z.norm(dim=1), torch.full((60,), 3**0.5))
    assert "readout.directions" in method.state_dict()

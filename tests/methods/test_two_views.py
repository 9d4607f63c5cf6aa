import torch

from pingda.graph import Graph
from pingda.losses import info_nce
from pingda.methods.grace import GRACE, GRACESettings
from pingda.methods.pingda import PiNGDA, PiNGDASettings
from pingda.methods.settings import resolve
from pingda.seeding import Streams, initialise

CPU = torch.device("cpu")


def test_methods_of_the_family_differ_by_their_settings_alone(toy: Graph) -> None:
    """Given the same settings, PiNGDA and GRACE are the same to the bit."""
    chosen = {
        "hidden": 16, "dim": 8, "tau": 0.4, "activation": "relu", "weight_decay": 1e-5,
        "head_activation": "relu", "noise.edge": "random", "noise.feature": "random",
        "precision": "fp32",
    }  # fmt: skip
    losses = []
    for kind, settings in ((PiNGDA, PiNGDASettings), (GRACE, GRACESettings)):
        method, streams = kind(12, resolve(settings, {}, chosen)), Streams(0, CPU)
        initialise(method, streams["init"])
        (update,) = method.updates(toy.view(), streams)
        losses.append(update.loss.detach())
    assert torch.equal(*losses)


def test_without_noise_both_views_are_the_graph(toy: Graph) -> None:
    chosen = {"noise": "none", "hidden": 16, "dim": 8, "precision": "fp32"}
    found = PiNGDA(12, resolve(PiNGDASettings, {}, chosen))
    streams = Streams(0, CPU)
    initialise(found, streams["init"])
    (update,) = found.updates(toy.view(), streams)
    p = found.projector(found.encoder(toy.view()))
    assert torch.allclose(update.loss, info_nce(p, p, 0.3))
    assert float(update.metrics["positive_cosine"]) > 0.9999
    assert found.measure(toy.view(), streams)["information"] == 0

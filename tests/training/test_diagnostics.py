import torch

from pingda.graph import GraphView
from pingda.methods.base import Update
from pingda.noise.base import Draw
from pingda.training.diagnostics import summarise

EDGES = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
VIEW = GraphView(torch.ones(4, 1), EDGES)


def test_kept_weights_are_split_by_known_labels() -> None:
    draw = Draw(
        VIEW,
        torch.tensor([0.2, 0.4, 0.6, 1.0]),
        lambda: {"deviation": torch.tensor(2.0)},
    )
    update = Update(torch.tensor(3.0), (draw,), {"positive_cosine": torch.tensor(0.5)})
    line = summarise(update, EDGES, torch.tensor([0, 0, 1, -1]))
    expected = {
        "loss": 3.0,
        "keep_mean": 0.55,
        "keep_below_half": 0.5,
        "keep_intra_class": 0.2,
        "keep_inter_class": 0.4,
        "deviation": 2.0,
        "positive_cosine": 0.5,
    }
    assert line.keys() == expected.keys()
    assert all(abs(line[key] - expected[key]) < 1e-6 for key in expected)


def test_without_labels_and_without_noise() -> None:
    assert summarise(Update(torch.tensor(1.0), (Draw(VIEW),)), EDGES, None) == {
        "loss": 1.0
    }
    keep = Draw(VIEW, torch.ones(4))
    line = summarise(Update(torch.tensor(1.0), (keep,)), EDGES, None)
    assert "keep_intra_class" not in line

import numpy as np
import torch
from torch import Generator, Tensor

from pingda.evaluation.authors import AuthorsRule, probe_scores
from pingda.graph.splits import TEST, TRAIN, VALIDATION, draw_all_parts, draw_parts


def blobs(n: int = 100) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(n) % 2
    z = torch.randn(n, 3, generator=generator) + 1.2 * torch.eye(2, 3)[y]
    return z, y


def plain_score(
    z: Tensor, y: Tensor, parts: np.ndarray, weight: Tensor, steps: int
) -> float:
    """The rule for one split: nn.Linear and the published tie-break, step by step."""
    layer = torch.nn.Linear(z.shape[1], int(y.max()) + 1)
    layer.weight.data, layer.bias.data = (
        weight.t().clone(),
        torch.zeros_like(layer.bias),
    )
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.01)
    train, validation, test = (
        torch.from_numpy(parts == p) for p in (TRAIN, VALIDATION, TEST)
    )
    best = (-1.0, -1.0)
    for _ in range(steps):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(layer(z[train]), y[train]).backward()
        optimiser.step()
        right = layer(z).argmax(dim=1) == y
        seen = tuple(float(right[m].float().mean()) for m in (validation, test))
        best = max(best, seen)
    return best[1]


def test_all_splits_at_once_are_the_rule_one_by_one() -> None:
    z, y = blobs()
    parts = draw_all_parts(y, 3)
    weight = torch.empty(3, 3, 2)
    weight.uniform_(-(3**-0.5), 3**-0.5, generator=Generator().manual_seed(1))
    expected = [plain_score(z, y, parts[i], weight[i], 60) for i in range(3)]
    found = probe_scores(z, y, parts, Generator().manual_seed(1), steps=60)
    assert np.allclose(found, expected, atol=0.015)  # one node of 80, by rounding


def test_unlabelled_nodes_take_no_part() -> None:
    z, y = blobs()
    more_z = torch.cat([z, torch.full((5, 3), 1e3)])
    more_y = torch.cat([y, torch.full((5,), -1)])
    parts = draw_parts(more_y, 0)[None]
    with_unknown = probe_scores(more_z, more_y, parts, Generator().manual_seed(0), 50)
    without = probe_scores(z, y, parts[:, :100], Generator().manual_seed(0), 50)
    assert with_unknown == without


def test_the_largest_of_many_fresh_splits_flatters() -> None:
    """Embeddings that say nothing look better the more often the rule looks."""
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(150) % 2
    rule = AuthorsRule(y, repeats=4, seed=0)
    results = []
    for _ in range(8):
        rule.look(torch.randn(150, 4, generator=generator))
        results.append(float(np.mean(rule.result())))
    assert results == sorted(results)
    assert results[-1] > results[0] + 0.03
    assert len(rule.scores) == 8
    assert len(rule.result()) == 4
    assert len({tuple(scores) for scores in rule.scores}) == 8

import torch

from pingda.experiments.config import DataSummary, RunConfig
from pingda.experiments.job import Job
from pingda.graph import Graph


def test_the_seed_decides_over_every_parameter(toy: Graph) -> None:
    def parameters(seed: int) -> list[torch.Tensor]:
        torch.manual_seed(99 + seed)  # PyTorch's global state has no say
        config = RunConfig(
            source="toy",
            method="pingda",
            recipe=None,
            seed=seed,
            settings={"dim": 4, "hidden": 8, "device": "cpu"},
            data=DataSummary.of(toy),
        )
        return list(Job(config).state.method.parameters())

    torch.rand(3)
    first, again, other = parameters(0), parameters(0), parameters(1)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    # Zero biases and the slope of PReLU are the same for every seed.
    differ = [not torch.equal(a, b) for a, b in zip(first, other, strict=True)]
    assert sum(differ) >= len(differ) - 3

from typing import Any

import pytest

from pingda.errors import PingdaError
from pingda.experiments.config import DataSummary, RunConfig
from pingda.graph import Graph


def config(graph: Graph, **changes: Any) -> RunConfig:
    base: dict[str, Any] = {
        "source": "toy",
        "method": "pingda",
        "recipe": None,
        "seed": 0,
        "settings": {"lr": 0.1},
        "data": DataSummary.of(graph),
    }
    return RunConfig(**(base | changes))


def test_it_comes_back_from_plain_values(toy: Graph) -> None:
    whole = config(toy)
    assert RunConfig.read(whole.model_dump(mode="json"), "here") == whole


def test_differences_that_decide_are_named(toy: Graph) -> None:
    one = config(toy)
    assert one.difference(config(toy, recipe="x", pingda="9")) is None
    assert one.difference(config(toy, seed=1)) == "seed is 0 there and 1 here"
    assert one.difference(config(toy, settings={"lr": 0.2})) == (
        "lr is 0.1 there and 0.2 here"
    )


def test_a_strange_file_is_one_sentence(toy: Graph) -> None:
    content = config(toy).model_dump(mode="json")
    for change in ({"seed": "x"}, {"extra": 1}):
        with pytest.raises(PingdaError, match="here is no run's configuration"):
            RunConfig.read({**content, **change}, "here")

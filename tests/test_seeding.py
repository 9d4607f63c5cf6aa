import torch
from torch import nn

from pingda.nn import GCN
from pingda.seeding import Streams, derive, initialise

CPU = torch.device("cpu")


def draw(streams: Streams, purpose: str) -> list[float]:
    numbers: list[float] = torch.rand(4, generator=streams[purpose]).tolist()
    return numbers


def test_purposes_do_not_disturb_each_other() -> None:
    one, other = Streams(7, CPU), Streams(7, CPU)
    draw(one, "init")
    assert draw(one, "noise") == draw(other, "noise")


def test_seeds_and_purposes_give_different_numbers() -> None:
    assert draw(Streams(1, CPU), "noise") != draw(Streams(2, CPU), "noise")
    assert draw(Streams(1, CPU), "noise") != draw(Streams(1, CPU), "init")


def test_a_state_goes_on_where_it_was_taken() -> None:
    streams = Streams(3, CPU)
    state = streams.state()
    first = draw(streams, "noise")
    streams.restore(state)
    assert draw(streams, "noise") == first


def test_derived_seeds_fit_every_generator() -> None:
    assert all(0 <= derive(seed, "x") < 2**63 for seed in range(100))


def test_initialise_draws_all_parameters_from_the_generator() -> None:
    def make(global_seed: int) -> nn.Module:
        torch.manual_seed(global_seed)
        module = nn.Sequential(GCN(5, 4, 3), nn.Linear(3, 2))
        initialise(module, torch.Generator().manual_seed(0))
        return module

    one, other = make(1).state_dict(), make(2).state_dict()
    assert all(torch.equal(one[key], other[key]) for key in one)


def test_linear_layers_follow_pytorchs_rule() -> None:
    layer = nn.Linear(400, 300)
    initialise(layer, torch.Generator().manual_seed(0))
    assert layer.weight.abs().max() <= 1 / 20
    assert abs(float(layer.weight.detach().std()) - 1 / 20 / 3**0.5) < 1e-3

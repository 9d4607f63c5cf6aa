import torch

from pingda.graph import Graph
from pingda.training.loop import train
from pingda.training.state import pack, unpack
from training.test_checkpoint import fresh


def test_nothing_is_left_out_of_a_state(toy: Graph) -> None:
    state = fresh(2)
    train(state, [toy.view()])
    names = pack(state).keys()
    streams = {"stream/init", "stream/noise", "stream/batches", "stream/sampling"}
    assert {"epoch"} | streams <= names
    moments = [name for name in names if name.endswith("/exp_avg")]
    assert len(moments) == len(list(state.method.parameters()))


def test_unpacking_goes_back_to_where_it_was_packed(toy: Graph) -> None:
    state = fresh(6)
    state.epochs = 2
    train(state, [toy.view()])
    then = {name: tensor.clone() for name, tensor in pack(state).items()}
    state.epochs = 6
    train(state, [toy.view()])
    assert not torch.equal(pack(state)["stream/noise"], then["stream/noise"])
    unpack(then, state)
    again = pack(state)
    assert again.keys() == then.keys()
    assert all(torch.equal(again[name], then[name]) for name in then)
    assert state.epoch == 2

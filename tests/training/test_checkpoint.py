from pathlib import Path

import pytest
import torch

from pingda.errors import PingdaError
from pingda.graph import Graph
from pingda.methods.pingda import PiNGDA, PiNGDASettings
from pingda.methods.settings import resolve
from pingda.seeding import Streams, initialise
from pingda.training.checkpoint import (
    Checkpointer,
    read_tensors,
    write_state,
    write_weights,
)
from pingda.training.loop import train
from pingda.training.state import TrainingState, pack, unpack


def fresh(epochs: int) -> TrainingState:
    settings = resolve(
        PiNGDASettings,
        {},
        {
            "hidden": 16,
            "dim": 8,
            "noise.feature_views": "both",
            "negatives": "minibatch",
        },
    )
    streams = Streams(1, torch.device("cpu"))
    method = PiNGDA(12, settings)
    initialise(method, streams["init"])
    return TrainingState(method, streams, epochs)


def test_a_stored_state_goes_on_to_the_same_bits(tmp_path: Path, toy: Graph) -> None:
    whole = fresh(9)
    train(whole, [toy.view()])
    first = fresh(4)
    train(first, [toy.view()])
    write_state(tmp_path / "state.safetensors", first)
    second = fresh(9)
    unpack(read_tensors(tmp_path / "state.safetensors"), second)
    assert second.epoch == 4
    train(second, [toy.view()])
    expected, found = pack(whole), pack(second)
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[key], found[key]) for key in expected)


def test_damaged_or_missing_files_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "state.safetensors"
    with pytest.raises(PingdaError, match="cannot read"):
        read_tensors(path)
    write_weights(path, torch.nn.Linear(3, 2))
    whole = path.read_bytes()
    for content in (b"", b"garbage", whole[:20], whole[:-1], b"\xff" * 100):
        path.write_bytes(content)
        with pytest.raises(PingdaError, match="is damaged"):
            read_tensors(path)


def test_checkpoints_keep_their_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    """A write of 1 s at 2 % of the time allows the next one after 50 s."""
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    written: list[float] = []

    def write(_state: TrainingState) -> None:
        nonlocal now
        now += 1.0
        written.append(now)

    checkpointer = Checkpointer(write, at_least=5.0)
    state = fresh(1)
    for second in range(1, 121):
        now = max(now, float(second))
        checkpointer(state, {})
    assert written == [6.0, 57.0, 108.0]

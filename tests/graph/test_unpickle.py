import io
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from pingda.errors import PingdaError
from pingda.graph.unpickle import load_arrays


class Runs:
    """A pickle that calls any function when it is loaded."""

    def __init__(self, function: Any, *words: Any) -> None:
        self.call = (function, words)

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_arrays_and_sparse_matrices_come_back(tmp_path: Path, protocol: int) -> None:
    for number, value in enumerate(
        (np.arange(6.0).reshape(2, 3), sp.eye(3, format="csr"))
    ):
        path = tmp_path / str(number)
        path.write_bytes(pickle.dumps(value, protocol=protocol))
        back = load_arrays(path)
        assert np.array_equal(
            back.toarray() if sp.issparse(back) else back,
            value.toarray() if sp.issparse(value) else value,
        )


@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize("function", [os.mkdir, exec, eval, print, getattr, io.open])
def test_nothing_is_executed(tmp_path: Path, function: Any, protocol: int) -> None:
    target = tmp_path / "ran"
    words = (str(target),)
    path = tmp_path / "attack"
    path.write_bytes(pickle.dumps(Runs(function, *words), protocol=protocol))
    with pytest.raises(PingdaError, match="which is no array"):
        load_arrays(path)
    assert not target.exists()


def test_an_attack_inside_an_array_of_objects_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "attack"
    attack = np.array([Runs(os.mkdir, str(tmp_path / "ran"))], dtype=object)
    path.write_bytes(pickle.dumps(attack, protocol=2))
    with pytest.raises(PingdaError, match="which is no array"):
        load_arrays(path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x05", b"c"])
def test_damage_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(PingdaError, match="is not a pickled array"):
        load_arrays(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PingdaError, match="cannot read"):
        load_arrays(tmp_path / "missing")

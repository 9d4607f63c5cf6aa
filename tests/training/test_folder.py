import json
from pathlib import Path

import numpy as np
import pytest

from pingda.errors import PingdaError
from pingda.files import write_arrays, write_yaml
from pingda.training.folder import FORMAT, RunFolder


def test_a_folder_says_how_far_its_run_is(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    assert not folder.begun
    folder.write_config({"pingda": "1", "seed": 3})
    assert folder.begun
    assert not folder.finished
    folder.result.write_text("{}")
    assert folder.finished
    assert folder.read_config() == {"pingda": "1", "seed": 3}


def test_folders_without_a_run_or_of_another_version(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with pytest.raises(PingdaError, match="holds no run"):
        folder.read_config()
    write_yaml(folder.config, {"format": FORMAT + 1, "pingda": "9.9"})
    with pytest.raises(PingdaError, match=r"another version of pingda \(9.9, format 2"):
        folder.read_config()


def test_a_torn_last_line_of_the_log_does_not_count(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert folder.read_metrics() == []
    for epoch in (1, 2):
        folder.log({"epoch": epoch, "loss": 0.1 + epoch})
    with folder.metrics.open("a") as file:
        file.write('{"epoch": 3, "lo')
    assert folder.read_metrics() == [
        {"epoch": 1, "loss": 1.1},
        {"epoch": 2, "loss": 2.1},
    ]


def test_a_log_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.metrics.mkdir()
    with pytest.raises(PingdaError, match="cannot write .*go on with --resume"):
        folder.log({"epoch": 1})


def test_embeddings_carry_their_ids(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    z, ids = np.eye(3), np.array(["a", "b", "c"])
    write_arrays(folder.embeddings, embeddings=z, ids=ids)
    found, names = folder.read_embeddings()
    assert np.array_equal(found, z)
    assert names.tolist() == ["a", "b", "c"]
    write_arrays(folder.embeddings, other=z)
    with pytest.raises(PingdaError, match="holds no embeddings"):
        folder.read_embeddings()


def test_the_log_is_one_json_object_a_line(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.rewrite_metrics([{"epoch": 1, "loss": 0.1}])
    folder.log({"epoch": 2, "loss": 1 / 3})
    lines = folder.metrics.read_text().splitlines()
    assert json.loads(lines[1])["loss"] == 1 / 3

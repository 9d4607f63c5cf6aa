import errno
import os
from pathlib import Path

import numpy as np
import pytest

from pingda.errors import PingdaError
from pingda.files import (
    read_arrays,
    read_json,
    read_yaml,
    write_arrays,
    write_bytes,
    write_json,
    write_yaml,
)


def test_a_full_disk_leaves_the_old_file_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PingdaError, match="No space left on device.* is kept"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PingdaError, match="cannot write"):
        write_bytes(tmp_path / "file" / "below", b"")


def test_files_get_the_usual_permissions(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"")
    (tmp_path / "b").write_bytes(b"")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_json_and_yaml_come_back(tmp_path: Path) -> None:
    value = {"b": [1, 2.5], "a": {"name": "Zürich"}}
    write_json(tmp_path / "v.json", value)
    write_yaml(tmp_path / "v.yaml", value)
    assert read_json(tmp_path / "v.json") == value
    assert read_yaml(tmp_path / "v.yaml") == value


@pytest.mark.parametrize("content", ["{", "[1]", "3", "", "a: b: c"])
def test_damaged_files_are_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    for read in (read_json, read_yaml):
        with pytest.raises(PingdaError, match=str(path)):
            read(path)


def test_yaml_runs_no_code(tmp_path: Path) -> None:
    path = tmp_path / "file"
    target = tmp_path / "ran"
    path.write_text(f"a: !!python/object/apply:os.mkdir ['{target}']\n")
    with pytest.raises(PingdaError):
        read_yaml(path)
    assert not target.exists()


@pytest.mark.parametrize("compress", [True, False])
def test_arrays_come_back(tmp_path: Path, compress: bool) -> None:
    write_arrays(tmp_path / "a.npz", compress, x=np.arange(5))
    assert read_arrays(tmp_path / "a.npz")["x"].tolist() == [0, 1, 2, 3, 4]


def test_broken_or_pickled_arrays_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with pytest.raises(PingdaError, match="there is no file"):
        read_arrays(path)
    np.savez(path, x=np.array([object()], dtype=object))
    with pytest.raises(PingdaError, match="cannot read"):
        read_arrays(path)
    write_arrays(path, compress=False, x=np.arange(100.0))
    whole = path.read_bytes()
    for content in (b"", b"garbage", b"PK\x03\x04", whole[:200], whole[:-30]):
        path.write_bytes(content)
        with pytest.raises(PingdaError, match="cannot read"):
            read_arrays(path)

from pathlib import Path

import pytest

from pingda.graph.places import data_folder, mirror


def test_both_folders_follow_their_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINGDA_MIRROR", str(tmp_path / "m"))
    monkeypatch.setenv("PINGDA_DATA", str(tmp_path / "d"))
    assert mirror() == tmp_path / "m"
    assert data_folder() == tmp_path / "d"


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PINGDA_MIRROR", raising=False)
    monkeypatch.delenv("PINGDA_DATA", raising=False)
    assert mirror() is None
    assert data_folder().name == "pingda"

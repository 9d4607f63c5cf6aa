import json
from pathlib import Path

import pytest

from conftest import Command


def test_mistakes_are_one_sentence(pingda: Command) -> None:
    for words, sentence in (
        (("studdy",), "did you mean 'study'"),
        (("study", "--methods", "randon"), "did you mean 'random'"),
        (("study", "--seeds", "0"), "at least 1"),
        (("study", "--datasets", "nowhere", "--trials", "1"), "nowhere"),
    ):
        done = pingda("reproduce", *words)
        assert done.returncode == 1, words
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("mirror")
def test_a_study_of_one_cell(pingda: Command, tmp_path: Path) -> None:
    words = ("reproduce", "study", "--datasets", "texas", "--methods", "none")
    small = (*words, "--seeds", "1", "--trials", "1", "-o", "out")
    first = pingda(*small)
    assert first.returncode == 0, first.stderr
    assert "| texas | none | 1 |" in first.stdout
    found = json.loads(pingda(*small, "--json").stdout)
    assert found["cells"] == 1
    assert (tmp_path / "out" / "study.md").read_text() in first.stdout

import json
from pathlib import Path

import pytest

from conftest import Command, make_toy, save_npz

QUICK = ("--set", "epochs=12", "--set", "dim=8", "--set", "hidden=16")
KEYS = {
    "protocol",
    "metric",
    "mean",
    "std",
    "n",
    "raw_features_mean",
    "raw_features_std",
    "ppr_features_mean",
    "ppr_features_std",
    "per_split",
}


def test_both_protocols_as_json_and_as_table(
    pingda: Command, tmp_path: Path, toy_file: Path
) -> None:
    pingda("fit", toy_file, *QUICK, "-o", "run")
    done = pingda("evaluate", "run", "--json")
    strict = json.loads(done.stdout)
    assert strict.keys() >= KEYS
    assert (strict["protocol"], strict["metric"]) == ("strict", "accuracy")
    assert strict["n"] == len(strict["per_split"]) == 20
    assert 0.5 < strict["mean"] <= 1.0
    assert strict == json.loads(pingda("evaluate", "run", "--json").stdout)
    paper = json.loads(
        pingda(
            "evaluate", "run", "--protocol", "paper", "--splits", "2", "--json"
        ).stdout
    )
    assert (paper["protocol"], paper["n"]) == ("paper", 2)
    stored = json.loads((tmp_path / "run" / "result.json").read_text())
    assert stored["evaluations"] == {"strict": strict, "paper": paper}
    table = pingda("evaluate", "run", "--splits", "3").stdout
    for piece in ("protocol strict", "raw features", "ppr", "pingda (paper)", "3"):
        assert piece in table


def test_labels_are_needed_and_the_data_must_be_the_same(
    pingda: Command, tmp_path: Path
) -> None:
    toy = make_toy()
    path = save_npz(tmp_path / "bare.npz", toy, y=None)
    assert pingda("fit", path, *QUICK, "-o", "bare").returncode == 0
    done = pingda("evaluate", "bare")
    assert done.returncode == 1
    assert "has no labels; evaluation needs them" in done.stderr
    path = save_npz(tmp_path / "changed.npz", toy)
    assert pingda("fit", path, *QUICK, "-o", "changed").returncode == 0
    save_npz(tmp_path / "changed.npz", make_toy(seed=9))
    done = pingda("evaluate", "changed")
    assert done.returncode == 1
    assert "has changed since the run was fitted" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--protocol", "lenient"), "unknown protocol 'lenient'"),
        (("--splits", "0"), "at least one split"),
    ],
)
def test_wrong_requests(
    pingda: Command, toy_file: Path, words: tuple[str, ...], sentence: str
) -> None:
    pingda("fit", toy_file, *QUICK, "-o", "run")
    done = pingda("evaluate", "run", *words)
    assert done.returncode == 1
    assert sentence in done.stderr

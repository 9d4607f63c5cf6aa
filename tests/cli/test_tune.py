import json
from pathlib import Path

from conftest import Command

QUICK = ("--set", "dim=8", "--set", "hidden=16", "--over", "epochs=1,20")


def test_search_then_fit_what_was_found(
    pingda: Command, toy_file: Path, tmp_path: Path
) -> None:
    words = ("tune", str(toy_file), *QUICK, "--trials", "2", "-o", str(tmp_path / "t"))
    first = pingda(*words)
    assert first.returncode == 0, first.stderr
    assert "validation accuracy" in first.stdout
    assert f"-r {tmp_path}/t/recipe.yaml" in first.stdout
    again = json.loads(pingda(*words, "--json").stdout)
    assert 0 < again["validation_accuracy"] <= 1
    assert again["settings"]["epochs"] in (1, 20)
    fitted = pingda(
        "fit", str(toy_file), "-r", str(tmp_path / "t/recipe.yaml"), "-o",
        str(tmp_path / "run"),
    )  # fmt: skip
    assert fitted.returncode == 0, fitted.stderr


def test_mistakes_are_one_sentence(pingda: Command, toy_file: Path) -> None:
    for words, sentence in (
        (("--over", "epochs=5"), "write several values"),
        (("--trials", "0"), "at least one trial"),
        (("--over", "epoch=1,2"), "did you mean 'epochs'"),
    ):
        done = pingda("tune", str(toy_file), *words)
        assert done.returncode == 1
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1

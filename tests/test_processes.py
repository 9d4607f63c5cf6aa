"""Real processes, joined over the loopback address."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import make_toy, save_npz
from pingda import processes

WORKER = Path(__file__).with_name("oracles") / "processes.py"
QUICK = ("--set", "epochs=4", "--set", "dim=16", "--set", "hidden=16")
LAUNCH = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]


def launch(
    folder: Path, *words: object, timeout: int = 300
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LAUNCH, "--standalone", *(str(word) for word in words)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def test_a_single_process_is_joined_to_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with processes.joined():
        assert not processes.together()
        assert (processes.rank(), processes.count()) == (0, 1)
        assert processes.any_of(True)
        assert not processes.any_of(False)
        processes.wait_for_all()
    assert processes.launched() == 1
    monkeypatch.setenv("RANK", "7")  # of somebody else's launcher
    assert processes.is_first()
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert not processes.is_first()


def test_losses_and_gradients_are_those_of_one_process(tmp_path: Path) -> None:
    """Every loss over two processes against the same loss in one."""
    found = {}
    for name, count in (("one", 1), ("two", 2)):
        command = [*LAUNCH[:-1], f"--nproc-per-node={count}", "--standalone"]
        done = subprocess.run(
            [*command, str(WORKER), name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found[name] = json.loads((tmp_path / f"{name}.json").read_text())
    assert found["one"].keys() == found["two"].keys()
    for key, value in found["one"].items():
        np.testing.assert_allclose(found["two"][key], value, rtol=1e-9, atol=1e-11)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return save_npz(tmp_path / "toy.npz", make_toy(nodes=200))


def embeddings(folder: Path) -> np.ndarray:
    found: np.ndarray = np.load(folder / "embeddings.npz")["embeddings"]
    return found


@pytest.mark.parametrize("more", [(), ("--set", "batch=50"), ("--set", "parts=2")])
def test_fit_over_two_processes_is_fit(
    tmp_path: Path, source: Path, more: tuple[str, ...]
) -> None:
    words = ("-m", "pingda", "fit", source, *QUICK, "--set", "precision=fp32", *more)
    done = launch(tmp_path, *words, "-o", "two", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["dir"] == "two"  # one process speaks
    lines = (tmp_path / "two" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == [1, 2, 3, 4]
    if "batch=50" in more:
        return  # each process samples neighbours of its own
    command = [sys.executable, *(str(word) for word in words), "-o", "one"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    one, two = (embeddings(tmp_path / name) for name in ("one", "two"))
    # Sums of another order, and Adam's first steps, which divide by their size.
    assert np.abs(one - two).max() < 1e-3 * np.abs(one).max()


def test_a_process_that_dies_ends_the_job_and_resume_goes_on(
    tmp_path: Path, source: Path
) -> None:
    words = ("fit", source, *QUICK, "--set", "epochs=300", "-o", "run")
    done = launch(tmp_path, WORKER, "dies", *words)
    assert done.returncode != 0
    sentence = "lost another process of this job, which ended early"
    told = [line for line in done.stderr.splitlines() if line.startswith("pingda: ")]
    assert [line for line in told if sentence in line or "--resume" in line], (
        done.stderr
    )
    assert "unexpected" not in done.stderr
    assert not (tmp_path / "run" / "result.json").exists()
    again = launch(tmp_path, "-m", "pingda", *words, "--resume")
    assert again.returncode == 0, again.stderr
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == list(range(1, 301))

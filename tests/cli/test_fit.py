"""The command ``fit``: what it leaves, and how it refuses, each in one sentence."""

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Command, make_toy, save_npz

QUICK = ("--set", "epochs=3", "--set", "dim=8", "--set", "hidden=16")
FILES = {
    "config.yaml",
    "metrics.jsonl",
    "model.safetensors",
    "state.safetensors",
    "embeddings.npz",
    "splits.npz",
    "result.json",
    "environment.json",
    "report.html",
}


def refused(done: subprocess.CompletedProcess[str], sentence: str) -> None:
    """One sentence, after no more than the lines of progress."""
    *progress, last = done.stderr.splitlines()
    assert done.returncode == 1
    assert sentence in last
    assert last.startswith("pingda: ")
    assert all(line.startswith("pingda on ") for line in progress)
    assert done.stdout == ""


def test_a_run_folder_is_complete_and_json_is_one_object(
    pingda: Command, tmp_path: Path, toy_file: Path
) -> None:
    done = pingda("fit", toy_file, *QUICK, "-o", "run", "--json")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert (answer["dir"], answer["shape"]) == ("run", [60, 8])
    assert {path.name for path in (tmp_path / "run").iterdir()} == FILES
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == [1, 2, 3]
    assert {"loss", "keep_mean", "noise_to_signal", "positive_cosine"} <= json.loads(
        lines[0]
    ).keys()


def test_equal_seeds_give_equal_bits_and_others_do_not(
    pingda: Command, tmp_path: Path, toy_file: Path
) -> None:
    found = []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        pingda("fit", toy_file, *QUICK, "--seed", seed, "-o", name)
        found.append(np.load(tmp_path / name / "embeddings.npz")["embeddings"])
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_a_folder_is_named_and_never_written_over(
    pingda: Command, tmp_path: Path, toy_file: Path
) -> None:
    pingda("fit", toy_file, *QUICK)
    assert "runs/toy-pingda-0.2:" in pingda("fit", toy_file, *QUICK).stdout
    target = ("-o", "runs/toy-pingda-0")
    refused(pingda("fit", toy_file, *QUICK, *target), "already holds a finished run")
    changed = pingda("fit", toy_file, *QUICK, "--set", "lr=1", *target, "--resume")
    refused(changed, "lr is 0.0005 there and 1.0 here")
    assert pingda("fit", toy_file, *QUICK, *target, "--resume").returncode == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("corra",), "unknown source 'corra' (did you mean 'cora'?)"),
        (("missing.npz",), "there is no file missing.npz"),
        (("digits", "--set", "epoch=3"), "unknown setting 'epoch' (did you mean"),
        (("digits", "--set", "noise.egde=none"), "did you mean 'noise.edge'?"),
        (("digits", "--set", "epochs=many"), "setting epochs='many' is not valid"),
        (("digits", "--set", "noise.edge_rate=2,0"), "is not valid: input should be"),
        (("digits", "--set", "tau"), "write KEY=VALUE"),
        (("digits", "--set", "device=abacus"), "cannot be used"),
        (("digits", "-m", "pinga"), "unknown method 'pinga' (did you mean 'pingda'?)"),
        (("digits", "-r", "pingda_coro"), "did you mean 'pingda_cora'?"),
        (("digits", "--set", "profile=papr"), "did you mean 'paper'?"),
    ],
    ids=str,
)
def test_wrong_words(pingda: Command, words: tuple[str, ...], sentence: str) -> None:
    refused(pingda("fit", *words), sentence)


EDGES = np.array([[0, 1], [1, 60]])
BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"edge_index": EDGES}, "edge 1 joins 1 and 60, but nodes are 0 to 59"),
    ({"x": np.full((60, 2), np.nan)}, "120 NaN or infinite feature(s), the first at"),
    ({"x": np.full((60, 2), np.inf)}, "120 NaN or infinite feature(s), the first at"),
    ({"x": np.zeros((60, 0))}, "has no node features; add some, or use --set"),
    ({"edge_index": np.zeros((2, 0), dtype=int)}, "has no edges"),
    ({"edge_index": None}, "has no array 'edge_index'"),
    ({"x": np.ones((1, 3)), "y": np.zeros(1), "edge_index": EDGES[:, :0]}, "1 node"),
    ({"y": np.linspace(0, 1, 60)}, "labels that are no whole numbers"),
    ({"y": np.zeros(59)}, "59 labels for 60 nodes"),
]


@pytest.mark.parametrize(("changes", "sentence"), BROKEN, ids=[s for _, s in BROKEN])
def test_broken_graphs_leave_nothing_behind(
    pingda: Command, tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    path = save_npz(tmp_path / "broken.npz", make_toy(), **changes)
    refused(pingda("fit", path, *QUICK, "-o", "run"), sentence)
    assert not (tmp_path / "run").exists()


def test_a_class_with_one_node_is_named_when_it_is_evaluated(
    pingda: Command, tmp_path: Path
) -> None:
    y = np.arange(60) % 2
    y[7] = 2
    path = save_npz(tmp_path / "lone.npz", make_toy(), y=y)
    assert pingda("fit", path, *QUICK, "-o", "run").returncode == 0
    refused(pingda("evaluate", "run"), "has a class with one node (class 2)")


def test_a_run_of_another_version_is_refused(
    pingda: Command, tmp_path: Path, toy_file: Path
) -> None:
    pingda("fit", toy_file, *QUICK, "-o", "run")
    config = tmp_path / "run" / "config.yaml"
    config.write_text(config.read_text().replace("format: 1", "format: 99"))
    for words in (("evaluate", "run"), ("embed", "run"), ("report", "run")):
        refused(pingda(*words), "was written by another version of pingda")
    config.write_text("format: 1\n")
    refused(pingda("evaluate", "run"), "is no run's configuration")


def test_a_full_disk_is_one_sentence_and_the_old_files_stay(
    tmp_path: Path, toy_file: Path
) -> None:
    """A real limit on the size of files, the same fault as a full disk."""

    def fit(seed: int, limit: int | None) -> subprocess.CompletedProcess[str]:
        def tighten() -> None:
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        command = [Path(sys.executable).with_name("pingda"), "fit", toy_file, *QUICK]
        return subprocess.run(
            [str(word) for word in (*command, "--seed", seed, "-o", f"run{seed}")],
            cwd=tmp_path,
            preexec_fn=tighten,
            capture_output=True,
            text=True,
            check=False,
        )

    assert fit(0, None).returncode == 0
    refused(fit(1, 4000), "cannot write run1/state.safetensors: File too large")
    folder = tmp_path / "run1"
    assert not (folder / "result.json").exists()
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]

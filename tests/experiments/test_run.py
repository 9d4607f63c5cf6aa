import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from conftest import make_toy
from pingda.errors import PingdaError
from pingda.experiments.fit import fit
from pingda.experiments.run import load
from pingda.files import write_arrays
from pingda.graph import Graph

QUICK = {"epochs": 12, "dim": 8, "hidden": 16}


def test_a_saved_run_comes_back_whole(tmp_path: Path, toy: Graph) -> None:
    run = fit(toy, settings=QUICK)
    run.save(tmp_path / "run")
    back = load(tmp_path / "run")
    assert np.array_equal(back.embeddings, run.embeddings)
    assert back.metrics == run.metrics
    assert back.config == run.config
    assert np.array_equal(back.embed(toy), run.embed(toy))
    assert repr(back) == "Run(pingda on toy, 60×8)"
    with pytest.raises(PingdaError, match="a graph in memory"):
        back.evaluate()


def test_readout_and_topology_come_back_with_the_run(
    tmp_path: Path, toy: Graph
) -> None:
    extra = {"topology": "both", "neighbours": 3, "readout": "encoder+ego+near"}
    run = fit(toy, settings={**QUICK, "dim": 8, **extra}, out=tmp_path / "run")
    assert run.embeddings.shape == (60, 24)
    job_view = run.job.view(toy)
    assert job_view.edge_index.shape[1] > toy.edge_index.shape[1]
    again = load(tmp_path / "run").embed(toy)
    assert np.array_equal(again, run.embeddings)
    replayed = run.evaluate("paper", splits=1)  # trains again, readout included
    assert replayed.n == 1


def test_ids_of_the_user_stay_with_their_rows(tmp_path: Path, toy: Graph) -> None:
    named = replace(toy, ids=np.array([f"n{i}" for i in range(60)]))
    run = fit(named, settings=QUICK, out=tmp_path)
    ids, z = load(tmp_path).embed_with_ids()
    assert ids[7] == "n7"
    assert np.array_equal(z, run.embeddings)


def test_a_folder_of_another_run_is_left_alone(tmp_path: Path, toy: Graph) -> None:
    fit(toy, settings=QUICK, out=tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(PingdaError, match="holds another run: seed is 0 there"):
        fit(toy, settings=QUICK, seed=1).save(tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


def test_stored_splits_are_used_and_extended(tmp_path: Path) -> None:
    run = fit("digits", settings={"epochs": 1, "dim": 8}, out=tmp_path)
    five = run.evaluate(splits=5)
    assert run.evaluate(splits=22).per_split[:5] == five.per_split
    parts = np.load(tmp_path / "splits.npz")["parts"]
    assert parts.shape == (20, 1797)
    write_arrays(tmp_path / "splits.npz", parts=parts[::-1].copy())
    assert run.evaluate(splits=20).per_split[-1] == five.per_split[0]


def test_the_authors_rule_repeats_the_training_to_the_bit(toy: Graph) -> None:
    """Its checkpoints are those of the run itself: a warning would be an error."""
    run = fit(toy, settings=QUICK)
    result = run.evaluate(protocol="paper", splits=2)
    assert (result.protocol, result.n) == ("paper", 2)
    assert result.mean >= 0.5


def test_damaged_folders_are_one_sentence(tmp_path: Path, toy: Graph) -> None:
    fit(toy, settings=QUICK, out=tmp_path)
    for name in ("state.safetensors", "embeddings.npz", "result.json", "config.yaml"):
        path = tmp_path / name
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(PingdaError, match=name):
            load(tmp_path)
        path.write_bytes(whole)
    assert load(tmp_path).path == tmp_path


def test_results_carry_protocol_and_n(tmp_path: Path) -> None:
    run = fit("digits", settings={"epochs": 1, "dim": 8}, out=tmp_path)
    run.evaluate(splits=3)
    stored = json.loads((tmp_path / "result.json").read_text())
    assert stored["evaluations"]["strict"]["n"] == 3
    assert "n = 3" in " ".join((tmp_path / "report.html").read_text().split())


def test_new_graphs_need_the_same_columns(toy: Graph) -> None:
    run = fit(toy, settings=QUICK)
    assert run.embed(make_toy(nodes=20, seed=3)).shape == (20, 8)
    with pytest.raises(PingdaError, match="has 13 feature columns"):
        run.embed(make_toy(features=13))


def test_no_folder_no_report(toy: Graph) -> None:
    with pytest.raises(PingdaError, match="call save"):
        fit(toy, settings=QUICK).write_report()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_a_run_on_cuda_embeds_like_one_on_the_cpu(toy: Graph) -> None:
    runs = [fit(toy, settings={**QUICK, "device": d}) for d in ("cpu", "cuda")]
    state = runs[1].job.state.method.state_dict()
    runs[0].job.state.method.load_state_dict(state)
    np.testing.assert_allclose(
        runs[0].embed(toy), runs[1].embed(toy), rtol=1e-4, atol=1e-5
    )

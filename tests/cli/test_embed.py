from pathlib import Path

import numpy as np
import polars as pl

from conftest import Command, make_toy, save_npz

QUICK = ("--set", "epochs=3", "--set", "dim=8", "--set", "hidden=16")


def test_embeddings_as_tables_and_of_new_graphs(
    pingda: Command, tmp_path: Path, toy_file: Path
) -> None:
    assert pingda("fit", toy_file, *QUICK, "-o", "run").returncode == 0
    z = np.load(tmp_path / "run" / "embeddings.npz")["embeddings"]
    for name in ("z.npz", "z.csv", "z.parquet"):
        done = pingda("embed", "run", "-o", name)
        assert done.returncode == 0, done.stderr
        assert f"{name}: 60 nodes in 8 dimensions" in done.stdout
    assert np.array_equal(np.load(tmp_path / "z.npz")["embeddings"], z)
    assert np.array_equal(
        pl.read_parquet(tmp_path / "z.parquet").drop("id").to_numpy(), z
    )
    # The same graph as a new one gives the same rows, up to the order of sums.
    assert pingda("embed", "run", toy_file, "-o", "again.npz").returncode == 0
    again = np.load(tmp_path / "again.npz")["embeddings"]
    np.testing.assert_allclose(again, z, rtol=1e-5, atol=1e-6)
    other = save_npz(tmp_path / "other.npz", make_toy(nodes=40, seed=5))
    assert "40 nodes" in pingda("embed", "run", other, "-o", "other_z.csv").stdout


def test_what_cannot_be_embedded_or_written(
    pingda: Command, tmp_path: Path, toy_file: Path
) -> None:
    pingda("fit", toy_file, *QUICK, "-o", "run")
    wider = save_npz(tmp_path / "wider.npz", make_toy(features=13))
    for words, sentence in (
        (("run", wider), "has 13 feature columns, but the run was fitted on 12"),
        (("run", "-o", "z.xlsx"), "its ending must be one of .npz, .csv, .parquet"),
        (("nowhere",), "nowhere holds no run"),
    ):
        done = pingda("embed", *words)
        assert done.returncode == 1
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1

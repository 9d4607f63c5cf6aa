import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pingda.errors import PingdaError
from pingda.experiments import tables

Z = np.array([[1.5, -2.0], [1 / 3, 1e-8]], dtype=np.float32)
IDS = np.array(["a,b", 'c"d'])


def test_ids_and_values_survive_every_format(tmp_path: Path) -> None:
    for name in ("z.npz", "z.csv", "z.parquet"):
        tables.write_table(tmp_path / name, IDS, Z)
    arrays = np.load(tmp_path / "z.npz")
    assert arrays["ids"].tolist() == IDS.tolist()
    assert np.array_equal(arrays["embeddings"], Z)
    with (tmp_path / "z.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["id", "e0", "e1"]
    assert [row[0] for row in rows] == IDS.tolist()
    values = np.array([row[1:] for row in rows], dtype=np.float32)
    assert np.array_equal(values, Z)
    frame = pl.read_parquet(tmp_path / "z.parquet")
    assert frame["id"].to_list() == IDS.tolist()
    assert np.array_equal(frame.drop("id").to_numpy(), Z)


def test_formats_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PingdaError, match="its ending must be one of"):
        tables.check_format(Path("z.txt"))
    monkeypatch.setattr(tables, "find_spec", lambda _name: None)
    with pytest.raises(PingdaError, match=r"pip install 'pingda\[parquet\]'"):
        tables.check_format(Path("z.parquet"))
    tables.check_format(Path("z.csv"))

import json
from pathlib import Path

import pytest

from conftest import Command
from pingda.cli import bench

KEYS = {"case", "what", "dtype", "nodes", "ours_s", "reference_s", "floor_s"}
KEYS |= {"peak_mb", "reference_peak_mb"}


def test_quick_writes_rows_a_page_and_a_picture(
    pingda: Command, tmp_path: Path
) -> None:
    done = pingda("bench", "--quick", "-o", "b.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "b.json").read_text())
    assert found["machine"]["torch"]
    kinds = {row["what"] for row in found["rows"]}
    assert kinds == {"loss", "noise", "propagation", "step", "sampling"}
    for row in found["rows"]:
        assert row.keys() >= KEYS
        assert row["ours_s"] > 0
        assert row["dtype"] in {"float32", "bfloat16"}
        floored = row["what"] in {"loss", "propagation"} or row["case"] == "digits"
        if floored and row["what"] != "noise":
            assert row["reference_s"] > 0
            assert row["floor_s"] > 0
    shares = found["where"]["float32"]
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["dense products"] > 0.1
    page = (tmp_path / "b.md").read_text()
    assert "| loss | digits | 1,797 |" in page
    assert "(b.svg)" in page
    assert "<svg" in (tmp_path / "b.svg").read_text()


def test_another_ending_and_a_bare_package_are_refused(
    pingda: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done = pingda("bench", "-o", "b.txt")
    assert (done.returncode, done.stdout) == (1, "")
    assert "its ending must be .json" in done.stderr
    monkeypatch.setattr(bench.pingda, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    with pytest.raises(bench.PingdaError, match="has no benchmarks"):
        bench.benchmarks()

"""Every snippet of the README and the pages runs as it stands."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from conftest import Command

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [text for name, text in found if name == language]


def names(page: Path) -> str:
    return str(page.relative_to(ROOT))


def somebody_elses_model() -> dict[str, Any]:
    """What the README's example of noise inside an own model takes as given."""
    edges = torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]])
    encoder = GCNConv(5, 4)
    return {
        "data": Data(x=torch.randn(4, 5), edge_index=edges),
        "your_encoder": encoder,
        "your_loss": nn.functional.mse_loss,
    }


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_blocks_are_of_a_kind_that_is_run(page: Path) -> None:
    kinds = {name for name, _ in FENCE.findall(page.read_text(encoding="utf-8"))}
    assert kinds <= {"python", "console"}


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_python_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = somebody_elses_model()
    for block in blocks(page, "python"):
        exec(compile(block, names(page), "exec"), given)
    noise = given.get("noise")
    if isinstance(noise, nn.Module):
        assert all(p.grad is not None for p in noise.parameters())


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_commands_run(page: Path, pingda: Command, tmp_path: Path) -> None:
    for block in blocks(page, "console"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] == "make":
                done = subprocess.run(
                    ["make", "-n", *words[1:]],
                    cwd=ROOT,
                    capture_output=True,
                    check=False,
                )
            elif words[0] == "torchrun":
                launcher = Path(sys.executable).with_name("torchrun")
                done = subprocess.run(
                    [str(launcher), "--standalone", *words[1:]],
                    cwd=tmp_path,
                    capture_output=True,
                    check=False,
                )
            else:
                assert words[0] == "pingda", line
                done = pingda(*words[1:])
            assert done.returncode == 0, f"{line}: {done.stderr!r}"


def test_the_demo_of_the_makefile_prints_its_table() -> None:
    done = subprocess.run(
        ["make", "demo"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for piece in ("raw features", "ppr", "pingda", "± ", "embeddings", "report"):
        assert piece in done.stdout
    for file in ("embeddings.npz", "report.html"):
        assert (ROOT / "runs" / "demo" / file).is_file()

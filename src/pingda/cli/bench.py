"""``pingda bench``: time and memory, side by side with a dense reference."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

import pingda
from pingda.errors import PingdaError


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    example = "Example: pingda bench --quick -o bench.json"
    app.command("bench", epilog=example)(bench)


def bench(
    quick: Annotated[
        bool, typer.Option("--quick", help="A minute or two, small graphs only.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="FILE.json", help="Also written: FILE.md, FILE.svg."
        ),
    ] = None,
) -> None:
    """Measure loss, noise, propagation, steps and sampling on this machine."""
    if out is not None and out.suffix != ".json":
        raise PingdaError(f"cannot write {out}: its ending must be .json")
    words = ["--quick"] if quick else []
    words += [] if out is None else ["-o", str(out)]
    script = benchmarks() / "bench.py"
    done = subprocess.run([sys.executable, str(script), *words], check=False)  # noqa: S603
    if done.returncode != 0:
        raise PingdaError("the benchmark did not come to an end; see above")


def benchmarks() -> Path:
    """Return the folder of benchmarks: in a clone, or inside the installed package.

    Raises:
        PingdaError: It is in neither.
    """
    package = Path(pingda.__file__).parent
    for folder in (package / "benchmarks", package.parents[1] / "benchmarks"):
        if (folder / "bench.py").is_file():
            return folder
    raise PingdaError("this installation has no benchmarks; run it from a clone")

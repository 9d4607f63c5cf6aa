"""``pingda report``: make the page of a run again."""

from pathlib import Path
from typing import Annotated

import typer


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    example = "Example: pingda report runs/cora runs/citeseer"
    app.command("report", epilog=example)(report)


def report(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders of runs.", metavar="DIR...")
    ],
) -> None:
    """Write report.html into each DIR: settings, curves, accuracy."""
    from pingda.experiments.run import load

    for folder in folders:
        run = load(folder)
        typer.echo(str(run.write_report()))

"""``pingda embed``: write embeddings to a file."""

from pathlib import Path
from typing import Annotated

import typer

from pingda.cli.options import RunDir


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    example = "Example: pingda embed runs/cora new-graph.npz -o new.parquet"
    app.command("embed", epilog=example)(embed)


def embed(
    folder: RunDir,
    source: Annotated[
        str | None,
        typer.Argument(
            help="Another graph with the same feature columns; none: the fitted one.",
            metavar="[SOURCE]",
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="FILE", help=".npz, .csv or .parquet"),
    ] = Path("embeddings.npz"),
) -> None:
    """Write embeddings of the fitted graph, or of a new one, with their node ids."""
    from pingda.experiments.run import load
    from pingda.experiments.tables import check_format, write_table

    check_format(out)
    run = load(folder)
    ids, z = run.embed_with_ids(source)
    write_table(out, ids, z)
    typer.echo(f"{out}: {z.shape[0]:,} nodes in {z.shape[1]} dimensions")

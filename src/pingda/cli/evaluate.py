"""``pingda evaluate``: how good the embeddings of a run are."""

from typing import TYPE_CHECKING, Annotated

import typer

from pingda.cli.options import Json, RunDir, print_json

if TYPE_CHECKING:
    from pingda.evaluation.result import Evaluation
    from pingda.experiments.run import Run


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    example = "Example: pingda evaluate runs/cora --protocol strict --json"
    app.command("evaluate", epilog=example)(evaluate)


def evaluate(
    folder: RunDir,
    protocol: Annotated[
        str,
        typer.Option(
            help="strict: stored splits, all choices on validation. paper: the "
            "authors' rule (the run is trained again), to compare with printed numbers."
        ),
    ] = "strict",
    splits: Annotated[
        int | None,
        typer.Option(help="Splits (strict: 20) or repeats of the rule (paper: 5)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Probe the embeddings in DIR, beside untrained features, by a protocol."""
    from pingda.cli.progress import progress
    from pingda.experiments.run import load

    run = load(folder)
    with progress(f"evaluating ({protocol})") as tick:
        result = run.evaluate(protocol, splits, tick)
    if as_json:
        print_json(result.to_dict())
    else:
        _print_table(run, result)


def _print_table(run: "Run", result: "Evaluation") -> None:
    from rich.console import Console
    from rich.table import Table

    config = run.config
    table = Table(title=f"{config.data.name}, protocol {result.protocol}")
    table.add_column("embedding")
    table.add_column(f"{result.metric} (%)", justify="right")
    table.add_column("n", justify="right")
    floors = str(len(result.raw_features_per_split))
    for name, mean, std, n in (
        ("raw features, untrained", *result.raw_features, floors),
        ("propagated features (ppr), untrained", *result.ppr_features, floors),
        (
            f"{config.method} ({config.settings['profile']})",
            *result.found,
            str(result.n),
        ),
    ):
        table.add_row(name, f"{100 * mean:.2f} ± {100 * std:.2f}", n)
    Console().print(table)
    typer.echo(
        f"embeddings  {run.path}/embeddings.npz\nreport      {run.path}/report.html"
    )

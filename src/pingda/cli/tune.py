"""``pingda tune``: search for settings by validation accuracy."""

from pathlib import Path
from typing import Annotated

import typer

from pingda.cli.options import Json, Source, parse_settings, print_json
from pingda.errors import PingdaError


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    example = (
        "Example: pingda tune cora --trials 20 --set profile=budgeted "
        "--over tau=0.3,0.5 --over epochs=200,400 -o tuned/cora"
    )
    app.command("tune", epilog=example)(tune)


def tune(
    source: Source,
    method: Annotated[str, typer.Option("-m", "--method", help="Method.")] = "pingda",
    trials: Annotated[int, typer.Option(help="Trials in all, earlier ones too.")] = 30,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Setting of every trial."),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="KEY=A,B,...",
            help="Values to search over; unasked, the method's own space.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of search and training.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="Folder of the search."),
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(help="optuna's storage by URL, to share among machines."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Search for settings of SOURCE; the best become a recipe in DIR.

    Runs are compared by the accuracy of the strict probe on validation nodes. Labels
    of test nodes are never read. The same command goes on where it was interrupted.
    """
    fixed, space = parse_settings(settings or []), parse_settings(over or [])
    for key, values in space.items():
        if not isinstance(values, list):
            raise PingdaError(f"--over {key}={values}: write several values, as A,B")
    if trials < 1:
        raise PingdaError(f"--trials {trials}: at least one trial is needed")
    from pingda.cli.progress import progress
    from pingda.experiments.tune import Search
    from pingda.experiments.tune import tune as tune_method
    from pingda.hardware import keep_freed_memory

    keep_freed_memory()
    folder = out or Path("tuned") / f"{Path(source).stem.replace(':', '-')}-{method}"
    search = Search(source, method, fixed, space or None, seed)
    with progress(f"tuning {method} on {source}") as tick:
        best = tune_method(search, trials, folder, storage, tick)
    if as_json:
        found = {"dir": str(folder), "validation_accuracy": best.score}
        print_json({**found, "settings": best.settings})
        return
    chosen = " ".join(f"{key}={value}" for key, value in best.settings.items())
    typer.echo(
        f"{folder}: validation accuracy {100 * best.score:.2f} with {chosen}\n"
        f"  trials  {folder / 'trials.csv'}\n"
        f"  next    pingda fit {source} -m {method} -r {folder / 'recipe.yaml'}"
    )

"""``pingda fit``: learn embeddings of a source."""

from pathlib import Path
from typing import Annotated

import typer

from pingda.cli.help import MethodHelp
from pingda.cli.options import Json, Source, parse_settings, print_json


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    example = "Example: pingda fit cora --set epochs=200 --seed 1 -o runs/cora"
    app.command("fit", cls=MethodHelp, epilog=example)(fit)


def fit(
    source: Source,
    method: Annotated[
        str, typer.Option("-m", "--method", help="Method; the list is below.")
    ] = "pingda",
    recipe: Annotated[
        str | None,
        typer.Option("-r", "--recipe", help="Recipe by name, or a .yaml file."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Setting; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="Folder of the run."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an unfinished run.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Learn embeddings of SOURCE, without labels, into a run folder."""
    chosen = parse_settings(settings or [])
    from pingda.cli.interrupt import stop_requests
    from pingda.cli.progress import on_epoch, progress, remark
    from pingda.experiments.fit import fit as fit_run
    from pingda.hardware import keep_freed_memory
    from pingda.processes import is_first

    keep_freed_memory()

    folder = out or _default_folder(source, method, seed, resume)
    title = f"{method} on {source}"
    with stop_requests() as stop, progress(title) as tick:
        run = fit_run(
            source,
            method,
            recipe=recipe,
            settings=chosen,
            seed=seed,
            out=folder,
            resume=resume,
            callbacks=[on_epoch(tick)],
            stop=stop,
            say=remark(title),
        )
    if not is_first():
        return
    last = run.metrics[-1] if run.metrics else {}
    if as_json:
        shape = list(run.embeddings.shape)
        print_json({"dir": str(folder), "shape": shape, "seconds": run.seconds, **last})
        return
    nodes, dim = run.embeddings.shape
    typer.echo(
        f"{folder}: {nodes:,} nodes in {dim} dimensions, {len(run.metrics)} epochs in "
        f"{run.seconds:.0f} s\n"
        f"  embeddings  {folder / 'embeddings.npz'}\n"
        f"  report      {folder / 'report.html'}\n"
        f"  next        pingda evaluate {folder}"
    )


def _default_folder(source: str, method: str, seed: int, resume: bool) -> Path:
    """Return ``runs/SOURCE-METHOD-SEED``, numbered if a new run needs a free name."""
    name = f"{Path(source).stem.replace(':', '-')}-{method}-{seed}"
    folder, number = Path("runs") / name, 1
    while folder.exists() and not resume:
        number += 1
        folder = Path("runs") / f"{name}.{number}"
    return folder

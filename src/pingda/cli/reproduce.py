"""``pingda reproduce``: make tables again."""

from pathlib import Path
from typing import Annotated

import typer

from pingda.cli.options import Json, print_json
from pingda.errors import PingdaError, did_you_mean

TARGETS = {"study": "does learned noise beat random noise? Arms with equal searches"}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    example = (
        "Example: pingda reproduce study --datasets texas,wisconsin --seeds 10 "
        "-o results"
    )
    app.command("reproduce", epilog=example)(reproduce)


def reproduce(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="; ".join(f"{name}: {what}" for name, what in TARGETS.items()),
        ),
    ],
    datasets: Annotated[
        str | None, typer.Option(help="Names with commas between; unasked, all.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Arms with commas between; unasked, all.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Number of seeds, from 0.")] = 10,
    trials: Annotated[
        int, typer.Option(help="Settings that each arm may try on validation.")
    ] = 16,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="Folder of results.")
    ] = Path("results"),
    as_json: Json = False,
) -> None:
    """Run a target and write DIR/TARGET.md, .csv and .tex; a second call goes on."""
    for target in targets:
        if target not in TARGETS:
            raise PingdaError(
                f"unknown target {target!r}{did_you_mean(target, TARGETS)}; "
                f"the targets are {', '.join(TARGETS)}"
            )
    from pingda.cli.progress import progress
    from pingda.experiments.findings import Findings
    from pingda.experiments.study import ARMS, DATASETS, Study, run_study
    from pingda.hardware import keep_freed_memory

    keep_freed_memory()
    study = Study(
        datasets=DATASETS if datasets is None else _names(datasets),
        arms=tuple(ARMS) if methods is None else _names(methods),
        seeds=seeds,
        trials=trials,
    )
    with progress("study") as tick:
        cells = run_study(study, out, tick)
    findings = Findings(cells)
    paths = findings.write(out, "study")
    if as_json:
        print_json({"study": [str(path) for path in paths], "cells": len(cells)})
        return
    typer.echo(findings.markdown())
    typer.echo("\n".join(str(path) for path in paths))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())

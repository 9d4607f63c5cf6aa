"""``pingda data``: which graphs there are, and whether a graph can be learned from."""

from typing import Any

import typer

from pingda.cli.options import Json, Source, print_json

app = typer.Typer(help="List the catalogue, or check a source.", no_args_is_help=True)


@app.command("list", epilog="Example: pingda data list")
def list_sources(as_json: Json = False) -> None:
    """List the graphs of the catalogue."""
    from rich.console import Console
    from rich.table import Table

    from pingda.graph.catalogue import BENCHMARKS

    rows = [benchmark.describe() for benchmark in BENCHMARKS.values()]
    if as_json:
        print_json({"sources": rows})
        return
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    for name in rows[0]:
        number = name in {"nodes", "edges", "features", "classes"}
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    Console().print(table)


@app.command("check", epilog="Example: pingda data check cora")
def check(source: Source, as_json: Json = False) -> None:
    """Load SOURCE and say what was understood, or what is wrong with it."""
    from rich.console import Console
    from rich.table import Table

    from pingda.graph.portrait import portrait
    from pingda.graph.source import load_source

    facts = portrait(load_source(source))
    if as_json:
        print_json(facts)
        return
    table = Table(show_header=False, title=source, title_justify="left")
    for key, value in facts.items():
        table.add_row(key.replace("_", " "), _cell(value))
    Console().print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "\n".join(str(item) for item in value)
    return str(value)

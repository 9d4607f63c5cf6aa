"""The command ``pingda``, and how it fails: one sentence, no traceback."""

import os
import sys
import warnings

import typer

from pingda import __version__
from pingda.cli import bench, data, embed, evaluate, fit, report, reproduce, tune
from pingda.errors import PingdaError

app = typer.Typer(
    help="Embeddings of nodes and graphs, learned without labels from learned noise.",
    epilog="Example: pingda fit digits -o runs/digits && pingda evaluate runs/digits",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (fit, embed, evaluate, report, tune, reproduce, bench):
    command.add_to(app)
app.add_typer(data.app, name="data")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pingda {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Version."
    ),
) -> None:
    """Hold what all commands share."""


def main() -> None:
    """Run the command line; exit with 0, 1 (failed) or 2 (wrong usage)."""
    warnings.showwarning = _show_warning
    # Large tensors on huge pages. PyTorch, imported later, reads it once.
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    try:
        app()
    except PingdaError as error:
        _fail(str(error))
    except MemoryError:
        _fail("out of memory; use a smaller graph, dim or hidden")
    except Exception as error:
        if os.environ.get("PINGDA_DEBUG"):
            raise
        reason = " ".join(str(error).split()) or "no reason given"
        _fail(
            f"unexpected {type(error).__name__}: {reason} (this is a fault of pingda; "
            "PINGDA_DEBUG=1 shows where)"
        )


def _fail(sentence: str) -> None:
    sys.stderr.write(f"pingda: {sentence}\n")
    raise SystemExit(1)


def _show_warning(message: Warning | str, *_where: object, **_more: object) -> None:
    sys.stderr.write(f"pingda: warning: {message}\n")

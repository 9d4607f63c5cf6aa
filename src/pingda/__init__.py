"""Embeddings of nodes and graphs, learned without labels from learned noise.

    import pingda
    run = pingda.fit("cora", method="pingda", seed=0)
    run.embeddings, run.evaluate(protocol="strict")

The names below are loaded when they are first used, so that ``import pingda`` costs
nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pingda.errors import PingdaError as PingdaError
    from pingda.experiments.fit import fit as fit
    from pingda.experiments.run import Run as Run
    from pingda.experiments.run import load as load

__version__ = "0.1.0"

_HOMES = {
    "PingdaError": "pingda.errors",
    "Run": "pingda.experiments.run",
    "fit": "pingda.experiments.fit",
    "load": "pingda.experiments.run",
}

__all__ = ["PingdaError", "Run", "__version__", "fit", "load"]


def __getattr__(name: str) -> object:
    """Load a public name from the room where it lives."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'pingda' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)

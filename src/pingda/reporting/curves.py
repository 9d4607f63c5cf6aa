"""Curves of a training log as inline SVG."""

import io
from collections.abc import Sequence

from matplotlib.figure import Figure

# Distinguishable without colour vision (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")


def curves(
    rows: Sequence[dict[str, float]], names: Sequence[str], label: str
) -> str | None:
    """Draw the named columns of a log over epochs.

    Args:
        rows: The log, one line an epoch.
        names: Columns; those that the log does not have are left out.
        label: Name of the vertical axis.

    Returns:
        An ``<svg>`` element; None if the log has none of the columns.
    """
    present = [name for name in names if any(name in row for row in rows)]
    if not present:
        return None
    figure = Figure(figsize=(6.4, 2.8), layout="constrained")
    axes = figure.add_subplot()
    for name, colour in zip(present, COLOURS, strict=False):
        points = [(row["epoch"], row[name]) for row in rows if name in row]
        epochs, values = zip(*points, strict=True)
        axes.plot(epochs, values, label=name.replace("_", " "), color=colour)
    axes.set_xlabel("epoch")
    axes.set_ylabel(label)
    axes.spines[["top", "right"]].set_visible(False)
    if len(present) > 1:
        axes.legend(frameon=False)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    return svg[svg.index("<svg") :]

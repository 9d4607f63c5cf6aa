"""Results as markdown and as a picture."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from bars import Rows, bars, generated, pick, ratio

COLOURS = {"float32": "#0072B2", "bfloat16": "#D55E00", "reference": "#666666"}


def shown(value: float | None, digits: int = 2) -> str:
    """Return a number for a table cell."""
    return "–" if value is None else f"{value:.{digits}f}"


def markdown(found: dict[str, Any], command: str, picture: str | None) -> str:
    """Return the whole page."""
    machine, rows = found["machine"], found["rows"]
    facts = ", ".join(f"{key} {value}" for key, value in machine.items())
    lines = [
        "# Benchmarks",
        "",
        f"Made by `{command}`. {facts}.",
        "",
        "Each number is the median of n calls in a process of its own. *reference*:",
        "the same computation with plain dense tensors, in single precision; – where",
        "it does not exist or ran out of memory. *floor*: the bare products and",
        "exponentials that the algorithm needs. Memory is the peak above a process",
        "that has loaded its libraries and the graph. *sampling*: an epoch by",
        "neighbour batches.",
        "",
        *table(rows),
        "",
    ]
    if picture is not None:
        lines += [f"![time and memory over the number of nodes]({picture})", ""]
    lines += ["## Bars", "", "| what | bound | found | holds |", "|---|---|--:|---|"]
    for bar in bars(rows):
        answer = "yes" if bar.holds else "**no**"
        lines.append(f"| {bar.what} | {bar.bound} | {shown(bar.found)} | {answer} |")
    lines.append("")
    lines += ["## Where the time of a step goes", "", *where(found), ""]
    return "\n".join(lines)


def table(rows: Rows) -> list[str]:
    """Return one line a measurement."""
    names = "what, graph, nodes, products, n, ours s, reference s, floor s, "
    names += "reference / ours, ours / floor, ours MB, reference MB, nodes / s"
    lines = [
        "| " + names.replace(", ", " | ") + " |",
        "|---|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        ours = row["ours_s"]
        cells = (
            row["what"],
            row["case"],
            f"{row['nodes']:,}",
            row["dtype"],
            str(row["n"] or "–"),
            shown(ours, 4 if ours and ours < 0.1 else 2),
            shown(row["reference_s"], 4 if ours and ours < 0.1 else 2),
            shown(row["floor_s"], 4 if ours and ours < 0.1 else 2),
            shown(ratio(row["reference_s"], ours)),
            shown(ratio(ours, row["floor_s"])),
            shown(row["peak_mb"], 0),
            shown(row["reference_peak_mb"], 0),
            shown(ratio(row["nodes"], ours), 0),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def where(found: dict[str, Any]) -> list[str]:
    """Return the shares of each kind of work."""
    kinds = list(next(iter(found["where"].values())))
    lines = [
        f"A step of profile `paper` on {found['where_case']}, by PyTorch's profiler.",
        "",
        "| products | " + " | ".join(kinds) + " |",
        "|---|" + "--:|" * len(kinds),
    ]
    for dtype, shares in found["where"].items():
        cells = " | ".join(f"{100 * shares[kind]:.0f} %" for kind in kinds)
        lines.append(f"| {dtype} | {cells} |")
    return lines


def plot(rows: Rows, path: Path) -> None:
    """Draw time and memory over the number of nodes."""
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    panels: Any = figure.subplots(1, 3)
    titles = (
        ("loss", "ours_s", "exact loss: seconds"),
        ("step", "ours_s", "step, sampled negatives: seconds"),
        ("step", "peak_mb", "step, sampled negatives: MB"),
    )
    for axes, (what, key, title) in zip(panels, titles, strict=True):
        chosen = pick(rows, what=what)
        if what == "step":
            chosen = generated(chosen)
        for dtype in ("float32", "bfloat16"):
            line(axes, pick(chosen, dtype=dtype), key, dtype, "o-", COLOURS[dtype])
        if what == "loss":
            single = pick(chosen, dtype="float32")
            grey = COLOURS["reference"]
            line(axes, single, "reference_s", "dense reference", "s:", grey)
            line(axes, single, "floor_s", "floor, float32", "--", "black")
        axes.set(xscale="log", yscale="log", xlabel="nodes", title=title)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_formatter(NullFormatter())
        axes.legend(frameon=False, fontsize="small")
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def line(axes: Any, rows: Rows, key: str, label: str, style: str, colour: str) -> None:
    """Draw one line through the rows that have a value."""
    points = sorted((row["nodes"], row[key]) for row in rows if row[key])
    if points:
        axes.plot(*zip(*points, strict=True), style, label=label, color=colour)

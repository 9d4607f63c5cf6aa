"""What a study has found, as markdown, CSV and LaTeX."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pingda.evaluation.comparison import Comparison, compare, holm
from pingda.evaluation.result import mean_and_deviation
from pingda.experiments.study import Cell
from pingda.files import write_text

REFERENCE = "random"
HEAD = (
    "data", "arm", "n", "strict", "raw", "ppr", "− floor", "p", "− random",
    "95 %", "p (Holm)", "d", "I(T;E)", "AUC", "chosen",
)  # fmt: skip


class Findings:
    """The cells of a study, by data set and arm.

    Args:
        cells: All cells.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.datasets = list(dict.fromkeys(cell.dataset for cell in cells))
        self.arms = list(dict.fromkeys(cell.arm for cell in cells))
        self.groups: dict[tuple[str, str], list[Cell]] = {}
        for cell in sorted(cells, key=lambda cell: cell.seed):
            self.groups.setdefault((cell.dataset, cell.arm), []).append(cell)

    def against_random(self) -> dict[tuple[str, str], tuple[Comparison, float]]:
        """Compare each arm with random noise; p is Holm's over all data sets."""
        found = {}
        for (dataset, arm), cells in self.groups.items():
            other = self.groups.get((dataset, REFERENCE), [])
            seeds = [cell.seed for cell in cells]
            if arm == REFERENCE or len(cells) < 2:
                continue
            if seeds != [cell.seed for cell in other]:
                continue
            found[dataset, arm] = compare(
                [cell.accuracy for cell in cells], [cell.accuracy for cell in other]
            )
        corrected: dict[tuple[str, str], float] = {}
        for arm in self.arms:
            keys = [key for key in found if key[1] == arm]
            p_values = holm([found[key].p for key in keys])
            corrected |= dict(zip(keys, p_values, strict=True))
        return {key: (found[key], corrected[key]) for key in found}

    def rows(self) -> list[list[str]]:
        """Return the rows of the table below :data:`HEAD`."""
        against = self.against_random()
        rows = []
        for (dataset, arm), cells in self.groups.items():
            accuracy = [cell.accuracy for cell in cells]
            means = {name: _mean(cells, name) for name in ("raw", "ppr")}
            better = max(means, key=lambda name: means[name])
            row = [dataset, arm, str(len(cells)), percent(accuracy)]
            row += [
                percent([getattr(cell, name) for cell in cells])
                for name in ("raw", "ppr")
            ]
            if len(cells) > 1:
                above = compare(accuracy, [getattr(cell, better) for cell in cells])
                row += [f"{100 * above.difference:+.2f}", f"{above.p:.3f}"]
            else:
                row += [f"{100 * (accuracy[0] - means[better]):+.2f}", "–"]
            if (dataset, arm) in against:
                found, p = against[dataset, arm]
                interval = f"{100 * found.low:+.2f} … {100 * found.high:+.2f}"
                row += [f"{100 * found.difference:+.2f}", interval, f"{p:.3f}"]
                row += [f"{found.effect:+.2f}"]
            else:
                row += ["–"] * 4
            row += [_mean_of(cells, "information"), _mean_of(cells, "edge_auc")]
            chosen = cells[0].settings.items()
            row.append(" ".join(f"{k.removeprefix('noise.')}={v}" for k, v in chosen))
            rows.append(row)
        return rows

    def markdown(self) -> str:
        """Return the table in markdown."""
        lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows()]
        return "\n".join(lines) + "\n"

    def comma_separated(self) -> str:
        """Return the table as CSV."""
        table = io.StringIO()
        csv.writer(table).writerows([HEAD, *self.rows()])
        return table.getvalue()

    def latex(self) -> str:
        """Return accuracies, one row an arm and one column a data set, in LaTeX."""
        lines = [
            rf"\begin{{tabular}}{{l{'c' * len(self.datasets)}}}",
            r"\toprule",
            " & ".join(["", *self.datasets]) + r" \\",
            r"\midrule",
        ]
        for arm in self.arms:
            cells = [self.groups.get((dataset, arm), []) for dataset in self.datasets]
            entries = [percent([c.accuracy for c in group]) for group in cells]
            row = " & ".join([arm, *entries]).replace("±", r"$\pm$")
            lines.append(row + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])

    def write(self, folder: Path, name: str) -> list[Path]:
        """Write all three and return their paths."""
        contents = {
            "md": self.markdown(),
            "csv": self.comma_separated(),
            "tex": self.latex(),
        }
        paths = []
        for ending, content in contents.items():
            paths.append(folder / f"{name}.{ending}")
            write_text(paths[-1], content)
        return paths


def percent(values: Sequence[float]) -> str:
    """Return mean and standard deviation over seeds, per cent."""
    if not values:
        return "–"
    mean, deviation = mean_and_deviation(values)
    return f"{100 * mean:.2f} ± {100 * deviation:.2f}"


def _mean(cells: Sequence[Cell], name: str) -> float:
    return float(np.mean([getattr(cell, name) for cell in cells]))


def _mean_of(cells: Sequence[Cell], name: str) -> str:
    values = [getattr(cell, name) for cell in cells]
    known = [value for value in values if value is not None]
    return f"{np.mean(known):.3f}" if known else "–"

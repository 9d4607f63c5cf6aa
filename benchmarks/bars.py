"""What was aimed at, and whether it holds in a set of results."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Rows = list[dict[str, Any]]
LARGE, SMALL = "generated-1600000x12.5", "generated-160000x12.5"


@dataclass(frozen=True)
class Bar:
    """A bound on a figure.

    Args:
        what: What is bounded.
        found: The figure; None if it was not measured.
        most: Upper bound, or None.
        least: Lower bound, or None.
    """

    what: str
    found: float | None
    most: float | None = None
    least: float | None = None

    @property
    def bound(self) -> str:
        """The bound in words."""
        return f"≥ {self.least}" if self.most is None else f"≤ {self.most:.3g}"

    @property
    def holds(self) -> bool:
        """Whether the figure keeps it."""
        above = self.least is None or (self.found or 0) >= self.least
        return above and (self.most is None or (self.found or 0) <= self.most)


def ratio(over: float | None, under: float | None) -> float | None:
    """Return a quotient, None where one part was not measured."""
    return over / under if over and under else None


def pick(rows: Rows, **wanted: object) -> Rows:
    """Return the rows with these values."""
    return [row for row in rows if all(row[k] == v for k, v in wanted.items())]


def generated(rows: Rows) -> Rows:
    """Return the rows on generated graphs."""
    return [row for row in rows if row["case"].startswith("generated")]


def exponent(rows: Rows, key: str) -> float | None:
    """Return the slope of log value over log nodes, by least squares."""
    points = [(math.log(r["nodes"]), math.log(r[key])) for r in rows if r[key]]
    if len(points) < 2:
        return None
    x, y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    above: float = sum((a - x) * (b - y) for a, b in points)
    spread: float = sum((a - x) ** 2 for a, _ in points)
    return above / spread


def bars(rows: Rows) -> list[Bar]:
    """Return the bars of everything that was measured."""
    every = [*losses(rows), *steps(rows), *memory(rows), *sampled(rows), *growth(rows)]
    return [bar for bar in every if bar.found is not None]


def losses(rows: Rows) -> Iterator[Bar]:
    """Compare the loss with its floor where it is large enough to matter."""
    for dtype, most in (("float32", 1.15), ("bfloat16", 1.5)):
        for row in pick(rows, what="loss", dtype=dtype):
            if row["nodes"] >= 8000:
                name = f"loss {dtype} / floor, {row['case']}"
                yield Bar(name, ratio(row["ours_s"], row["floor_s"]), most=most)


def steps(rows: Rows) -> Iterator[Bar]:
    """Compare a step on Cora with the reference and with its floor."""
    for row in pick(rows, what="step", case="cora"):
        dtype = row["dtype"]
        faster = ratio(row["reference_s"], row["ours_s"])
        least = 2 if dtype == "float32" else 4
        yield Bar(f"step on cora, reference / {dtype}", faster, least=least)
        if dtype == "float32":
            above = ratio(row["ours_s"], row["floor_s"])
            smaller = ratio(row["peak_mb"], row["reference_peak_mb"])
            yield Bar("step on cora, float32 / floor", above, most=1.6)
            yield Bar("memory of it, ours / reference", smaller, most=1 / 6)


def memory(rows: Rows) -> Iterator[Bar]:
    """Bound the memory of whole processes, in GB."""
    for case, most in (("pubmed", 2), ("physics", 4), ("generated-160000", 8)):
        for row in pick(rows, what="step", case=case):
            found = ratio(row["peak_rss_mb"], 1000)
            yield Bar(f"GB of a process, {row['dtype']}, {case}", found, most=most)
    for case, most in (("generated-160000", 4), (LARGE, 16)):
        for row in pick(rows, what="sampling", case=case):
            found = ratio(row["peak_rss_mb"], 1000)
            yield Bar(f"GB of a process, neighbour batches, {case}", found, most=most)


def sampled(rows: Rows) -> Iterator[Bar]:
    """Bound epochs of large graphs."""
    for row in pick(rows, what="step", case="generated-160000"):
        name = f"seconds of an epoch, sampled negatives, {row['dtype']}, {row['case']}"
        yield Bar(name, row["ours_s"], most=60)
    speeds = [
        ratio(row["nodes"], row["ours_s"])
        for case in (LARGE, SMALL)
        for row in pick(rows, case=case)
    ]
    if len(speeds) == 2:
        name = "nodes a second by neighbour batches, 1.6 million over 160,000 nodes"
        yield Bar(name, ratio(*speeds), least=0.8)


def growth(rows: Rows) -> Iterator[Bar]:
    """Bound the growth with the number of nodes, for sampled negatives."""
    for dtype in ("float32", "bfloat16"):
        chosen = generated(pick(rows, what="step", dtype=dtype))
        for key, what in (("ours_s", "time"), ("peak_mb", "memory")):
            name = f"exponent of {what} over nodes, {dtype}"
            yield Bar(name, exponent(chosen, key), most=1.1)

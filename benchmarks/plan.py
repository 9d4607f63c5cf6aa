"""What is measured, and with which sides."""

from dataclasses import dataclass

DTYPES = ("float32", "bfloat16")


@dataclass(frozen=True)
class Row:
    """One row of the results.

    Args:
        case: Name of the graph.
        what: loss, noise, propagation, step or sampling.
        dtype: Type of our products.
        sides: Who is measured besides ours: reference, floor.
    """

    case: str
    what: str
    dtype: str
    sides: tuple[str, ...] = ()


BOTH = ("reference", "floor")
SIZES = (2500, 5000, 10000, 20000, 40000, 80000, 160000)
REAL = ("cora", "pubmed", "physics")


def _rows(case: str, what: str, sides: tuple[str, ...]) -> list[Row]:
    return [Row(case, what, dtype, sides) for dtype in DTYPES]


def quick() -> list[Row]:
    """List what takes a minute or two: each kind of row once, on small graphs."""
    return [
        *_rows("digits", "loss", BOTH),
        *_rows("digits", "noise", ("reference",)),
        Row("digits", "propagation", "float32", BOTH),
        *_rows("digits", "step", BOTH),
        Row("generated-5000", "step", "bfloat16"),
        Row("generated-5000", "sampling", "bfloat16"),
    ]


def full() -> list[Row]:
    """List everything behind RESULTS.md."""
    rows: list[Row] = []
    for case in (*(f"generated-{n}" for n in (2500, 5000, 10000)), *REAL):
        rows += _rows(case, "loss", BOTH)
    for case in (*REAL, "generated-160000"):
        rows += _rows(case, "noise", ("reference",))
        rows.append(Row(case, "propagation", "float32", BOTH))
    for case in REAL:
        rows += _rows(case, "step", BOTH)
    for nodes in SIZES:
        rows += _rows(f"generated-{nodes}", "step", ())
    for case in ("160000", "160000x12.5", "1600000x12.5"):
        rows.append(Row(f"generated-{case}", "sampling", "bfloat16"))
    return rows

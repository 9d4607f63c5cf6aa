"""Everything that ``pingda bench`` measures, each thing in a process of its own.

    python bench.py [--quick] [-o FILE.json]

Writes FILE.json, and beside it FILE.md and FILE.svg.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from pingda import __version__
from pingda.files import write_json, write_text
from plan import DTYPES, Row, full, quick
from table import markdown, plot

HERE = Path(__file__).parent


def call(script: str, *words: str, **env: str) -> dict[str, float] | None:
    """Return what another process found out; None if it did not come to an end."""
    done = subprocess.run(
        [sys.executable, str(HERE / script), *words],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=False,
    )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["killed"])[-1]
        sys.stderr.write(f"  {' '.join(words)}: not measured ({reason[:120]})\n")
        return None
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(row: Row, side: str, dtype: str) -> dict[str, float] | None:
    """Measure one side of a row."""
    # As the command itself sets it; the other sides know nothing of it.
    env = {"THP_MEM_ALLOC_ENABLE": "1"} if side == "ours" else {}
    return call("measure.py", row.case, row.what, side, dtype, **env)


def measured(row: Row, references: dict[tuple[str, str], Any]) -> dict[str, Any]:
    """Measure one row, the sides one after the other."""
    ours = measure(row, "ours", row.dtype) or {}
    floor = measure(row, "floor", row.dtype) if "floor" in row.sides else None
    key = row.case, row.what
    if "reference" in row.sides and key not in references:
        # The reference knows single precision alone; both rows share it.
        references[key] = measure(row, "reference", "float32")
    reference = references.get(key) or {}
    return {
        "case": row.case,
        "what": row.what,
        "dtype": row.dtype,
        "nodes": nodes_of(row.case),
        "ours_s": ours.get("seconds"),
        "reference_s": reference.get("seconds"),
        "floor_s": None if floor is None else floor["seconds"],
        "peak_mb": ours.get("peak_mb"),
        "reference_peak_mb": reference.get("peak_mb"),
        "peak_rss_mb": ours.get("peak_rss_mb"),
        "n": ours.get("n"),
    }


def nodes_of(case: str) -> int:
    """Return the nodes of a case."""
    from cases import Case  # noqa: PLC0415 - loads graphs' libraries

    return Case(case).nodes


def machine() -> dict[str, Any]:
    """Describe where it was measured."""
    return {
        "processor": processor(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "pingda": __version__,
        "date": datetime.now(UTC).date().isoformat(),
    }


def processor() -> str:
    """Return the processor's name and what it multiplies."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii")
    except OSError:
        return platform.processor()
    facts = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    found = {key.strip(): value.strip() for key, value in facts.items()}
    flags = set(found.get("flags", "").split())
    units = sorted({"avx512f", "avx512_bf16", "amx_bf16"} & flags)
    return f"{found.get('model name', 'unknown')} ({', '.join(units) or 'no AVX-512'})"


def main() -> None:
    """Measure, and write or print what was found."""
    parser = argparse.ArgumentParser(prog="pingda bench")
    parser.add_argument("--quick", action="store_true", help="a minute, small graphs")
    parser.add_argument("-o", "--out", type=Path, help="FILE.json")
    chosen = parser.parse_args()
    rows = quick() if chosen.quick else full()
    references: dict[tuple[str, str], Any] = {}
    results: list[dict[str, Any]] = []
    for number, row in enumerate(rows, start=1):
        begin = time.monotonic()
        results.append(measured(row, references))
        took = time.monotonic() - begin
        sys.stderr.write(
            f"bench: {number}/{len(rows)}  {row.what} on {row.case} in {row.dtype}, "
            f"{took:.0f} s\n"
        )
    case = "digits" if chosen.quick else "cora"
    found = {
        "machine": machine(),
        "rows": results,
        "where": {dtype: call("where.py", case, dtype) or {} for dtype in DTYPES},
        "where_case": case,
    }
    command = "pingda bench" + (" --quick" if chosen.quick else "")
    if chosen.out is None:
        sys.stdout.write(markdown(found, command, None))
        return
    write_json(chosen.out, found)
    picture = chosen.out.with_suffix(".svg")
    plot(results, picture)
    text = markdown(found, f"{command} -o {chosen.out.name}", picture.name)
    write_text(chosen.out.with_suffix(".md"), text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()

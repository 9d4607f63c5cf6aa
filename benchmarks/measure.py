"""Measure one thing in a process of its own: seconds and memory, as one JSON line.

python measure.py CASE WHAT SIDE DTYPE
"""

import json
import resource
import statistics
import sys
import time
import warnings
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import psutil
import torch

from cases import Case
from pingda.hardware import keep_freed_memory, products_in
from work import WORK

REPEATS = 7
# No repeat is begun after so many seconds; the median is over what there is by then.
PATIENCE = 20.0
# Beyond this share of the machine's memory an allocation fails, and the row says so.
MOST_MEMORY = 0.9


def resident_mb(field: str) -> float:
    """Return ``VmRSS`` (now) or ``VmHWM`` (the most so far) of this process."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise ValueError(f"no {field} on this machine")


def around(side: str) -> AbstractContextManager[None]:
    """Give the floor the library that ours takes; the reference is plain PyTorch."""
    return (
        products_in("fp32", torch.device("cpu")) if side == "floor" else nullcontext()
    )


def main() -> None:
    """Do the work several times and print the median and the peak."""
    warnings.simplefilter("ignore")
    case, what, side, dtype = sys.argv[1:]
    most = int(MOST_MEMORY * psutil.virtual_memory().total)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    if side == "ours":
        keep_freed_memory()  # as the command `pingda fit` does
    # Libraries and the graph are there before; everything else counts.
    graph = None if what == "loss" else Case(case).load()
    before = resident_mb("VmRSS")
    work = WORK[what, side](Case(case), dtype)
    del graph
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of the preparation
    seconds: list[float] = []
    begun = time.perf_counter()
    whole_epoch = what == "sampling"  # long enough to need no warm-up
    while len(seconds) < (1 if whole_epoch else REPEATS + 1):
        begin = time.perf_counter()
        with around(side):
            work()
        seconds.append(time.perf_counter() - begin)
        if len(seconds) > 1 and time.perf_counter() - begun > PATIENCE:
            break
    peak = resident_mb("VmHWM")
    found = {
        "seconds": statistics.median(seconds[1:] or seconds),
        "n": len(seconds[1:] or seconds),
        "peak_mb": max(0.0, peak - before),
        "peak_rss_mb": peak,
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()

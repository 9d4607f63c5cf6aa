"""Where the time of a training step goes, by kind of work, as one JSON line.

python where.py CASE DTYPE
"""

import json
import sys
import warnings

from torch.profiler import ProfilerActivity, profile

from cases import Case
from work import our_step

KINDS = {
    "dense products": ("mm", "addmm", "addmm_", "addmv_", "bmm"),
    "sparse products": ("sparse_sampled_addmm", "_sparse_mm", "_sparse_csr"),
    "exponentials": ("exp", "exp_"),
    "normal draws": ("normal_",),
    "gathers": ("index_select", "index_add_", "scatter_add_"),
    "optimisers": ("_fused_adam_",),
    "copies and conversions": ("copy_", "cat", "fill_", "zero_"),
}


def where_the_time_goes(case: str, dtype: str) -> dict[str, float]:
    """Return the share of each kind of work in one step of profile ``paper``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work = our_step(Case(case), dtype)
        for _ in range(2):
            work()
        with profile(activities=[ProfilerActivity.CPU]) as seen:
            work()
    shares = dict.fromkeys([*KINDS, "everything else"], 0.0)
    for event in seen.key_averages():
        name = event.key.removeprefix("aten::")
        kind = next((k for k, names in KINDS.items() if name in names), None)
        shares[kind or "everything else"] += event.self_cpu_time_total
    total = sum(shares.values())
    return {kind: spent / total for kind, spent in shares.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(where_the_time_goes(*sys.argv[1:])) + "\n")

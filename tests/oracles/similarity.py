"""Sums of similarities exactly as their formula reads, pair by pair."""

import math

import torch
from torch import Tensor


def log_sums(
    rows: Tensor,
    columns: Tensor | None,
    tau: float,
    ids: tuple[list[int], list[int]] | None = None,
    groups: tuple[list[int], list[int]] | None = None,
) -> tuple[Tensor, Tensor]:
    others = rows if columns is None else columns
    by_row = [torch.zeros((), dtype=rows.dtype) for _ in rows]
    by_column = [torch.zeros((), dtype=rows.dtype) for _ in others]
    for i, a in enumerate(rows):
        for j, b in enumerate(others):
            itself = columns is None and i == j
            same = ids is not None and ids[0][i] == ids[1][j]
            apart = groups is not None and groups[0][i] != groups[1][j]
            if not (itself or same or apart):
                value = math.e ** (a @ b / tau)
                by_row[i] = by_row[i] + value
                by_column[j] = by_column[j] + value
    return torch.stack(by_row).log(), torch.stack(by_column).log()

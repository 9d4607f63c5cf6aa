"""Sums over a matrix of similarities that is never there as a whole.

The kernel under all contrastive losses: tile by tile it multiplies, exponentiates and
adds, and forgets; the backward pass computes each tile once more.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pingda import processes
from pingda.hardware import Precision, core_cache_bytes, product_dtype

# The exponential of 1/τ must stay a number in single precision.
SMALLEST_TAU = 0.025
# Below this temperature, bfloat16 similarities are too coarse to be chosen unasked.
SMALLEST_BF16_TAU = 0.1
# Rows of a block: products of this size are as fast as they get.
BLOCK = {torch.bfloat16: 1536}
DEFAULT_BLOCK = 768
ACCELERATOR_BLOCK = 4096


@dataclass(frozen=True)
class Masks:
    """Which pairs do not count; None where all do.

    Args:
        row_ids: Identity of each row, long [m]; a pair of one identity does not count.
        column_ids: Identity of each column, long [k].
        row_groups: Group of each row, long [m]; pairs across groups do not count.
        column_groups: Group of each column, long [k].
    """

    row_ids: Tensor | None = None
    column_ids: Tensor | None = None
    row_groups: Tensor | None = None
    column_groups: Tensor | None = None


NO_MASKS = Masks()


def log_sums(
    rows: Tensor,
    columns: Tensor | None,
    tau: float,
    masks: Masks = NO_MASKS,
    precision: Precision = "fp32",
) -> tuple[Tensor, Tensor]:
    r"""Return the logarithm of each row's and column's sum of similarities.

    .. math::
        R_i = \log \sum_{j} e^{\langle a_i, b_j \rangle / \tau}, \qquad
        C_j = \log \sum_{i} e^{\langle a_i, b_j \rangle / \tau}

    Without ``columns`` the rows are compared among themselves, b = a, without the pairs
    (i, i); the matrix is symmetric then and each tile serves its mirror image too.

    Memory beyond the arguments: O((m + k) d) and one tile. Where several processes are
    joined, all call with the same arguments and each computes a share of the tiles.

    Args:
        rows: Unit rows a, [m, d].
        columns: Unit rows b, [k, d]; None means the rows themselves.
        tau: Temperature τ ≥ 0.025.
        masks: Pairs that do not count.
        precision: ``fp32`` computes in the type of ``rows``; ``bf16`` multiplies in
            bfloat16 and adds in single precision: similarities are then off by at most
            2⁻⁷/τ; ``auto`` is ``bf16`` where the machine has it and τ ≥ 0.1.

    Returns:
        R [m] and C [k]; −∞ where no pair counts.
    """
    if tau < SMALLEST_TAU:
        raise ValueError(f"tau={tau} is below {SMALLEST_TAU}: sums would overflow")
    if precision == "auto" and tau < SMALLEST_BF16_TAU:
        precision = "fp32"
    low = product_dtype(precision, rows)
    return _sums(rows, columns, tau, masks, low)


class _LogSums(torch.autograd.Function):
    """Both sums and their analytic gradient.

    With E_ij = e^{⟨a_i, b_j⟩/τ}, and g and h the gradients of R and C,

        ∂a_i = (1/τ) Σ_j E_ij (g_i/e^{R_i} + h_j/e^{C_j}) b_j

    and likewise for b. For the symmetric matrix C = R, so only R is returned twice.
    """

    @staticmethod
    def forward(
        ctx: Any,
        rows: Tensor,
        columns: Tensor | None,
        tau: float,
        masks: Masks,
        low: torch.dtype,
    ) -> tuple[Tensor, Tensor]:
        tiles = _Tiles(rows, columns, tau, masks, low)
        by_row, by_column = tiles.sums()
        processes.add_up(by_row, None if columns is None else by_column)
        ctx.save_for_backward(rows, columns, by_row, by_column)
        ctx.tau, ctx.masks, ctx.low = tau, masks, low
        return by_row.log(), by_column.log()

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, by_rows: Tensor, by_columns: Tensor
    ) -> tuple[Tensor, Tensor | None, None, None, None]:
        rows, columns, row_sums, column_sums = ctx.saved_tensors
        row_share = torch.where(row_sums > 0, by_rows / row_sums, 0)
        column_share = torch.where(column_sums > 0, by_columns / column_sums, 0)
        tiles = _Tiles(rows, columns, ctx.tau, ctx.masks, ctx.low)
        by_a, by_b = tiles.gradients(row_share, column_share)
        processes.add_up(by_a, by_b)
        return by_a, by_b, None, None, None


_sums: Callable[
    [Tensor, Tensor | None, float, Masks, torch.dtype], tuple[Tensor, Tensor]
] = _LogSums.apply


class _Buffers:
    """Room for one tile [tall, wide], and its chunks of rows, made once.

    Args:
        tall: Rows of the tile.
        wide: Columns of the tile.
        chunk: Rows of a chunk.
        like: Says type and device of the sums.
        low: Type of the products.
    """

    def __init__(
        self, tall: int, wide: int, chunk: int, like: Tensor, low: torch.dtype
    ) -> None:
        self.tile = like.new_empty(tall, wide, dtype=low)
        self.transposed = self.tile.t()
        self.parts = self.tile.split(chunk)
        # In full precision the product itself becomes the exponentials.
        scratch = like.new_empty(min(chunk, tall), wide)
        self.values = (
            self.parts
            if low == like.dtype
            else [scratch[: len(part)] for part in self.parts]
        )
        weights = like.new_empty(min(chunk, tall), wide)
        self.weights = [weights[: len(part)] for part in self.parts]


class _Tiles:
    """Walks over the matrix of exponentials.

    Blocks of rows and columns meet in a tile, whose product is computed at once; the
    exponentials are taken chunk by chunk of its rows, small enough for the cache. All
    views are cut beforehand: at this pace the cutting would cost a tenth of the time.
    """

    def __init__(
        self,
        rows: Tensor,
        columns: Tensor | None,
        tau: float,
        masks: Masks,
        low: torch.dtype,
    ) -> None:
        self.symmetric = columns is None
        self.masks = masks
        self.tau = tau
        self.like, self.low = rows.detach(), low
        most = BLOCK.get(low, DEFAULT_BLOCK)
        if rows.device.type != "cpu":
            most = ACCELERATOR_BLOCK
        self.tall = _block_rows(len(rows), most)
        self.wide = self.tall if columns is None else _block_rows(len(columns), most)
        self.chunk = min(self.tall, _chunk_rows(self.wide, rows.device))
        self.a = self.like.to(low)
        self.b = self.a if columns is None else columns.detach().to(low)
        self.exact_blocks = self.like.split(self.tall)
        self.row_blocks = self.a.split(self.tall)
        self.column_blocks = self.b.split(self.wide)
        self.transposed_blocks = [block.t() for block in self.column_blocks]
        self.buffers: dict[tuple[int, int], _Buffers] = {}
        area = max(self.tall, self.wide) * rows.shape[1]
        self.narrow = self.a.new_empty(area)
        self.widened = self.like.new_empty(area)
        self.scaled = self.a.new_empty(self.tall, rows.shape[1])
        self.scaled_block = -1

    def pairs(self) -> Iterator[tuple[int, int, _Buffers]]:
        """List the tiles: all of them, or those on and above the diagonal.

        Of several processes, each gets every so manieth tile.
        """
        places = (
            (i, j)
            for i in range(len(self.row_blocks))
            for j in range(i if self.symmetric else 0, len(self.column_blocks))
            if self.meet(i, j)
        )
        for i, j in islice(places, processes.rank(), None, processes.count()):
            shape = len(self.row_blocks[i]), len(self.column_blocks[j])
            if shape not in self.buffers:
                self.buffers[shape] = _Buffers(*shape, self.chunk, self.like, self.low)
            yield i, j, self.buffers[shape]

    def meet(self, i: int, j: int) -> bool:
        """Tell whether a tile can hold pairs of one group."""
        mine, theirs = self.masks.row_groups, self.masks.column_groups
        if mine is None or theirs is None:
            return True
        mine = mine[i * self.tall : (i + 1) * self.tall]
        theirs = theirs[j * self.wide : (j + 1) * self.wide]
        return bool((mine.min() <= theirs.max()) & (theirs.min() <= mine.max()))

    def exponentials(
        self, i: int, j: int, buffers: _Buffers
    ) -> Iterator[tuple[int, Tensor]]:
        """Yield the exponentials of a tile, chunk by chunk."""
        torch.mm(self.scaled_rows(i), self.transposed_blocks[j], out=buffers.tile)
        for c, (part, values) in enumerate(
            zip(buffers.parts, buffers.values, strict=True)
        ):
            if values is not part:
                values.copy_(part)
            values.exp_()
            if self.symmetric and i == j:
                values.diagonal(c * self.chunk).fill_(0)
            if self.masks is not NO_MASKS:
                start = i * self.tall + c * self.chunk
                self.hide(values, start, j * self.wide)
            yield c, values

    def scaled_rows(self, i: int) -> Tensor:
        """Return a block of rows over τ; the next blocks of columns meet it too."""
        scaled = self.scaled[: len(self.row_blocks[i])]
        if self.scaled_block != i:
            self.scaled_block = i
            scaled.copy_(self.exact_blocks[i] / self.tau)
        return scaled

    def hide(self, values: Tensor, top: int, left: int) -> None:
        """Set pairs that do not count to 0."""
        rows = slice(top, top + values.shape[0])
        columns = slice(left, left + values.shape[1])
        masks = self.masks
        if masks.row_ids is not None and masks.column_ids is not None:
            same = masks.row_ids[rows, None] == masks.column_ids[None, columns]
            values.masked_fill_(same, 0)
        if masks.row_groups is not None and masks.column_groups is not None:
            apart = masks.row_groups[rows, None] != masks.column_groups[None, columns]
            values.masked_fill_(apart, 0)

    def chunks(self, per_row: Tensor) -> list[tuple[Tensor, ...]]:
        """Cut values of rows [m] into blocks, and those into chunks."""
        return [block.split(self.chunk) for block in per_row.split(self.tall)]

    def sums(self) -> tuple[Tensor, Tensor]:
        """Return the sums of rows [m] and of columns [k]."""
        by_row = self.like.new_zeros(len(self.a))
        by_column = by_row if self.symmetric else self.like.new_zeros(len(self.b))
        across, down = self.chunks(by_row), by_column.split(self.wide)
        for i, j, buffers in self.pairs():
            mirrored = not (self.symmetric and i == j)
            for c, values in self.exponentials(i, j, buffers):
                across[i][c].add_(values.sum(dim=1))
                if mirrored:
                    down[j].add_(values.sum(dim=0))
        return by_row, by_column

    def gradients(
        self, row_share: Tensor, column_share: Tensor
    ) -> tuple[Tensor, Tensor | None]:
        """Return the gradients of rows [m, d] and columns [k, d].

        Args:
            row_share: Gradient of R over e^R, [m].
            column_share: The same of C, [k].
        """
        if self.symmetric:
            row_share = column_share = row_share + column_share
        by_a = torch.zeros_like(self.like)
        by_b = by_a if self.symmetric else by_a.new_zeros(self.b.shape)
        by_rows, by_columns = by_a.split(self.tall), by_b.split(self.wide)
        across = self.chunks(row_share[:, None])
        down = column_share.split(self.wide)
        for i, j, buffers in self.pairs():
            for c, values in self.exponentials(i, j, buffers):
                weights = torch.add(across[i][c], down[j], out=buffers.weights[c])
                values.mul_(weights)
                if values is not buffers.parts[c]:
                    buffers.parts[c].copy_(values)
            self.add_product(by_rows[i], buffers.tile, self.column_blocks[j])
            if not (self.symmetric and i == j):
                self.add_product(by_columns[j], buffers.transposed, self.row_blocks[i])
        by_a /= self.tau
        if self.symmetric:
            return by_a, None
        by_b /= self.tau
        return by_a, by_b

    def add_product(self, target: Tensor, left: Tensor, right: Tensor) -> None:
        """Add a product to ``target`` [r, d], in the target's precision."""
        if self.low == target.dtype:
            target.addmm_(left, right)
            return
        narrow = self.narrow[: target.numel()].view_as(target)
        widened = self.widened[: target.numel()].view_as(target)
        target.add_(widened.copy_(torch.mm(left, right, out=narrow)))


def _block_rows(length: int, most: int) -> int:
    """Return the size of nearly equal blocks, a multiple of 128, of 0 … length."""
    count = max(1, -(-length // most))
    return max(128, -(-length // count // 128) * 128)


def _chunk_rows(wide: int, device: torch.device) -> int:
    """Return how many rows of a tile are exponentiated at once.

    Three arrays of them (product, exponentials, weights) fit the caches of the cores
    at work. An accelerator takes the whole tile.
    """
    if device.type != "cpu":
        return ACCELERATOR_BLOCK
    room = core_cache_bytes() * torch.get_num_threads() // (3 * 4)
    return max(32, room // wide // 32 * 32)

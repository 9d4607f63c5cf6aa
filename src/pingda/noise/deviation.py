"""Products with Gaussian noise that is drawn tile by tile and never stands whole.

The noise of a graph with n nodes and f features has n·f entries, a hundred times more
than its features. An encoder only needs its product with a weight matrix: tile by tile
the deviation is computed, multiplied by fresh normal draws and by the weights, and
forgotten. The backward pass draws the same numbers again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Generator, Tensor
from torch.autograd.function import once_differentiable

from pingda.hardware import ambient_dtype

Deviation = Literal["abs", "softplus", "exp"]
Family = Literal["gaussian", "laplace", "uniform"]

# Fixed, and not chosen from the machine: the draws follow the tiles.
TILE = 512
# Below 1, so that its logarithm is finite.
LARGEST_LAPLACE_U = 1 - 1e-7


@dataclass(frozen=True)
class Drawing:
    """How the noise is made of the perceptron's output s.

    Args:
        deviation: σ(s): ``abs`` |s|, ``softplus`` log(1 + eˢ), ``exp`` e^{s/2}.
        seed: Seed of the normal draws.
        measured: Filled with Σσ and Σσ² by the forward pass, [2].
        family: Distribution of ε, of mean 0 and variance 1.
    """

    deviation: Deviation
    seed: int
    measured: Tensor
    family: Family = "gaussian"


def add_deviation(
    start: Tensor,
    hidden: Tensor,
    outer: Tensor,
    bias: Tensor,
    weight: Tensor,
    drawing: Drawing,
) -> Tensor:
    r"""Return :math:`Y + (\sigma(S) \odot \epsilon) W` with :math:`S = R V^\top + b`.

    Differentiable (once) in all five tensors. Memory: O((n + f) h) and one tile.

    Args:
        start: Y [n, h], which is overwritten.
        hidden: R [n, k].
        outer: V [f, k].
        bias: b [f].
        weight: W [f, h].
        drawing: How ε is drawn.
    """
    return _add(start, hidden, outer, bias, weight, drawing)


def deviation_noise(
    hidden: Tensor, outer: Tensor, bias: Tensor, drawing: Drawing
) -> Tensor:
    """Return the same noise as a dense tensor σ(S) ⊙ ε, [n, f]."""
    drawing.measured.zero_()
    rows = []
    generator = Generator(hidden.device).manual_seed(drawing.seed)
    for block in hidden.split(TILE):
        parts = []
        for v, b in zip(outer.split(TILE), bias.split(TILE), strict=True):
            s = block @ v.t() + b
            sigma, _ = _deviate(s, drawing.deviation)
            _measure(sigma, drawing)
            epsilon = fill(s.new_empty(s.shape), drawing.family, generator)
            parts.append(sigma * epsilon)
        rows.append(torch.cat(parts, dim=1))
    return torch.cat(rows)


def _deviate(s: Tensor, kind: Deviation) -> tuple[Tensor, Tensor | None]:
    """Return σ(s) and dσ/ds; None stands for 1.

    ``abs`` returns s itself: ε and sign(s) ε have one distribution, so |s| ε and its
    gradient sign(s) ε are distributed, together, as s ε and ε.
    """
    if kind == "abs":
        return s, None
    if kind == "softplus":
        return torch.nn.functional.softplus(s), torch.sigmoid(s)
    sigma = torch.exp(s / 2)
    return sigma, sigma / 2


@torch.no_grad()
def _measure(sigma: Tensor, drawing: Drawing) -> None:
    drawing.measured[0] += torch.linalg.vector_norm(sigma, ord=1)
    drawing.measured[1] += torch.linalg.vector_norm(sigma).square()


def fill(room: Tensor, family: Family, generator: Generator) -> Tensor:
    """Fill a tensor with draws of mean 0 and variance 1."""
    if family == "gaussian":
        return room.normal_(generator=generator)
    if family == "uniform":
        return room.uniform_(-(3**0.5), 3**0.5, generator=generator)
    # Laplace by inversion: −sign(u) log(1 − 2|u|) / √2 for u uniform in −½ … ½.
    room.uniform_(-0.5, 0.5, generator=generator)
    size = room.abs().mul_(2).clamp_(max=LARGEST_LAPLACE_U).neg_().log1p_()
    return room.sign_().mul_(size).mul_(-(0.5**0.5))


class _Tiles:
    """Room for one tile, its factors in the type of the products, and the walk.

    Args:
        hidden: R [n, k].
        outer: V [f, k].
        bias: b [f].
        weight: W [f, h].
        drawing: How ε is drawn.
    """

    def __init__(
        self,
        hidden: Tensor,
        outer: Tensor,
        bias: Tensor,
        weight: Tensor,
        drawing: Drawing,
    ) -> None:
        self.low, self.like = ambient_dtype(hidden), hidden
        self.hidden, self.outer, self.weight = (
            factor.to(self.low).split(TILE) for factor in (hidden, outer, weight)
        )
        self.bias, self.drawing = bias.split(TILE), drawing
        side = min(TILE, max(len(hidden), len(outer)))
        self.rooms = [hidden.new_empty(side * side) for _ in range(2)]
        self.lowered = hidden.new_empty(side * side, dtype=self.low)
        widest = max(hidden.shape[1], weight.shape[1])
        self.narrow = hidden.new_empty(side * widest, dtype=self.low)

    def __iter__(self) -> Iterator[tuple[int, int, Tensor, Tensor]]:
        """Yield row block, column block, s and ε of every tile, to be overwritten."""
        draw = Generator(self.like.device).manual_seed(self.drawing.seed)
        for i, rows in enumerate(self.hidden):
            for j, columns in enumerate(self.outer):
                shape = len(rows), len(columns)
                s, epsilon = (_shaped(room, *shape) for room in self.rooms)
                if self.low == s.dtype:
                    torch.addmm(self.bias[j], rows, columns.t(), out=s)
                else:
                    lowered = _shaped(self.lowered, *shape)
                    torch.mm(rows, columns.t(), out=lowered)
                    torch.add(lowered, self.bias[j], out=s)
                yield i, j, s, fill(epsilon, self.drawing.family, draw)

    def product(self, left: Tensor, right: Tensor, room: Tensor) -> Tensor:
        """Return a product in ``room`` [r, c], in the room's precision."""
        if self.low == room.dtype:
            return torch.mm(left, right, out=room)
        lowered = _shaped(self.lowered, *room.shape)
        return room.copy_(torch.mm(left, right, out=lowered))

    def lower(self, tile: Tensor) -> Tensor:
        """Return a tile in the type of the products."""
        if self.low == tile.dtype:
            return tile
        return _shaped(self.lowered, *tile.shape).copy_(tile)

    def add_product(self, target: Tensor, left: Tensor, right: Tensor) -> None:
        """Add a product to ``target`` [r, c], in the target's precision."""
        if self.low == target.dtype:
            target.addmm_(left, right)
        else:
            target.add_(torch.mm(left, right, out=_shaped(self.narrow, *target.shape)))


def _shaped(room: Tensor, tall: int, wide: int) -> Tensor:
    return room[: tall * wide].view(tall, wide)


class _AddDeviation(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        start: Tensor,
        hidden: Tensor,
        outer: Tensor,
        bias: Tensor,
        weight: Tensor,
        drawing: Drawing,
    ) -> Tensor:
        ctx.save_for_backward(hidden, outer, bias, weight)
        ctx.drawing = drawing
        ctx.mark_dirty(start)
        results = start.split(TILE)
        drawing.measured.zero_()
        tiles = _Tiles(hidden, outer, bias, weight, drawing)
        for i, j, s, epsilon in tiles:
            sigma, _ = _deviate(s, drawing.deviation)
            _measure(sigma, drawing)
            noise = tiles.lower(sigma.mul_(epsilon))
            tiles.add_product(results[i], noise, tiles.weight[j])
        return start

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, gradient: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, None]:
        by = [torch.zeros_like(tensor) for tensor in ctx.saved_tensors]
        to_hidden, to_outer, to_bias, to_weight = (whole.split(TILE) for whole in by)
        hidden, outer, bias, weight = ctx.saved_tensors
        tiles = _Tiles(hidden, outer, bias, weight, ctx.drawing)
        gradients = gradient.to(tiles.low).split(TILE)
        for i, j, s, epsilon in tiles:
            sigma, slope = _deviate(s, ctx.drawing.deviation)
            noise = tiles.lower(sigma.mul_(epsilon))
            tiles.add_product(to_weight[j], noise.t(), gradients[i])
            if slope is not None:
                epsilon.mul_(slope)
            # The room of s is free again.
            by_s = tiles.product(gradients[i], tiles.weight[j].t(), s).mul_(epsilon)
            to_bias[j].add_(by_s.sum(dim=0))
            by_s = tiles.lower(by_s)
            tiles.add_product(to_hidden[i], by_s, tiles.outer[j])
            tiles.add_product(to_outer[j], by_s.t(), tiles.hidden[i])
        return gradient, by[0], by[1], by[2], by[3], None


_add: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Drawing], Tensor] = (
    _AddDeviation.apply
)

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

Deviation = Literal["abs", "softplus", "exp"]

# Fixed, and not chosen from the machine: the draws follow the tiles.
TILE = 512
# Draws of small graphs (32 MiB in single precision) are kept for the backward pass.
KEPT_ENTRIES = 1 << 23


@dataclass(frozen=True)
class Drawing:
    """How the noise is made of the perceptron's output s.

    Args:
        deviation: σ(s): ``abs`` |s|, ``softplus`` log(1 + eˢ), ``exp`` e^{s/2}.
        seed: Seed of the normal draws.
        measured: Filled with Σσ and Σσ² by the forward pass, [2].
    """

    deviation: Deviation
    seed: int
    measured: Tensor


def deviation_product(
    hidden: Tensor, outer: Tensor, bias: Tensor, weight: Tensor, drawing: Drawing
) -> Tensor:
    r"""Return :math:`(\sigma(S) \odot \epsilon) W` with :math:`S = R V^\top + b`.

    Differentiable (once) in all four tensors. Memory: O((n + f) h) and one tile.

    Args:
        hidden: R [n, k].
        outer: V [f, k].
        bias: b [f].
        weight: W [f, h].
        drawing: How ε ~ N(0, I) is drawn.
    """
    return _product(hidden, outer, bias, weight, drawing)


def deviation_noise(
    hidden: Tensor, outer: Tensor, bias: Tensor, drawing: Drawing
) -> Tensor:
    """Return the same noise as a dense tensor σ(S) ⊙ ε, [n, f]."""
    drawing.measured.zero_()
    rows = []
    draw = _normal_tiles(drawing.seed, hidden)
    for block in hidden.split(TILE):
        parts = []
        for v, b in zip(outer.split(TILE), bias.split(TILE), strict=True):
            s = block @ v.t() + b
            sigma, _ = _deviate(s, drawing.deviation)
            _measure(sigma, drawing)
            parts.append(sigma * draw(*s.shape))
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


def _normal_tiles(seed: int, like: Tensor) -> Callable[[int, int], Tensor]:
    """Return a function that draws the next tile of ε."""
    generator = Generator(like.device).manual_seed(seed)

    def draw(tall: int, wide: int) -> Tensor:
        return like.new_empty(tall, wide).normal_(generator=generator)

    return draw


class _DeviationProduct(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        outer: Tensor,
        bias: Tensor,
        weight: Tensor,
        drawing: Drawing,
    ) -> Tensor:
        result = hidden.new_zeros(len(hidden), weight.shape[1])
        ctx.kept = [] if len(hidden) * len(outer) <= KEPT_ENTRIES else None
        results, weights = result.split(TILE), weight.split(TILE)
        drawing.measured.zero_()
        for i, j, s, epsilon in _tiles(hidden, outer, bias, drawing.seed):
            if ctx.kept is not None:
                ctx.kept.append(epsilon)
            sigma, _ = _deviate(s, drawing.deviation)
            _measure(sigma, drawing)
            results[i].addmm_(sigma.mul_(epsilon), weights[j])
        ctx.save_for_backward(hidden, outer, bias, weight)
        ctx.drawing = drawing
        return result

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, gradient: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:
        hidden, outer, bias, weight = ctx.saved_tensors
        by = [torch.zeros_like(tensor) for tensor in ctx.saved_tensors]
        to_hidden, to_outer, to_bias, to_weight = (whole.split(TILE) for whole in by)
        hiddens, outers, weights, gradients = (
            whole.split(TILE) for whole in (hidden, outer, weight, gradient)
        )
        seed = ctx.drawing.seed
        for i, j, s, epsilon in _tiles(hidden, outer, bias, seed, ctx.kept):
            sigma, slope = _deviate(s, ctx.drawing.deviation)
            to_weight[j].addmm_(sigma.mul_(epsilon).t(), gradients[i])
            by_s = (gradients[i] @ weights[j].t()).mul_(epsilon)
            if slope is not None:
                by_s.mul_(slope)
            to_bias[j].add_(by_s.sum(dim=0))
            to_hidden[i].addmm_(by_s, outers[j])
            to_outer[j].addmm_(by_s.t(), hiddens[i])
        return by[0], by[1], by[2], by[3], None


_product: Callable[[Tensor, Tensor, Tensor, Tensor, Drawing], Tensor] = (
    _DeviationProduct.apply
)


def _tiles(
    hidden: Tensor,
    outer: Tensor,
    bias: Tensor,
    seed: int,
    kept: list[Tensor] | None = None,
) -> Iterator[tuple[int, int, Tensor, Tensor]]:
    """Yield row block, column block, s (to be overwritten) and ε of every tile."""
    draw = _normal_tiles(seed, hidden)
    columns = [
        (block.t(), b)
        for block, b in zip(outer.split(TILE), bias.split(TILE), strict=True)
    ]
    for i, rows in enumerate(hidden.split(TILE)):
        for j, (block, b) in enumerate(columns):
            s = torch.addmm(b, rows, block)
            epsilon = kept[i * len(columns) + j] if kept else draw(*s.shape)
            yield i, j, s, epsilon

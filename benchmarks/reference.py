"""The same training step with plain dense tensors, as the published code computes it.

Dense features, attribute noise of all nodes and features at once, the edge scorer on
concatenated features (or, where that would not fit, on its 128-wide form), PyTorch's
own sparse aggregation, and a loss that goes by blocks of rows but leaves every block to
the backward pass. It takes the parameters of our method, so that both compute the same
loss; nothing of ours is called.
"""

import torch
from torch import Tensor
from torch.nn.functional import linear, normalize, prelu

from pingda.methods.pingda import PiNGDA
from pingda.nn import GCN
from pingda.nn.activation import SharedPReLU
from pingda.noise.feature import FeatureNoise, FeaturePerceptron

BLOCK = 2048  # rows of the loss at once
LARGEST_CONCATENATION = 2 << 30  # bytes
MARGIN = 1e-4


def step_loss(
    method: PiNGDA,
    x: Tensor,
    edge_index: Tensor,
    pairs: tuple[Tensor, Tensor],
    uniform: Tensor,
    epsilon: Tensor,
) -> Tensor:
    """Return the loss of one step of profile ``paper``.

    Args:
        method: Holds the parameters.
        x: Dense features [n, f].
        edge_index: Edges [2, e].
        pairs: Undirected pairs [2, p], and the pair of each edge [e].
        uniform: U of the edges, [p].
        epsilon: ε of the attributes, [n, f].
    """
    weight = edge_weight(method, x, pairs[0], uniform).index_select(0, pairs[1])
    noisy = noisy_features(method, x, epsilon)
    p = projection(method, x, edge_index, torch.ones_like(weight))
    q = projection(method, noisy, edge_index, weight)
    return info_nce(p, q, method.loss.tau)


def edge_weight(method: PiNGDA, x: Tensor, pairs: Tensor, uniform: Tensor) -> Tensor:
    """Return the relaxed weight of each pair, [p]."""
    assert method.noise.edge_noise is not None
    scorer = method.noise.edge_noise.scorer
    logits = torch.zeros(pairs.shape[1], dtype=x.dtype)
    wide = pairs.shape[1] * 2 * x.shape[1] * x.element_size()
    halves = scorer.ends.weight.chunk(2, dim=1)
    for u, v in (pairs, pairs.flip(0)):
        if wide <= LARGEST_CONCATENATION:
            hidden = scorer.ends(torch.cat([x[u], x[v]], dim=1))
        else:
            a, b = (x @ half.t() for half in halves)
            hidden = a[u] + b[v] + scorer.ends.bias
        logits = logits + scorer.score(torch.relu(hidden)).squeeze(1) / 2
    uniform = MARGIN + (1 - 2 * MARGIN) * uniform
    return torch.sigmoid(logits + torch.logit(uniform))


def noisy_features(method: PiNGDA, x: Tensor, epsilon: Tensor) -> Tensor:
    """Return X + μ + |s| ⊙ ε, [n, f]."""
    noise = method.noise.feature_noise
    assert isinstance(noise, FeatureNoise)
    assert noise.mean is not None
    mu, s = perceptron(noise.mean, x), perceptron(noise.spread, x)
    return x + mu + s.abs() * epsilon


def perceptron(part: FeaturePerceptron, x: Tensor) -> Tensor:
    """Map [n, f] to [n, f]."""
    return part.outer(torch.relu(part.inner(x)))  # type: ignore[no-any-return]


def projection(method: PiNGDA, x: Tensor, edge_index: Tensor, weight: Tensor) -> Tensor:
    """Encode and project one view, [n, d]."""
    encoder = method.encoder
    assert isinstance(encoder, GCN)
    assert isinstance(encoder.activation, SharedPReLU)
    slope = encoder.activation.slope
    nodes = len(x)
    h = x
    for layer in (encoder.first, encoder.second):
        h = aggregate(h @ layer.weight, edge_index, weight, nodes) + layer.bias
        h = prelu(h, slope)
    head = method.projector
    inner = torch.relu(linear(h, head.inner.weight, head.inner.bias))
    return linear(inner, head.outer.weight, head.outer.bias)


def aggregate(h: Tensor, edge_index: Tensor, weight: Tensor, nodes: int) -> Tensor:
    """Gather, weigh and scatter the messages: e rows of them are made."""
    source, target = edge_index
    degree = torch.ones(nodes).index_add(0, target, weight)
    scale = degree.rsqrt()
    messages = h[source] * (scale[source] * weight * scale[target])[:, None]
    summed = torch.zeros_like(h).index_add(0, target, messages)
    return summed + h * scale.square()[:, None]


def info_nce(p: Tensor, q: Tensor, tau: float) -> Tensor:
    """Symmetric loss, block by block of rows; autograd keeps every block."""
    p, q = normalize(p, dim=1), normalize(q, dim=1)
    losses = [semi_loss(p, q, tau), semi_loss(q, p, tau)]
    return torch.stack(losses).mean()


def semi_loss(anchor: Tensor, other: Tensor, tau: float) -> Tensor:
    """Return the mean of ℓ over the anchor's rows."""
    losses = []
    for start in range(0, len(anchor), BLOCK):
        rows = anchor[start : start + BLOCK]
        within = torch.exp(rows @ anchor.t() / tau)
        across = torch.exp(rows @ other.t() / tau)
        positive = across.diagonal(start)
        total = across.sum(dim=1) + within.sum(dim=1) - within.diagonal(start)
        losses.append(-torch.log(positive / total))
    return torch.cat(losses).mean()

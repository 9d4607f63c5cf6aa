"""What is timed: our kernels, the dense reference, and the floor under both.

Each function prepares once and returns the work itself, a call without arguments.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor
from torch.nn.functional import normalize

from cases import REAL, Case
from pingda.experiments.config import DataSummary, RunConfig
from pingda.experiments.job import Job
from pingda.graph import Graph, GraphView
from pingda.graph.propagation import Propagation
from pingda.graph.sparse import dense
from pingda.hardware import products_in
from pingda.losses import info_nce
from pingda.methods.pingda import PiNGDA
from pingda.training.loop import Batches, train
from reference import info_nce as dense_info_nce
from reference import noisy_features, step_loss

Work = Callable[[], object]
PRECISIONS = {"float32": "fp32", "bfloat16": "bf16"}
WIDTH, TAU = 256, 0.3


def job_of(graph: Graph, dtype: str, **settings: Any) -> Job:
    """Return profile ``paper`` on a graph, ready to be trained."""
    config = RunConfig(
        source=None,
        method="pingda",
        recipe=None,
        seed=0,
        settings={
            "epochs": 10**6,
            "meter": 0,
            "precision": PRECISIONS[dtype],
            **settings,
        },
        data=DataSummary.of(graph),
    )
    return Job(config)


def two_views(nodes: int) -> tuple[Tensor, Tensor]:
    """Return random projections of two views, [n, 256] each."""
    generator = Generator().manual_seed(0)
    p, q = (torch.randn(nodes, WIDTH, generator=generator) for _ in range(2))
    return p.requires_grad_(), q.requires_grad_()


def our_loss(case: Case, dtype: str) -> Work:
    """Return the exact loss with its gradient."""
    p, q = two_views(case.nodes)
    precision: Any = PRECISIONS[dtype]

    def work() -> None:
        with products_in(precision, p.device):
            torch.autograd.grad(info_nce(p, q, TAU, precision=precision), (p, q))

    return work


def reference_loss(case: Case, _dtype: str) -> Work:
    """Return the dense loss with its gradient."""
    p, q = two_views(case.nodes)
    return lambda: torch.autograd.grad(dense_info_nce(p, q, TAU), (p, q))


def floor_loss(case: Case, dtype: str) -> Work:
    """Return the products and exponentials that an exact loss in O(n d) memory needs.

    Over the tiles on and above the diagonal of the 2n × 2n similarities: the product
    forwards and again backwards, the exponentials of both, and two products of the
    exponentials with the projections. A part of a tile counts as a part.
    """
    kind = getattr(torch, dtype)
    rows = 2 * case.nodes
    tile = {torch.bfloat16: 768}.get(kind, 512)
    z = normalize(torch.randn(rows + tile, WIDTH), dim=1).to(kind)
    product = torch.empty(tile, tile, dtype=kind)
    exponents, exponentials = torch.zeros(tile, tile), torch.empty(tile, tile)
    result = torch.empty(tile, WIDTH, dtype=kind)
    blocks = rows / tile
    needed = round(blocks * (blocks + 1) / 2)
    places = [(k * tile) % rows for k in range(needed)]

    def work() -> None:
        for k in places:
            a, b = z[k : k + tile], z[rows - k : rows - k + tile]
            for _ in range(2):
                torch.mm(a, b.t(), out=product)
                torch.exp(exponents, out=exponentials)
            torch.mm(product, b, out=result)
            torch.mm(product.t(), a, out=result)

    return work


def our_noise(case: Case, dtype: str) -> Work:
    """Return both noises, their products with a first layer, and the gradients."""
    job = job_of(case.load(), dtype)
    method, view = method_and_view(job, case.load())
    weight = torch.randn(view.x.shape[1], 512)
    upstream = torch.randn(view.nodes, 512)
    parameters = list(method.noise.parameters())

    def work() -> None:
        with products_in(job.state.precision, job.device):
            _, noisy = method.noise.draw(view, job.state.streams["noise"])
            product = noisy.view.x @ weight
            total = (product * upstream).sum() + noisy.view.weights().sum()
            torch.autograd.grad(total, parameters)

    return work


def reference_noise(case: Case, dtype: str) -> Work:
    """Return the same with the noise of all nodes and features at once."""
    from reference import edge_weight  # noqa: PLC0415

    graph = case.load()
    job = job_of(graph, dtype)
    method, view = method_and_view(job, graph)
    x, pairs = dense(graph.x), view.structure.pairing
    weight, upstream = torch.randn(x.shape[1], 512), torch.randn(len(x), 512)
    parameters = list(method.noise.parameters())

    def work() -> None:
        uniform = torch.rand(pairs[0].shape[1])
        keep = edge_weight(method, x, pairs[0], uniform)[pairs[1]]
        product = noisy_features(method, x, torch.randn_like(x)) @ weight
        total = (product * upstream).sum() + keep.sum()
        torch.autograd.grad(total, parameters)

    return work


def our_propagation(case: Case, _dtype: str) -> Work:
    """Return one weighted aggregation of 256 columns with both gradients."""
    view = case.load().view()
    weights = torch.rand(view.edge_index.shape[1]).requires_grad_()
    h = torch.randn(view.nodes, WIDTH).requires_grad_()
    upstream = torch.randn(view.nodes, WIDTH)

    def work() -> None:
        result = Propagation(view.with_edge_weight(weights))(h)
        torch.autograd.grad((result * upstream).sum(), (weights, h))

    return work


def reference_propagation(case: Case, _dtype: str) -> Work:
    """Return the same by gathering and scattering messages."""
    from reference import aggregate  # noqa: PLC0415

    view = case.load().view()
    weights = torch.rand(view.edge_index.shape[1]).requires_grad_()
    h = torch.randn(view.nodes, WIDTH).requires_grad_()
    upstream = torch.randn(view.nodes, WIDTH)

    def work() -> None:
        result = aggregate(h, view.edge_index, weights, view.nodes)
        torch.autograd.grad((result * upstream).sum(), (weights, h))

    return work


def floor_propagation(case: Case, _dtype: str) -> Work:
    """Return the bare sparse products: one forwards, one transposed, one sampled."""
    structure = case.load().view().structure
    pattern = structure.pattern
    values = torch.rand(pattern.columns.numel())
    forwards, backwards = pattern.filled(values), pattern.transposed.filled(values)
    h, upstream = (torch.randn(structure.nodes, WIDTH) for _ in range(2))
    empty = pattern.filled(torch.zeros_like(values))

    def work() -> None:
        forwards @ h
        backwards @ upstream
        torch.sparse.sampled_addmm(empty, upstream, h.t(), beta=0.0)

    return work


def our_step(case: Case, dtype: str) -> Work:
    """Return one epoch of the training loop: full negatives, or a sample of them."""
    graph = case.load()
    sampled = {} if case.name in REAL else sampled_negatives()
    job = job_of(graph, dtype, **sampled)
    batches = job.batches(job.view(graph))
    return lambda: one_epoch(job, batches)


def reference_step(case: Case, dtype: str) -> Work:
    """Return the same step by the dense reference, three plain Adam steps included."""
    graph = case.load()
    method, view = method_and_view(job_of(graph, dtype), graph)
    x, pairs = dense(graph.x), view.structure.pairing
    learners = [
        torch.optim.Adam(learner.param_groups[0]["params"], lr=1e-4, weight_decay=1e-4)
        for learner in method.learners().values()
    ]

    def work() -> None:
        uniform = torch.rand(pairs[0].shape[1])
        epsilon = torch.randn_like(x)
        loss = step_loss(method, x, graph.edge_index, pairs, uniform, epsilon)
        for learner in learners:
            learner.zero_grad()
        loss.backward()
        for learner in learners:
            learner.step()

    return work


def floor_step(case: Case, dtype: str) -> Work:
    """Return the bare products, exponentials and normal draws of one step.

    With n nodes, f features, widths 512 and 256: the loss's floor; the attribute
    noise's products n·f·(256 + 512) forwards, and its recomputation and four gradients
    n·f·(256 + 512 + 512 + 256 + 256) backwards, and n·f normal draws; twice the
    encoder's second layer and the projector, forwards and backwards; and the sparse
    products of the first layers and of the aggregations.
    """
    graph = case.load()
    kind = getattr(torch, dtype)
    loss = floor_loss(case, dtype)
    n, f = graph.nodes, graph.features
    view = graph.view()
    x, structure = graph.x, view.structure
    adjacency = structure.pattern.filled(torch.rand(structure.pattern.columns.numel()))
    columns = [slice(k, min(k + 512, f)) for k in range(0, f, 512)]
    rows = [slice(k, min(k + 512, n)) for k in range(0, n, 512)]
    r, g = torch.randn(n, 256).to(kind), torch.randn(n, 512).to(kind)
    v, w = torch.randn(f, 256).to(kind), torch.randn(f, 512).to(kind)
    h512, h256 = torch.randn(n, 512), torch.randn(n, 256)
    d512, d256 = h512.to(kind), h256.to(kind)
    w2, w3 = torch.randn(512, 256).to(kind), torch.randn(256, 256).to(kind)
    noise = torch.empty(512, 512)
    firsts = [torch.randn(f, width) for width in (512, 512, 256, 256, 256)]

    def work() -> None:
        loss()
        for i in rows:
            for j in columns:
                s = r[i] @ v[j].t()
                noise[: s.shape[0], : s.shape[1]].normal_()
                s @ w[j]
                r[i] @ v[j].t()
                g[i] @ w[j].t()
                s.t() @ g[i]
                s @ v[j]
                s.t() @ r[i]
        for _ in range(2):
            d512 @ w2, d256 @ w2.t(), d512.t() @ d256
            for _ in range(2):
                d256 @ w3, d256 @ w3.t(), d256.t() @ d256
            for h in (h512, h512, h256, h256):
                adjacency @ h
        for first in firsts:
            product = x @ first
            if isinstance(x, Tensor):
                x.t() @ product
            else:
                x.pattern.transposed.filled(x.values) @ product

    return work


def our_sampling(case: Case, dtype: str) -> Work:
    """Return one epoch by neighbour batches of 1,024 seeds."""
    graph = case.load()
    settings = {"batch": 1024, **sampled_negatives()}
    job = job_of(graph, dtype, **settings)
    batches = job.batches(job.view(graph))
    return lambda: one_epoch(job, batches)


def sampled_negatives() -> dict[str, Any]:
    """Return the settings of large graphs."""
    return {"negatives": "sampled", "samples": 1024}


def method_and_view(job: Job, graph: Graph) -> tuple[PiNGDA, GraphView]:
    """Return the method of a job and the graph as it sees it."""
    method = job.state.method
    assert isinstance(method, PiNGDA)
    return method, job.view(graph)


def one_epoch(job: Job, batches: Batches) -> None:
    """Train for one more epoch."""
    job.state.epochs = job.state.epoch + 1
    train(job.state, batches)


WORK: dict[tuple[str, str], Callable[[Case, str], Work]] = {
    ("loss", "ours"): our_loss,
    ("loss", "reference"): reference_loss,
    ("loss", "floor"): floor_loss,
    ("noise", "ours"): our_noise,
    ("noise", "reference"): reference_noise,
    ("propagation", "ours"): our_propagation,
    ("propagation", "reference"): reference_propagation,
    ("propagation", "floor"): floor_propagation,
    ("step", "ours"): our_step,
    ("step", "reference"): reference_step,
    ("step", "floor"): floor_step,
    ("sampling", "ours"): our_sampling,
}

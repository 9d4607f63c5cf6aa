"""Several processes at one job, as ``torchrun`` starts them.

Each process holds the whole model and takes a share of the work; what they found is
summed. With a single process every function here returns at once.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from pingda.errors import PingdaError

# A process that waits longer than this for another one gives up.
PATIENCE = timedelta(minutes=30)


def is_first() -> bool:
    """Tell whether this process is the one that writes and speaks."""
    return launched() == 1 or os.environ.get("RANK", "0") == "0"


def launched() -> int:
    """Return how many processes ``torchrun`` started for this job; 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def rank() -> int:
    """Return the number of this process, 0 for the first or only one."""
    return dist.get_rank() if together() else 0


def count() -> int:
    """Return how many processes work on the job."""
    return dist.get_world_size() if together() else 1


def together() -> bool:
    """Tell whether processes are joined."""
    return dist.is_available() and dist.is_initialized()


@contextmanager
def joined() -> Iterator[None]:
    """Join the processes that ``torchrun`` started, and part from them at the end.

    Raises:
        PingdaError: Another process ended before the job was done.
    """
    if launched() == 1:
        yield
        return
    on_cuda = torch.cuda.is_available()
    if on_cuda:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl" if on_cuda else "gloo", timeout=PATIENCE)
    try:
        yield
    except (dist.DistError, RuntimeError) as error:
        if not _is_lost_connection(error):
            raise
        raise PingdaError(
            f"process {rank()} lost another process of this job, which ended early; "
            "see its message, and go on with the same command and --resume"
        ) from error
    finally:
        dist.destroy_process_group()


def _is_lost_connection(error: Exception) -> bool:
    """Tell a broken connection from faults of our own."""
    words = ("connection", "peer", "gloo", "nccl", "timed out", "timeout", "socket")
    text = str(error).lower()
    return isinstance(error, dist.DistError) or any(word in text for word in words)


def add_up(*tensors: Tensor | None) -> None:
    """Replace each tensor by its sum over all processes, the same bits in each."""
    if together():
        for tensor in tensors:
            if tensor is not None:
                dist.all_reduce(tensor)


def any_of(mine: bool) -> bool:
    """Tell whether any process says yes, the same answer in each."""
    if not together():
        return mine
    said = torch.tensor(float(mine), device=_meeting_place())
    dist.all_reduce(said)
    return bool(said > 0)


def wait_for_all() -> None:
    """Go on when every process has come here."""
    any_of(False)


def _meeting_place() -> torch.device:
    """Return where tensors must be for the processes to exchange them."""
    return torch.device("cuda" if dist.get_backend() == "nccl" else "cpu")


class _Gather(torch.autograd.Function):
    """Rows of all processes; back, each takes the gradient of its own rows."""

    @staticmethod
    def forward(ctx: Any, mine: Tensor) -> Tensor:
        ctx.rows = len(mine)
        parts = [torch.empty_like(mine) for _ in range(count())]
        dist.all_gather(parts, mine.contiguous())
        return torch.cat(parts)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        begin = rank() * ctx.rows
        return gradient[begin : begin + ctx.rows]


def gather(mine: Tensor) -> Tensor:
    """Return the rows [m, d] of every process below each other, [processes · m, d].

    Differentiable: all processes compute the same loss of the gathered rows, so each
    finds the whole gradient there and takes the part of its own rows.
    """
    return _Gather.apply(mine) if together() else mine  # type: ignore[no-untyped-call]

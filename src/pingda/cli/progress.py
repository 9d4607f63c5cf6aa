"""Progress on stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from pingda.processes import is_first

if TYPE_CHECKING:
    from pingda.training.loop import Callback
    from pingda.training.state import TrainingState

SECONDS_BETWEEN_LINES = 5.0
SHOWN = {
    "loss": "loss",
    "keep_mean": "edges kept",
    "keep_below_half": "under ½",
    "keep_intra_class": "intra",
    "keep_inter_class": "inter",
    "noise_to_signal": "noise/signal",
    "positive_cosine": "agreement",
    "information": "I(T;E)",
}

Tick = Callable[[int, int, str], None]


@contextmanager
def progress(title: str) -> Iterator[Tick]:
    """Show how far something is.

    Yields:
        A function to call with finished steps, all steps, and a remark.
    """
    if not is_first():
        yield lambda _done, _total, _remark: None
        return
    if not sys.stderr.isatty():
        yield _plain_lines(title)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, remark="")
        yield lambda done, total, remark: bar.update(
            task, completed=done, total=total, remark=remark
        )


def remark(title: str) -> Callable[[str], None]:
    """Return a function that prints a sentence about the work of that title."""

    def say(sentence: str) -> None:
        if is_first():
            sys.stderr.write(f"{title}: {sentence}\n")

    return say


def _plain_lines(title: str) -> Tick:
    last = time.monotonic()

    def show(done: int, total: int, remark: str) -> None:
        nonlocal last
        now = time.monotonic()
        if done >= total or now - last >= SECONDS_BETWEEN_LINES:
            last = now
            sys.stderr.write(f"{title}: {done}/{total}  {remark}".rstrip() + "\n")
            sys.stderr.flush()

    return show


def on_epoch(tick: Tick) -> "Callback":
    """Return a training callback that shows loss and noise."""

    def callback(state: "TrainingState", metrics: dict[str, float]) -> None:
        shown = (f"{SHOWN[k]} {metrics[k]:.3f}" for k in SHOWN if k in metrics)
        tick(state.epoch, state.epochs, "  ".join(shown))

    return callback

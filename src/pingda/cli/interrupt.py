"""Ctrl-C and SIGTERM end a run after the epoch, with its state kept."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stop_requests() -> Iterator[Callable[[], bool]]:
    """Turn the first signal into a request; a second one ends the process at once.

    Yields:
        A function that tells whether a stop was asked for.
    """
    asked = False
    caught = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in caught}

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in caught:
        signal.signal(number, handle)
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

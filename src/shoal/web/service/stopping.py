"""Work that somebody waits for, and may no longer want to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from shoal.errors import LimitReached

CANCELLED = "this was cancelled"
_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@contextmanager
def cancelled_by(stop: threading.Event) -> Iterator[None]:
    """What is done within the block, also by threads that take its context, can be ended."""
    before = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(before)


def is_cancelled() -> bool:
    """Whether whoever waits for this has given up."""
    stop = _stop.get()
    return stop is not None and stop.is_set()


def refuse_if_cancelled() -> None:
    """LimitReached if whoever waits for this has given up."""
    if is_cancelled():
        raise LimitReached(CANCELLED)

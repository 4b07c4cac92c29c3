"""How long work tells how far it is, and learns that it should stop."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from shoal.errors import Cancelled

_asked_to_stop = threading.Event()


@contextmanager
def interrupts_between_steps() -> Iterator[None]:
    """Let Ctrl-C wait until the work tells how far it is: inside compiled code it could end in a crash."""
    in_charge = threading.current_thread() is threading.main_thread()
    if not in_charge or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _asked_to_stop.clear()
    signal.signal(signal.SIGINT, lambda *_: _asked_to_stop.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    heed_interrupt()


def heed_interrupt() -> None:
    """Raise KeyboardInterrupt if somebody pressed Ctrl-C since the work began."""
    if _asked_to_stop.is_set():
        _asked_to_stop.clear()
        raise KeyboardInterrupt


class Progress(Protocol):
    """What a search may say and ask while it works."""

    def stage(self, name: str) -> None:
        """Name the part of the work that begins now."""

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Tell how much of the current stage is done; raises `Cancelled` when the user wants to stop."""

    def expired(self, share: float = 1.0) -> bool:
        """Whether the time limit, or a share of it, has passed."""


class Silent:
    """Progress for callers who do not watch; still keeps the time limit and the wish to stop."""

    def __init__(self, time_limit: float | None = None) -> None:
        self._started, self._time_limit = time.monotonic(), time_limit
        self._cancelled = False

    def stage(self, name: str) -> None:
        """Nobody listens."""

    def update(self, done: float, total: float | None = None, note: str = "") -> None:  # noqa: ARG002
        """Nobody listens, but a wish to stop is honoured."""
        if self._cancelled:
            raise Cancelled("The work was cancelled")

    def expired(self, share: float = 1.0) -> bool:
        """Whether the time limit, or a share of it, has passed."""
        return self._time_limit is not None and time.monotonic() > self._started + share * self._time_limit

    def cancel(self) -> None:
        """Ask the work to stop at its next update."""
        self._cancelled = True

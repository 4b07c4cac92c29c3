"""Independent searches at the same time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from shoal.errors import Cancelled
from shoal.progress import Progress

Result = TypeVar("Result")

_SECONDS_BETWEEN_LOOKS = 0.1
_ALLOWED: ContextVar[int | None] = ContextVar("threads allowed", default=None)


def processors() -> int:
    """How many threads can run at the same time, or may."""
    return _ALLOWED.get() or os.cpu_count() or 1


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Allow so many threads only, as where other processes have the rest of the processors already."""
    before = _ALLOWED.set(threads)
    try:
        yield
    finally:
        _ALLOWED.reset(before)


def in_threads(
    searches: Sequence[Callable[[Progress], Result]], progress: Progress, threads: int
) -> list[Result]:
    """The results of all searches, in their order, with so many of them running at the same time.

    Only the caller's thread talks to `progress`. When that wants to stop, or one search fails, the others end
    at their next update, and nothing keeps running behind the caller's back.
    """
    stopped = threading.Event()
    watched = [_Watched(progress, stopped) for _ in searches]
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(search, each) for search, each in zip(searches, watched, strict=True)]
        try:
            _watch(futures, watched, progress)
        except BaseException:
            stopped.set()
            for future in futures:
                future.cancel()
            raise
    return [future.result() for future in futures]


def _watch(futures: Sequence[Future[Result]], watched: Sequence[_Watched], progress: Progress) -> None:
    running = set(futures)
    while running:
        done, running = wait(running, timeout=_SECONDS_BETWEEN_LOOKS, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()
        shares = [1.0 if future.done() else each.share for future, each in zip(futures, watched, strict=True)]
        notes = (
            f"part {number}: {each.note}"
            for number, (future, each) in enumerate(zip(futures, watched, strict=True), start=1)
            if each.note and not future.done()
        )
        progress.update(sum(shares), len(shares), next(notes, ""))


class _Watched:
    """Progress of one search among several: keeps what it is told until somebody looks."""

    def __init__(self, outer: Progress, stopped: threading.Event) -> None:
        self._outer, self._stopped = outer, stopped
        self.share = 0.0
        self.note = ""

    def stage(self, name: str) -> None:
        """A stage of one part is no stage of the whole."""
        self.note = name

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Note how far this search is; ends it when all shall end."""
        self.share, self.note = (done / total if total else 0.0), note
        if self._stopped.is_set():
            raise Cancelled("The work was cancelled")

    def expired(self, share: float = 1.0) -> bool:
        """Whether the time limit of the whole, or a share of it, has passed."""
        return self._outer.expired(share)

"""Independent work at the same time: what comes out never depends on how many threads there were."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from itertools import chain, islice, pairwise
from typing import TypeVar

from shoal.errors import Cancelled, InvalidParameter
from shoal.progress import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")

_SECONDS_BETWEEN_LOOKS = 0.1
_ALLOWED: ContextVar[int | None] = ContextVar("threads allowed", default=None)
_SECONDS_TO_HEED = 1.0  # what is given up or stopped, before it is left alone


def processors() -> int:
    """How many threads can run at the same time, or may: the cores that this process may use, or fewer."""
    if allowed := _ALLOWED.get():
        return allowed
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def at_most(threads: int | None) -> Iterator[None]:
    """Allow so many threads only, as where other processes have the rest of the processors already.

    None allows one for each core.
    """
    if threads is not None and (type(threads) is not int or threads < 1):
        raise InvalidParameter("Shoal", "threads", threads, "an integer of 1 or more")
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
        futures = [
            pool.submit(copy_context().run, search, each)
            for search, each in zip(searches, watched, strict=True)
        ]
        try:
            _watch(futures, watched, progress)
        except BaseException:
            stopped.set()
            for future in futures:
                future.cancel()
            raise
    return [future.result() for future in futures]


def mapped(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """What becomes of each item, in order; a few are worked on at the same time, and no more wait.

    One alone is worked on by the caller: starting a thread takes longer than much of what is asked here.
    """
    threads, rest = processors(), iter(items)
    first = list(islice(rest, 2))
    if threads == 1 or len(first) < 2:
        yield from map(work, chain(first, rest))
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in chain(first, rest):
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def shares(count: int, work: int, least_work: int) -> list[tuple[int, int]]:
    """Ranges of places 0..count - 1, one for each thread; a single one where less is to do than pays."""
    parts = processors() if work >= least_work else 1
    borders = [count * part // parts for part in range(parts + 1)]
    return list(pairwise(borders))


def those_in_time(
    searches: Sequence[Callable[[Progress], Result]],
    progress: Progress,
    threads: int,
    is_over: Callable[[Sequence[Result]], bool],
) -> list[Result | None]:
    """As `in_threads`, but only until the results so far are enough: None for those that did not end.

    What is given up ends at its next update. Nobody can end a thread, so one that never tells how far it is
    works on behind the caller's back; it does not keep the program from ending.
    """
    stopped = threading.Event()
    watched = [_Watched(progress, stopped) for _ in searches]
    futures: list[Future[Result]] = [Future() for _ in searches]
    jobs = deque(zip(searches, watched, futures, strict=True))
    workers = [
        threading.Thread(target=copy_context().run, args=(_work, jobs), daemon=True) for _ in range(threads)
    ]
    for worker in workers:
        worker.start()
    try:
        _watch(futures, watched, progress, is_over)
        return [future.result() if future.done() else None for future in futures]
    finally:
        stopped.set()
        for future in futures:
            future.cancel()
        heeding = time.monotonic() + _SECONDS_TO_HEED
        for worker in workers:
            worker.join(max(0.0, heeding - time.monotonic()))


def _work(jobs: deque[tuple[Callable[[Progress], Result], _Watched, Future[Result]]]) -> None:
    while True:
        try:
            search, watched, future = jobs.popleft()
        except IndexError:
            return
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(search(watched))
        except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
            future.set_exception(error)


def _watch(
    futures: Sequence[Future[Result]],
    watched: Sequence[_Watched],
    progress: Progress,
    is_over: Callable[[Sequence[Result]], bool] = lambda _: False,
) -> None:
    """Pass on how far all are, until all ended or it is over."""
    running = set(futures)
    while running and not is_over([future.result() for future in futures if future.done()]):
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

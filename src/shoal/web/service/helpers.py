"""Processes that answer short questions about data, so that nothing in the data can hurt the server."""

from __future__ import annotations

import multiprocessing
import queue
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from shoal.errors import LimitReached, ShoalError
from shoal.study.child_processes import end_with_parent
from shoal.web.service.processes import be_first_to_go, memory_of
from shoal.web.service.stopping import CANCELLED, is_cancelled, refuse_if_cancelled
from shoal.web.service.wording import Failure, Names

R = TypeVar("R")

_SECONDS = 600.0
_GLANCE = 0.1


class Helpers:
    """A few processes, each of which answers one question at a time and keeps what it read last.

    A helper that dies, takes too long or eats too much memory is replaced, and its question fails.
    """

    def __init__(self, count: int, memory: int) -> None:
        self._memory = memory
        self._idle: queue.LifoQueue[_Helper | None] = queue.LifoQueue()
        self._all: set[_Helper] = set()
        self._closed = False
        for _ in range(count):
            self._idle.put(None)  # started when first needed

    def ask(self, function: Callable[..., R], *arguments: Any, names: Names | None = None) -> R:
        """The answer of a function that a helper can import; its errors come back in the words of `names`."""
        helper = self._free()
        answer: Any = None
        try:
            if self._closed:
                raise LimitReached("the server is stopping")
            if helper is None or not helper.process.is_alive():
                helper = self._started()
            answer = helper.ask((function, arguments, names or Names({})), self._memory)
        except _Gone as gone:
            if helper is not None:
                self._all.discard(helper)
                helper = None
            raise LimitReached(str(gone)) from None
        finally:
            self._idle.put(helper)
        if isinstance(answer, Failure):
            raise answer.error()
        result: R = answer[0]
        return result

    def _free(self) -> _Helper | None:
        """Wait for one that has nothing to do; None where one has to be started."""
        while True:
            refuse_if_cancelled()
            with suppress(queue.Empty):
                return self._idle.get(timeout=_GLANCE)

    def warm(self) -> None:
        """Start a helper before it is needed: it has much to import."""
        self.ask(_nothing)

    def close(self) -> None:
        """End all helpers."""
        self._closed = True
        for helper in list(self._all):
            helper.end()

    def _started(self) -> _Helper:
        helper = _Helper()
        self._all.add(helper)
        return helper


class _Gone(Exception):
    """A helper is no more; the sentence says why."""


class _Helper:
    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_answer, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, question: tuple[Any, ...], memory: int) -> Any:
        deadline = time.monotonic() + _SECONDS
        try:
            self.connection.send(question)
            while not self.connection.poll(_GLANCE):
                if is_cancelled():
                    self._give_up(CANCELLED)
                if time.monotonic() > deadline:
                    self._give_up(f"this took more than {_SECONDS / 60:.0f} minutes; use the command line")
                if (memory_of(self.process.pid) or 0) > memory:
                    self._give_up(
                        f"this needs more than {memory / 1e6:,.0f} MB of memory, which is the limit"
                    )
            return self.connection.recv()
        except (EOFError, OSError):
            self.end()
            raise _Gone("the process that looked at this ended early, perhaps for want of memory") from None

    def end(self) -> None:
        """Safe from any thread: the pipe is left to whoever waits on it and then finds it broken."""
        self.process.kill()
        self.process.join()

    def _give_up(self, sentence: str) -> None:
        self.end()
        raise _Gone(sentence)


def _answer(connection: Connection) -> None:
    """What a helper does all day."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its helpers
    end_with_parent()
    be_first_to_go()
    with suppress(EOFError, OSError):
        while True:
            function, arguments, names = connection.recv()
            connection.send(_answered(function, arguments, names))


def _answered(function: Callable[..., Any], arguments: tuple[Any, ...], names: Names) -> Any:
    try:
        return (function(*arguments),)
    except ShoalError as error:
        return names.failure(error)
    except MemoryError:
        return Failure("LimitReached", "the machine's memory is used up")
    except Exception:  # noqa: BLE001 - whatever it is, the next question can be answered
        return Failure("Bug", f"this is a bug in Shoal: {names.shown(traceback.format_exc())}")


def _nothing() -> None:
    """A question that only starts a helper."""
    import shoal.web.service.questions  # noqa: F401

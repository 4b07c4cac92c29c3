"""A child process that reads files which may take it down, with limits of memory and time."""

from __future__ import annotations

import multiprocessing
import resource
import traceback
from multiprocessing.connection import Connection
from types import TracebackType

_CONTEXT = multiprocessing.get_context("spawn")
DIED = "the process died"


class Sandbox:
    """Feeds targets in a process of its own; a new one takes the place of one that died."""

    def __init__(self, seconds: float, megabytes: int) -> None:
        self._seconds, self._megabytes = seconds, megabytes
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._stop()

    def flaw(self, target: str, content: bytes) -> str | None:
        """What went wrong while the target read these bytes; None if nothing did.

        A process that died is asked once more, anew: a file has to take it down by itself, not by what
        the hundreds of files before it left behind.
        """
        fresh = self._pipe is None
        flaw = self._flaw(target, content)
        return self._flaw(target, content) if flaw and flaw.startswith(DIED) and not fresh else flaw

    def _flaw(self, target: str, content: bytes) -> str | None:
        pipe = self._pipe or self._start()
        try:
            pipe.send((target, content))
            if not pipe.poll(self._seconds):
                self._stop()
                return f"took more than {self._seconds:g} s"
            answer: str | None = pipe.recv()
        except (EOFError, OSError):
            process = self._process
            if process is not None:
                process.join(5)
            code = None if process is None else process.exitcode
            self._stop()
            return f"{DIED} ({code})"
        return answer

    def _start(self) -> Connection:
        ours, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, self._megabytes), daemon=True)
        self._process.start()
        theirs.close()
        if not ours.poll(300):
            raise RuntimeError("the sandbox does not start")
        ours.recv()
        self._pipe = ours
        return ours

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _serve(pipe: Connection, megabytes: int) -> None:
    from tests.campaign.fuzz_targets import TARGETS, released

    released()
    limit = _used() + megabytes * 2**20
    # Data, not addresses: threads reserve far more of those than they use, on many cores most of all.
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    pipe.send("ready")
    while True:
        target, content = pipe.recv()
        try:
            TARGETS[target](content)
        except BaseException as error:  # noqa: BLE001 - whatever comes out is a finding
            pipe.send("".join(traceback.format_exception(error))[-1500:])
        else:
            pipe.send(None)


def _used() -> int:
    """Bytes of data and stack."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[5]) * resource.getpagesize()

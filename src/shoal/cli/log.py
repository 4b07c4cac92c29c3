"""`--log FILE`: one JSON object per line for those who watch many runs.

It tells times, stages and memory, counts of records and how a run ended; never a value of the data, which
an error message may hold.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from shoal import __version__
from shoal.engine.memory import bytes_in_use, peak_memory_mb
from shoal.errors import BadInput, Problem
from shoal.progress import Progress


class Log:
    """The lines of one run."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream, self._started, self._run = stream, time.perf_counter(), secrets.token_hex(6)

    def write(self, event: str, **facts: Any) -> None:
        """Add a line and hand it to the system, so that it is there if the run is killed."""
        if self._stream is None:
            return
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "run": self._run,
            "event": event,
            **facts,
            "seconds": round(time.perf_counter() - self._started, 3),
            "memory_mb": round(bytes_in_use() / 1e6, 1),
        }
        self._stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._stream.flush()


class LoggedProgress:
    """Progress whose stages also stand in a log."""

    def __init__(self, inner: Progress, log: Log) -> None:
        self._inner, self._log = inner, log

    def stage(self, name: str) -> None:
        """Name the part of the work that begins now."""
        self._log.write("stage", stage=name)
        self._inner.stage(name)

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Tell how much of the current stage is done."""
        self._inner.update(done, total, note)

    def expired(self, share: float = 1.0) -> bool:
        """Whether the time limit, or a share of it, has passed."""
        return self._inner.expired(share)


@contextmanager
def logged(path: Path | None, policy: Path) -> Iterator[Log]:
    """The log of a run, with a line for its begin and one for its end, however it ends."""
    if path is None:
        yield Log(None)
        return
    try:
        stream = path.open("a", encoding="utf-8")
    except OSError as error:
        what = f"the log cannot be written: {error.strerror}"
        raise BadInput(Problem(what, "choose another with --log", file=str(path))) from error
    with stream:
        log = Log(stream)
        log.write("begin", version=__version__, policy=str(policy))
        try:
            yield log
        except BaseException as error:
            log.write("end", outcome=type(error).__name__, peak_memory_mb=peak_memory_mb())
            raise
        log.write("end", outcome="fine", peak_memory_mb=peak_memory_mb())


def refuse_log_among(log: Path | None, sources: Iterable[Path]) -> None:
    """A log is added to the end of its file, which must not be one that the run reads."""
    if log is not None and any(log.resolve() == source.resolve() for source in sources):
        raise BadInput(Problem("is read by this run", "choose another file with --log", file=str(log)))

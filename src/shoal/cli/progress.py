"""A progress bar with an estimate on a terminal, nothing when piped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from shoal.progress import Progress, Silent


class _OnTerminal:
    def __init__(self, bars: Bars) -> None:
        from shoal.kernels.compile import compiled_before  # and with it Numba

        self._bars = bars
        self._hint = "" if compiled_before() else " (first run: compiling, this happens once)"
        self._task = bars.add_task("starting", total=None, note="")

    def stage(self, name: str) -> None:
        self._bars.remove_task(self._task)  # a reset would keep how much work the last stage had
        self._task = self._bars.add_task(name + self._hint, total=None, note="")

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        self._bars.update(self._task, completed=done, total=total, note=note)

    def expired(self, share: float = 1.0) -> bool:  # noqa: ARG002 - limits are kept by the run
        return False


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show how far the work is while the block runs."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Silent()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Bars(*columns, TextColumn("{task.fields[note]}"), console=console, transient=True) as bars:
        yield _OnTerminal(bars)

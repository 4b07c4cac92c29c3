"""What the system tells of other processes, and what it does when memory is short."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

GIVEN_WAY = 5  # how far a job stands behind what people wait for, in the system's levels
_THIS_PROCESS = Path("/proc/self")  # on Linux


def be_first_to_go() -> None:
    """When the machine runs out of memory, let the system end this process rather than the server."""
    with suppress(OSError):
        (_THIS_PROCESS / "oom_score_adj").write_text("1000", encoding="ascii")


def give_way() -> None:
    """Let the server and browsers go first when processors are scarce, wherever else they may be idle."""
    with suppress(psutil.Error, OSError):
        if sys.platform == "win32":
            psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            os.nice(GIVEN_WAY)
    with suppress(OSError):  # Linux weighs sessions before it weighs what is in them
        (_THIS_PROCESS / "autogroup").write_text(str(GIVEN_WAY), encoding="ascii")


def memory_of(process: int | None) -> int | None:
    """The bytes that a process holds; None where the system does not tell."""
    try:
        return int(psutil.Process(process).memory_info().rss)
    except (psutil.Error, OSError):
        return None


def memory_of_group(leader: int) -> int:
    """The bytes that a process and all that it started hold together; 0 where the system does not tell."""
    return sum(memory_of(process.pid) or 0 for process in _family(leader))


def kill_group(leader: int) -> None:
    """End a process and all that it started at once."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        return
    for process in _family(leader):
        with suppress(psutil.Error):
            process.kill()


def _family(leader: int) -> Iterator[psutil.Process]:
    with suppress(psutil.Error, OSError):
        first = psutil.Process(leader)
        yield from (first, *first.children(recursive=True))

"""What the system tells of other processes, and what it does when memory is short."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

GIVEN_WAY = 5  # how far a job stands behind what people wait for, in the system's levels
_PROCESSES = Path("/proc")


def be_first_to_go() -> None:
    """When the machine runs out of memory, let the system end this process rather than the server."""
    with suppress(OSError):
        (_PROCESSES / "self" / "oom_score_adj").write_text("1000", encoding="ascii")


def give_way() -> None:
    """Let the server and browsers go first when processors are scarce, wherever else they may be idle."""
    os.nice(GIVEN_WAY)
    with suppress(OSError):  # Linux weighs sessions before it weighs what is in them
        (_PROCESSES / "self" / "autogroup").write_text(str(GIVEN_WAY), encoding="ascii")


def memory_of(process: int | None) -> int | None:
    """The bytes that a process holds; None where the system does not tell."""
    try:
        pages = int((_PROCESSES / str(process) / "statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def memory_of_group(group: int) -> int:
    """The bytes that the processes of a group hold together; 0 where the system does not tell."""
    return sum(memory_of(process) or 0 for process in _members(group))


def kill_group(group: int) -> None:
    """End all processes of a group at once."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _members(group: int) -> Iterator[int]:
    with suppress(OSError):
        for entry in _PROCESSES.iterdir():
            if entry.name.isdecimal():
                with suppress(OSError):
                    if os.getpgid(int(entry.name)) == group:
                        yield int(entry.name)

"""How much memory this process takes, and how much there is."""

import sys
from contextlib import suppress
from pathlib import Path

import psutil

from shoal import posix


def bytes_in_use() -> float:
    """The memory that this process holds now, where the system tells; else the most it has held."""
    try:
        return float(psutil.Process().memory_info().rss)
    except (psutil.Error, OSError):
        return posix.peak_memory() or 0.0


def peak_memory_mb() -> float:
    """The most memory that this process has held, where the system tells without what its parent held."""
    with suppress(OSError, StopIteration):
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) / 1e3 for line in status.splitlines() if line.startswith("VmHWM"))
    if sys.platform == "win32":
        return float(psutil.Process().memory_info().peak_wset) / 1e6
    return (posix.peak_memory() or bytes_in_use()) / 1e6


def memory_of_machine() -> int:
    """The bytes of memory that this machine has."""
    return int(psutil.virtual_memory().total)

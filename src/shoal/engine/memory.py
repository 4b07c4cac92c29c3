"""How much memory this process takes, and how much there is."""

import os
import resource
import sys
from pathlib import Path


def bytes_in_use() -> float:
    """The memory that this process holds now, where the system tells; else the most it has held."""
    try:
        resident_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return peak_memory_mb() * 1e6
    return float(resident_pages * resource.getpagesize())


def peak_memory_mb() -> float:
    """The most memory that this process has held, where the system tells without what its parent held."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) / 1e3 for line in status.splitlines() if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1e6 if sys.platform == "darwin" else 1e3)


def memory_of_machine() -> int:
    """The bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

"""What only POSIX systems tell: the one module that imports what others lack, and says None without it."""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType

_ALONE_FROM, _LARGE = -3, 2**21  # M_MMAP_THRESHOLD of malloc.h, and bytes


def peak_memory() -> float | None:
    """The bytes that this process has held at most, as the system counts them."""
    resource = _resource()
    if sys.platform == "win32" or resource is None:
        return None
    peak = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1e3


def memory_is_limited() -> bool:
    """Whether somebody has set a limit, at which libraries give up in ways of their own."""
    resource = _resource()
    if sys.platform == "win32" or resource is None:
        return False
    return bool(resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY)


def give_large_arrays_back() -> None:
    """Let the C library give arrays that are large back to the system as soon as they are freed.

    It would learn to keep ever larger ones otherwise, up to 32 MB each and in pieces that fit nothing else.
    """
    if sys.platform == "linux" and (settings := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        settings(_ALONE_FROM, _LARGE)


def give_back_memory() -> None:
    """Give what was freed back to the system, where the C library keeps it in case it is wanted again."""
    if sys.platform == "win32":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _resource() -> ModuleType | None:
    try:
        import resource
    except ImportError:
        return None
    return resource

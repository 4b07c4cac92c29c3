"""Arrow without pandas and Numba without scipy: each takes longer to load than a small run has to do.

Both look once whether the other is installed, to recognize its frames and to multiply matrices, neither of
which the command line has. Whoever else asks for pandas or scipy gets them.
"""

from __future__ import annotations

import sys
from types import FrameType

_NEEDLESS_FOR_NUMBA = ("scipy", "cffi")


class _NoPandas:
    """A finder of modules that says there is no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError(name)


class _NotForNumba:
    """A finder of modules that has no scipy and no cffi if Numba asks."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name in _NEEDLESS_FOR_NUMBA and _asking(sys._getframe(1)).startswith("numba"):
            raise ImportError(name)


def _asking(frame: FrameType | None) -> str:
    """The module whose import statement this is the work of."""
    while frame is not None and "importlib" in frame.f_globals["__name__"]:
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals["__name__"])


def keep_arrow_from_loading_pandas() -> None:
    """Let Arrow look for pandas now, where it finds none; nothing else sees that."""
    if "pandas" in sys.modules:
        return
    hidden = _NoPandas()
    sys.meta_path.insert(0, hidden)
    try:
        import pyarrow as pa

        pa.array([])
    finally:
        sys.meta_path.remove(hidden)


def keep_numba_from_loading_scipy() -> None:
    """Tell Numba, when it is loaded, that there is no scipy."""
    sys.meta_path.insert(0, _NotForNumba())

"""Arrow without pandas: the command line has no frames, and pandas takes as long to load as a small run.

Arrow looks for pandas the first time that an array is made, to recognize its frames, and then never again; it
is loaded later all the same where somebody asks for one.
"""

from __future__ import annotations

import sys


class _Hidden:
    """A finder of modules that says there is no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError(name)


def keep_arrow_from_loading_pandas() -> None:
    """Let Arrow look for pandas now, where it finds none; nothing else sees that."""
    if "pandas" in sys.modules:
        return
    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        import pyarrow as pa

        pa.array([])
    finally:
        sys.meta_path.remove(hidden)

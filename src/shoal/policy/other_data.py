"""Other data than those that a policy names."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from shoal.policy.settings import Setting

_FRAME = "a frame"  # what a policy that was given one says instead of a path


def is_in_memory(data: Any) -> bool:
    """Whether data are a frame, and not the path of a file."""
    return data is not None and not isinstance(data, str | PathLike)


def settings_for(data: Any) -> list[Setting]:
    """What the policy says when it is about these data instead of its own; nothing if there are none."""
    if data is None:
        return []
    path = _FRAME if is_in_memory(data) else str(Path(data).absolute())
    dropped = [Setting(("data", key), None, "data") for key in ("url", "table", "query", "sets")]
    return [Setting(("data", "path"), path, "data"), *dropped]

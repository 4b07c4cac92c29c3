"""How a release is looked for, and how much the search may use."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.engine.memory import bytes_in_use
from shoal.errors import InvalidParameter, LimitReached
from shoal.progress import Progress, heed_interrupt


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a search may use; `on_limit` "best" goes on with what was found, if it is safe."""

    time: float | None = None
    memory: float | None = None
    on_limit: Literal["stop", "best"] = "stop"

    def __post_init__(self) -> None:
        for name, limit in (("time_limit", self.time), ("memory_limit", self.memory)):
            if limit is not None and not 0 < limit < math.inf:
                raise InvalidParameter("Shoal", name, limit, "a number above 0")
        if self.on_limit not in ("stop", "best"):
            raise InvalidParameter("Shoal", "on_limit", self.on_limit, "'stop' or 'best'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a release is looked for.

    Args:
        algorithm: The algorithm's name; with `auto` those that fit are tried.
        options: Its parameters.
        seed: Steers the search only.
        limits: How much time and memory it may use.
        keep_order: Whether rows stay in the order of the original; marked as not publishable.
        reproducible: Whether the seed also fixes the order of the published rows, for tests; marked alike.
        recoding: With "global" every value of a column, and every item, has one label in all records.

    Raises:
        InvalidParameter: One of them is out of its range.

    Examples:
        >>> import shoal as sh
        >>> sh.Search(algorithm="mondrian", seed=1).recoding
        'any'
    """

    algorithm: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    limits: Limits = Limits()
    keep_order: bool = False
    reproducible: bool = False
    recoding: Literal["any", "global"] = "any"

    def __post_init__(self) -> None:
        if self.recoding not in ("any", "global"):
            raise InvalidParameter("Shoal", "recoding", self.recoding, "'any' or 'global'")
        if self.seed is not None and (type(self.seed) is not int or self.seed < 0):
            raise InvalidParameter("Shoal", "seed", self.seed, "an integer of 0 or more")


class WithinLimits:
    """Progress that also keeps the limits of a run, whose time began now or so many seconds ago."""

    def __init__(self, inner: Progress, limits: Limits, *, seconds_gone: float = 0.0) -> None:
        self._inner, self._limits = inner, limits
        self._started = time.monotonic() - seconds_gone

    def stage(self, name: str) -> None:
        """Name the part of the work that begins now."""
        heed_interrupt()
        self._inner.stage(name)

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Pass on how far the work is, and stop it at a limit when nothing less was asked for."""
        heed_interrupt()
        self._inner.update(done, total, note)
        self._stop_at_a_limit()

    def expired(self, share: float = 1.0) -> bool:
        """Whether the search, or a part of it that may take that share of the time, should end.

        A search that only asks is stopped at a limit as well, when nothing less was asked for.
        """
        heed_interrupt()
        self._stop_at_a_limit()
        return self._inner.expired(share) or (self._limits.on_limit == "best" and bool(self._reached(share)))

    def _stop_at_a_limit(self) -> None:
        if self._limits.on_limit == "stop" and (limit := self._reached()):
            raise LimitReached(
                f'the {limit} was reached before the search ended; raise it, or set on_limit = "best" to go'
                " on with what was found"
            )

    def _reached(self, share: float = 1.0) -> str:
        """The limit that was reached, in words; empty if there is none."""
        limits = self._limits
        if limits.time is not None and time.monotonic() > self._started + share * limits.time:
            return f"time_limit of {limits.time:g} s"
        if limits.memory is not None and bytes_in_use() > limits.memory:
            return f"memory_limit of {limits.memory / 1e6:g} MB"
        return ""

"""Parts that are searched apart: how many the memory asks for, and how many it allows at the same time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np

from shoal.algorithms.sets.cut_search.violations import Violations
from shoal.errors import LimitReached
from shoal.kernels.arrays import Ints, starts_of
from shoal.threads import processors

Part = TypeVar("Part")

_BYTES_OF_PROGRAM = 300e6
_BYTES_PER_NUMBER = 8


class Divisible(Protocol[Part]):
    """Work that can be divided into parts."""

    @property
    def most_parts(self) -> int:
        """It makes no sense to ask for more parts than this."""

    def parts(self, count: int) -> Sequence[Part]:
        """About so many parts."""

    def size(self, part: Part) -> tuple[int, int]:
        """The items and rows of a part."""


@dataclass(frozen=True, slots=True)
class Room:
    """The bytes that parts may take.

    They follow from the limit and the data alone, not from what is in use at the moment: the same data are
    always divided alike.
    """

    size: float
    m: int

    @classmethod
    def beside(cls, violations: Violations, memory_limit: float) -> Self:
        """What a limit leaves beside the program and the data; raises LimitReached if that is nothing."""
        m = violations.constraint.largest
        if memory_limit == 0:
            return cls(math.inf, m)
        items, rows = len(violations.transactions.sets.items), violations.transactions.row_count
        taken = _BYTES_OF_PROGRAM + 2 * _BYTES_PER_NUMBER * (items + rows)
        if memory_limit <= taken:
            raise LimitReached(
                f"the memory_limit of {memory_limit / 1e6:g} MB leaves nothing for the search, because the"
                f" program and the data take about {taken / 1e6:.0f} MB; raise it"
            )
        return cls(memory_limit - taken, m)

    def divide(self, work: Divisible[Part], fewest: int) -> Sequence[Part]:
        """Parts that each fit: as few as that takes, but no fewer than so many."""
        count = fewest
        parts = work.parts(count)
        while self._largest(work, parts) > self.size and count < work.most_parts:
            count = min(2 * count, work.most_parts)
            parts = work.parts(count)
        return parts

    def at_once(self, work: Divisible[Part], parts: Sequence[Part], threads: int) -> int:
        """How many of the parts may be searched at the same time."""
        wanted = min(threads or processors(), len(parts))
        return max(1, int(min(wanted, self.size / self._largest(work, parts))))

    def _largest(self, work: Divisible[Part], parts: Sequence[Part]) -> int:
        return max(self._bytes(*work.size(part)) for part in parts)

    def _bytes(self, items: int, rows: int) -> int:
        """What a search takes at its peak: the sets, where their items are, and the listing at each size."""
        return _BYTES_PER_NUMBER * ((5 + self.m) * items + 4 * rows + 1)


def balanced_borders(weights: Ints, parts: int) -> Ints:
    """Where a row of weights is cut into parts of about equal weight: a border b stands before weights[b].

    Each border comes as near to its share of the whole as it can. There are fewer of them where single
    weights are too heavy. All weights together are below 2**40.
    """
    parts = min(parts, len(weights))
    before = parts * starts_of(weights)
    wanted = before[-1] // max(parts, 1) * np.arange(1, parts)
    above = np.searchsorted(before, wanted)
    below = np.maximum(above - 1, 0)
    borders = np.unique(np.where(wanted - before[below] <= before[above] - wanted, below, above))
    return borders[(borders > 0) & (borders < len(weights))]

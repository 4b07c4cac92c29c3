"""Parts that are searched apart: how many the memory asks for, and how many it allows at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from shoal.algorithms.parameters import Within
from shoal.algorithms.sets.threads import processors
from shoal.algorithms.sets.transactions import Transactions
from shoal.errors import LimitReached

AT_LEAST_ONE = Within(1)
NONE_OR_MORE = Within(0)
ANY_AMOUNT = Within(0.0)
THREADS_HELP = "how many parts are searched at the same time; 0 means one per processor"
MEMORY_HELP = "bytes that the whole program may take; more parts are made if they do not fit; 0 means any"

Part = TypeVar("Part")

_BYTES_OF_PROGRAM = 300e6
_BYTES_PER_NUMBER = 8


@dataclass(frozen=True, slots=True)
class Room:
    """The memory that parts must fit into, in bytes; None if there is no limit.

    It follows from the limit and the data alone, not from what is in use at the moment: the same data are
    always divided alike.
    """

    size: float | None = None

    @classmethod
    def for_parts(cls, transactions: Transactions, memory_limit: float) -> Room:
        """What a limit leaves beside the program and the data; raises LimitReached if that is nothing."""
        if memory_limit == 0:
            return cls()
        items, rows = len(transactions.sets.items), transactions.row_count
        taken = _BYTES_OF_PROGRAM + 2 * _BYTES_PER_NUMBER * (items + rows)
        if memory_limit <= taken:
            raise LimitReached(
                f"the memory_limit of {memory_limit / 1e6:g} MB is used up by the program and the data, which"
                f" take about {taken / 1e6:.0f} MB; raise it"
            )
        return cls(memory_limit - taken)

    def divide(self, divide: Callable[[int], Sequence[Part]], size: Callable[[Part], float], least: int) -> Sequence[Part]:
        """The fewest parts, starting from `least` and doubling, that each fit; or as many as can be made."""
        parts = divide(least)
        while self.size is not None and max(map(size, parts), default=0) > self.size:
            finer = divide(2 * least)
            ...
        return parts

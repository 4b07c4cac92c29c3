"""Market baskets of any size: the Quest model of shoppers who buy things that go together.

A shop sells `items`. Its customers follow `patterns`: small sets of items that are bought together. How many
items a pattern has is Poisson-distributed around `average_pattern_length`. A pattern takes some of its items
from the pattern before it, a share that is exponentially distributed around `correlation`, and draws the
others evenly from the shop. Some patterns are far more popular than others: their weights are exponentially
distributed.

A basket is meant to hold a Poisson-distributed number of items around `average_length`, at least one. It is
filled with patterns, picked by weight. People rarely buy a whole pattern: each has its own corruption level,
normally distributed around `corruption`, and loses items one by one as long as a random number is below that
level; one item always stays. A pattern too large for what is left of the basket goes into it all the same
half of the time, and into the next basket the other half; an empty basket takes as much of it as it has room
for. A basket stays smaller than meant only when many patterns in a row bring nothing that it lacks.

Measured averages are within about 1 % of `average_length` where that is at least twice the average pattern;
shorter baskets come out larger than asked for, by 5 % for baskets of 3 items with patterns of 4.

After Agrawal and Srikant, Fast algorithms for mining association rules, VLDB 1994.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Ints
from shoal.kernels.quest import Patterns, fill_baskets
from shoal.table.columns import Domain, Kind, Sets

AVERAGE_LENGTH = 10
PATTERNS = 10_000
AVERAGE_PATTERN_LENGTH = 4
CORRELATION = 0.5
CORRUPTION = 0.5

# The variance of 0.1 that the model has at a corruption of one half; it vanishes at none and at all.
_CORRUPTION_SPREAD_AT_HALF = math.sqrt(0.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestModel:
    """How many baskets of what kind; see the module for what the parameters mean."""

    transactions: int
    items: int
    average_length: float = AVERAGE_LENGTH
    patterns: int = PATTERNS
    average_pattern_length: float = AVERAGE_PATTERN_LENGTH
    correlation: float = CORRELATION
    corruption: float = CORRUPTION

    def __post_init__(self) -> None:
        self._check_whole("transactions", 0)
        self._check_whole("items", 1)
        self._check_whole("patterns", 1)
        for name in ("average_length", "average_pattern_length"):
            self._check_between(
                name, 1, self.items, f"a number between 1 and the number of items ({self.items})"
            )
        for name in ("correlation", "corruption"):
            self._check_between(name, 0, 1, "a number between 0 and 1")

    def sets(self, seed: int) -> Sets:
        """All baskets; the same for the same seed."""
        if type(seed) is not int or seed < 0:
            raise InvalidParameter("Quest", "seed", seed, "an integer of 0 or more")
        random = np.random.default_rng(seed)
        patterns = self._patterns(random)
        sizes = self._sizes(self.average_length, self.transactions, random)
        starts, items = fill_baskets(sizes, patterns, self.items, random)
        return Sets.of(starts, items, item_domain(self.items))

    def _patterns(self, random: np.random.Generator) -> Patterns:
        sizes = self._sizes(self.average_pattern_length, self.patterns, random)
        shares = np.minimum(random.exponential(self.correlation, self.patterns), 1.0)
        weights = random.exponential(1.0, self.patterns)
        spread = _CORRUPTION_SPREAD_AT_HALF * 2 * min(self.corruption, 1 - self.corruption)
        corruption = np.clip(random.normal(self.corruption, spread, self.patterns), 0.0, 1.0)
        items = [random.choice(self.items, sizes[0], replace=False)]
        for size, share in zip(sizes[1:], shares[1:], strict=True):
            items.append(_correlated(items[-1], int(size), float(share), self.items, random))
        return Patterns(
            np.concatenate(([0], np.cumsum(sizes))),
            np.concatenate(items),
            np.cumsum(weights) / weights.sum(),
            corruption,
        )

    def _sizes(self, average: float, count: int, random: np.random.Generator) -> Ints:
        return np.minimum(1 + random.poisson(average - 1, count), self.items)

    def _check_whole(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if type(value) is not int or value < least:
            raise InvalidParameter("Quest", name, value, f"an integer of {least} or more")

    def _check_between(self, name: str, least: float, most: float, must_be: str) -> None:
        value = getattr(self, name)
        if type(value) not in (int, float) or not least <= value <= most:
            raise InvalidParameter("Quest", name, value, must_be)


def quest(
    transactions: int,
    items: int,
    average_length: float = AVERAGE_LENGTH,
    *,
    patterns: int = PATTERNS,
    average_pattern_length: float = AVERAGE_PATTERN_LENGTH,
    correlation: float = CORRELATION,
    corruption: float = CORRUPTION,
    seed: int,
) -> Sets:
    """Generate market baskets; no basket is empty, and some items may stay unsold.

    Examples
    --------
        >>> baskets = quest(1000, 200, 8, patterns=50, seed=7)
        >>> len(baskets), len(baskets.domain), int(baskets.sizes.min()) >= 1
        (1000, 200, True)
    """
    model = QuestModel(
        transactions=transactions,
        items=items,
        average_length=average_length,
        patterns=patterns,
        average_pattern_length=average_pattern_length,
        correlation=correlation,
        corruption=corruption,
    )
    return model.sets(seed)


def item_domain(item_count: int) -> Domain:
    """Items called by their numbers, in the order of all labels: as texts."""
    return Domain(Kind.SET, pa.array(sorted(map(str, range(item_count))), type=pa.string()))


def _correlated(
    previous: Ints, size: int, share: float, item_count: int, random: np.random.Generator
) -> Ints:
    """Items of a pattern: some from the one before, the rest from all items."""
    borrowed = random.permutation(previous)[: round(share * size)]
    drawn = random.choice(item_count, size, replace=False)
    fresh = drawn[~np.isin(drawn, borrowed)]
    return np.concatenate((borrowed, fresh))[:size]

"""Ranges of numbers or days, and which of them holds a value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.kernels.arrays import Floats


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers or days of a range: `low` is inside, `high` begins what follows.

    The last of some siblings also holds what lies between `high` and `reach`, its upper end.
    """

    low: float
    high: float
    reach: float


def overlapping(intervals: Mapping[str, Interval]) -> list[tuple[str, str]]:
    """Neighbours, by their lower ends, of which the first goes on where the second has begun."""
    labels = sorted(intervals, key=lambda label: intervals[label].low)
    return [(one, other) for one, other in pairwise(labels) if intervals[one].high > intervals[other].low]


def holders(
    intervals: Mapping[str, Interval], last_siblings: frozenset[str], numbers: Floats
) -> list[str | None]:
    """The range that holds each number, None where there is none."""
    labels: Sequence[str] = sorted(intervals, key=lambda label: intervals[label].low)
    if not labels:
        return [None] * len(numbers)
    lows = np.array([intervals[label].low for label in labels])
    highs = np.array([intervals[label].high for label in labels])
    reaches = np.array([intervals[label].reach for label in labels])
    is_last = np.array([label in last_siblings for label in labels])
    places = np.searchsorted(lows, numbers, side="right") - 1
    inside = (numbers < highs[places]) | (is_last[places] & (numbers <= reaches[places]))
    inside &= places >= 0
    return [
        labels[index] if held else None for index, held in zip(places.tolist(), inside.tolist(), strict=True)
    ]

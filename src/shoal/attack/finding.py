"""What an attack found, in figures that say the same for every adversary."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.kernels.arrays import Floats, Ints

Chosen = Literal["worst", "random"]

_BANDS = (0, 1, 2, 5, 10, 20, 50, 100, 1_000, 10_000)
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class CandidateBand:
    """How many records have from `least` to `most` candidates."""

    least: int
    most: int | None
    records: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """How well records hide from somebody with some knowledge.

    A record's candidates are the published records that fit what is known of it; a guess among them is right
    with the chance 1 / candidates at most. A record that nothing fits, because something of it was
    suppressed, has no candidates: the adversary finds nobody. `below_k` is the share of records with fewer
    than k candidates, but at least one; `interval` is its 95 % confidence interval when the records are a
    sample, None when all were attacked. `expected` is how many of all records a guess for each would find.
    Where what is known of a record varies (items drawn at random) only means are given.
    """

    records: int
    below_k: float
    expected: float
    unique: float | None = None
    smallest: int | None = None
    distribution: tuple[CandidateBand, ...] = ()
    interval: tuple[float, float] | None = None

    @property
    def exact(self) -> bool:
        """Whether every record was attacked."""
        return self.interval is None

    @property
    def highest_risk(self) -> float | None:
        """Prosecutor risk: the chance of a right guess for the least protected record."""
        return None if self.smallest is None else 1 / self.smallest

    @property
    def mean_risk(self) -> float:
        """Marketer risk: the share of all records that a guess for each finds."""
        return self.expected / self.records if self.records else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one adversary finds in the release (`after`) and would find in the original itself (`before`).

    `adversary` is its name in the catalogue, `known` its knowledge in words, `items` how many items it knows
    if that is a number, `chosen` whether these are the least favourable ones of each record or drawn at
    random. `promised` says that the release promises k candidates against it.
    """

    adversary: str
    known: str
    after: Exposure
    before: Exposure | None = None
    items: int | None = None
    chosen: Chosen = "worst"
    promised: bool = False


def exposure_of(candidates: Ints, k: int, of: int | None = None) -> Exposure:
    """The exposure of records with so many candidates; they may be a sample `of` more records."""
    count, total = len(candidates), len(candidates) if of is None else of
    found = candidates[candidates > 0]
    below = int(np.count_nonzero(found < k))
    return Exposure(
        records=total,
        below_k=below / max(count, 1),
        unique=int(np.count_nonzero(found == 1)) / max(count, 1),
        expected=float((1 / found).sum()) * total / max(count, 1),
        smallest=int(found.min()) if len(found) else None,
        distribution=_distribution(candidates),
        interval=None if count == total else share_interval(below, count),
    )


def exposure_of_shares(below: Floats, success: Floats, of: int | None = None) -> Exposure:
    """The exposure when each record's knowledge varies: these are means over what may be known of it."""
    count, total = len(below), len(below) if of is None else of
    mean = float(below.mean()) if count else 0.0
    return Exposure(
        records=total,
        below_k=mean,
        expected=float(success.mean()) * total if count else 0.0,
        # Shares spread less than yes-or-no answers with the same mean, so the interval is wide enough.
        interval=None if count == total else share_interval(float(below.sum()), count),
    )


def share_interval(hits: float, trials: int) -> tuple[float, float]:
    """The 95 % interval of Wilson for a share, which is right also near 0 and 1."""
    if trials == 0:
        return 0.0, 1.0
    share, z = hits / trials, _NORMAL_95
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def _distribution(candidates: Ints) -> tuple[CandidateBand, ...]:
    edges: Sequence[int] = _BANDS
    counts = np.bincount(np.searchsorted(edges, candidates, side="right") - 1, minlength=len(edges))
    return tuple(
        CandidateBand(least, edges[index + 1] - 1 if index + 1 < len(edges) else None, int(count))
        for index, (least, count) in enumerate(zip(edges, counts.tolist(), strict=True))
        if count
    )

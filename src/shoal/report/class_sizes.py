"""What class sizes say about risk: how many records share their quasi-identifiers with how many others."""

from dataclasses import dataclass

import numpy as np

from shoal.engine.answers import SizeCounts
from shoal.kernels.arrays import Ints

_EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)


@dataclass(frozen=True, slots=True)
class Risk:
    """How likely a guess is right for someone who knows all quasi-identifiers of a person in the file.

    The chance within a class is 1 / its size, so the mean over records is classes / records.
    """

    records: int
    classes: int
    smallest: int
    largest: int
    unique: int

    @property
    def highest(self) -> float:
        """The chance for the least protected record."""
        return 1 / self.smallest

    @property
    def mean(self) -> float:
        """The chance for a record picked at random."""
        return self.classes / self.records


def risk_of(counted: SizeCounts) -> Risk | None:
    """The risk that these classes leave; None when there are none."""
    if len(counted.sizes) == 0:
        return None
    return Risk(
        records=int((counted.sizes * counted.classes).sum()),
        classes=int(counted.classes.sum()),
        smallest=int(counted.sizes[0]),
        largest=int(counted.sizes[-1]),
        unique=int(counted.classes[counted.sizes == 1].sum()),
    )


@dataclass(frozen=True, slots=True)
class Band:
    """The classes from `least` to `most` records, and how many records they hold."""

    least: int
    most: int | None
    records_before: int
    records_after: int

    @property
    def label(self) -> str:
        """The sizes in words."""
        if self.most is None:
            return f"{self.least:,} or more"
        return f"{self.least:,}" if self.least == self.most else f"{self.least:,}–{self.most:,}"


def size_bands(before: SizeCounts, after: SizeCounts, k: int | None) -> tuple[Band, ...]:
    """Both sides counted in the same bands of class sizes, one of which begins at k.

    The bands reach from the smallest class of either side to the largest.
    """
    sides = (before, after)
    sizes = np.concatenate([side.sizes for side in sides])
    if len(sizes) == 0:
        return ()
    edges = sorted({*_EDGES, *([k] if k else [])})
    first = max(index for index, edge in enumerate(edges) if edge <= sizes.min())
    last = max(index for index, edge in enumerate(edges) if edge <= sizes.max())
    edges = edges[first : last + 2]
    counts = [_counts(side, edges) for side in sides]
    return tuple(
        Band(
            least=edge,
            most=edges[index + 1] - 1 if index + 1 < len(edges) else None,
            records_before=int(counts[0][index]),
            records_after=int(counts[1][index]),
        )
        for index, edge in enumerate(edges[: last - first + 1])
    )


def _counts(side: SizeCounts, edges: list[int]) -> Ints:
    """Records per band."""
    records = np.zeros(len(edges), dtype=np.int64)
    np.add.at(records, np.searchsorted(edges, side.sizes, side="right") - 1, side.sizes * side.classes)
    return records

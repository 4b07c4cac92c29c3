"""Local recoding: the records of a cluster are published alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shoal.kernels.arrays import Floats, Ints

SUPPRESSED = -1
_ROWS_AT_ONCE = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class GeneralizedClusters:
    """One generalized record per cluster of rows.

    `cluster_of_row[r]` is the cluster of row r, or SUPPRESSED. `nodes[column][c]` is the node of the column's
    tree that cluster c is published as; `ranges[column][c]` the lower and upper end for a number or date
    without a tree, where two NaNs mean a missing value and two infinities a suppressed cell.
    """

    cluster_of_row: Ints
    nodes: Mapping[str, Ints] = field(default_factory=dict)
    ranges: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def cluster_count(self) -> int:
        """How many clusters there are."""
        return int(self.cluster_of_row.max(initial=SUPPRESSED)) + 1

    @property
    def sizes(self) -> Ints:
        """How many records each cluster holds."""
        counts = np.zeros(self.cluster_count + 1, dtype=np.int64)
        at_once = max(_ROWS_AT_ONCE, len(counts))
        for first in range(0, len(self.cluster_of_row), at_once):
            counts += np.bincount(
                self.cluster_of_row[first : first + at_once] - SUPPRESSED, minlength=len(counts)
            )
        return counts[1:]

    @property
    def suppressed_count(self) -> int:
        """How many records are not published."""
        return int(np.count_nonzero(self.cluster_of_row == SUPPRESSED))

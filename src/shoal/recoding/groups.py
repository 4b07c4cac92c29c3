"""Local recoding: the records of a group are published alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats, Ints

SUPPRESSED = -1


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """One generalized record per group.

    `group_of_row[r]` is the group of row r, or SUPPRESSED. `nodes[column][g]` is the node of the column's
    tree that group g is published as; `ranges[column][g]` the lower and upper end for a number or date
    without a tree, where two NaNs mean a missing value and two infinities a suppressed cell. `figures` say
    what the search did and how far from the best it can be.
    """

    group_of_row: Ints
    nodes: Mapping[str, Ints] = field(default_factory=dict)
    ranges: Mapping[str, Floats] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def group_count(self) -> int:
        """How many groups there are."""
        return int(self.group_of_row.max(initial=SUPPRESSED)) + 1

    @property
    def suppressed_count(self) -> int:
        """How many records are not published."""
        return int(np.count_nonzero(self.group_of_row == SUPPRESSED))
